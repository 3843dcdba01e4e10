"""Recorded replies of a large model, played by a chat server on loopback."""

import json
from typing import Any

from benchmarks.catalogue import task_description
from nodes.models.recording import load_recording
from nodes.triage import GOOD
from tests.fake_chat_server import Answer, ReplyFunction

# What tells the agents' questions apart is the object that each is asked for.
ASKED_FOR = {
    "verdict": "triage",
    "changes": "revise",
    "open": "review",
    "parameters": "parameter",
    "sense": "objective",
    "decisions": "variable",
    "step_measure": "modeling",
    "constraints": "constraint",
    "observation": "sar",
    "rules": "environment",
    "rule": "heuristic",
    "source": "coding",
}


def agent_of(schema: dict[str, Any]) -> str:
    """Name of the agent that asks for an object of ``schema``."""
    return next(agent for key, agent in ASKED_FOR.items() if key in schema["properties"])


def good_problem(schema: dict[str, Any]) -> str:
    """The verdict of a model that finds nothing wrong with the description."""
    words = dict.fromkeys(("decided", "wanted", "happens"), "something")
    return json.dumps({**words, "verdict": GOOD, "wrong": "", "would_help": ""})


def sure_of_all(schema: dict[str, Any], **scores: float) -> str:
    """A review that is sure of every item that it is asked about, ``scores`` apart."""
    items = schema["properties"]["items"]["items"]
    item = schema["$defs"][items["$ref"].rpartition("/")[2]]["properties"]["item"]
    names = item.get("enum") or [item["const"]]
    given = [
        {"item": name, "sentence": 1, "reason": "", "score": scores.get(name, 1.0)}
        for name in names
    ]
    return json.dumps({"items": given, "open": []})


PLAYED = {"triage": good_problem, "review": sure_of_all}


def replies_to(
    task: str, *, asked: list[str] | None = None, heuristic: str | None = None
) -> ReplyFunction:
    """The recorded replies to a built-in task, one after the other for each agent.

    ``asked`` collects the names of the agents that asked. ``heuristic`` is the reply where a rule
    of thumb is asked for, in place of the recorded one; with None there is none.
    """
    waiting: dict[str, list[str]] = {}
    recording = load_recording(task, task_description(task))
    for reply in sorted(recording.replies, key=lambda r: r.ordinal):
        waiting.setdefault(reply.agent, []).append(reply.reply)

    def reply(messages: list[dict[str, Any]], schema: dict[str, Any] | None) -> Answer:
        assert schema is not None
        agent = agent_of(schema)
        if agent in PLAYED:
            return PLAYED[agent](schema)
        if asked is not None:
            asked.append(agent)
        if agent == "heuristic":
            return heuristic or "I know no such rule."
        left = waiting[agent]
        return left.pop(0) if len(left) > 1 else left[0]

    return reply
