"""Triage: is this description a decision problem at all? Asked before anything is spent on it."""

from typing import Any

from langgraph.runtime import Runtime

from nodes.agent import ask, noted
from nodes.models.errors import ContextTooLong, RecordingMissing, ReplyInvalid
from nodes.settings import RunSettings
from state.piece import Piece
from state.run_state import RunState
from state.verdict import Verdict

GOOD: Verdict = "sequential decision problem"

NOTHING = frozenset({"", "none", "nothing", "n/a", "na", "null", "no", "empty", "not given"})

OPENINGS: dict[Verdict, str] = {
    "one-shot optimisation": "The description asks for one decision that is taken once, not for "
    "decisions that are taken again and again",
    "prediction task": "The description asks for a prediction, not for decisions",
    "contradiction": "The description contradicts itself",
    "too little to simulate": "The description says too little to simulate what happens",
    "no description": "The text does not describe a decision problem",
}
"""How the sentence begins that turns a description away."""


class TriageReply(Piece):
    """What the model answers; what was found comes first, so that the verdict follows from it."""

    decided: str
    wanted: str
    happens: str
    verdict: Verdict
    wrong: str
    would_help: str


def triage(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Turn away what is no sequential decision problem, if the model says so twice.

    A verdict that names nothing that is missing, or on which it does not insist, is a note.
    """
    replies: list[TriageReply] = []
    for _ in range(2):
        try:
            answer = ask(
                "triage", TriageReply, state, runtime, check=lambda reply: [],
                earlier=replies, max_output_tokens=600,
            )  # fmt: skip
        except RecordingMissing:
            note = "not judged: the recording holds no verdict on the description"
            return {"calls": state.calls, "notes": noted(state, "triage", note)}
        except (ReplyInvalid, ContextTooLong) as error:
            calls = [*state.calls, *error.calls]
            note = f"the description was not judged: {error}"
            return {"calls": calls, "notes": noted(state, "triage", note)}
        replies.append(consistent(answer.value))
        state = state.model_copy(update={"calls": answer.calls})
        if not turns_away(replies[-1]):
            break
    update: dict[str, Any] = {"calls": state.calls}
    if len(replies) == 2 and replies[0].verdict == replies[1].verdict and turns_away(replies[1]):
        return {**update, "status": "turned_away", "account": account_of(replies[1])}
    doubts = [f"perhaps {r.verdict}: {r.wrong}" for r in replies if r.verdict != GOOD]
    return {**update, "notes": noted(state, "triage", *doubts)}


def consistent(reply: TriageReply) -> TriageReply:
    """``reply``, with another verdict where it found too little to make a decision problem.

    A small model may find nothing and still call it a decision problem.
    """
    found = {
        "no decision that is taken again and again": reply.decided,
        "no goal": reply.wanted,
        "nothing that happens between decisions": reply.happens,
    }
    lacking = [name for name, words in found.items() if says_nothing(words)]
    if reply.verdict != GOOD or len(lacking) < 2:
        return reply
    update = {
        "verdict": "no description" if len(lacking) == 3 else "too little to simulate",
        "wrong": f"it names {', '.join(lacking[:-1])} and {lacking[-1]}",
        "would_help": "say what is decided in each step, what follows from it, and what is wanted",
    }
    return reply.model_copy(update=update)


def says_nothing(words: str) -> bool:
    """True for an empty answer, and for one that says so in a word."""
    return words.strip(" .-\"'").lower() in NOTHING


def turns_away(reply: TriageReply) -> bool:
    """True for a verdict against the description that says in words what is wrong."""
    return reply.verdict != GOOD and not says_nothing(reply.wrong)


def account_of(reply: TriageReply) -> str:
    """What is wrong with the description and what would help, in plain words."""
    wrong, helps = (text.strip().rstrip(".") for text in (reply.wrong, reply.would_help))
    opening = OPENINGS[reply.verdict]
    advice = "" if says_nothing(helps) else f" What would help: {helps}."
    return f"{opening}: {wrong}.{advice}"
