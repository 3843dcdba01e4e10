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
            return {"notes": noted(state, "triage", note)}
        except (ReplyInvalid, ContextTooLong) as error:
            calls = [*state.calls, *error.calls]
            note = f"the description was not judged: {error}"
            return {"calls": calls, "notes": noted(state, "triage", note)}
        replies.append(answer.value)
        state = state.model_copy(update={"calls": answer.calls})
        if not turns_away(answer.value):
            break
    update: dict[str, Any] = {"calls": state.calls}
    if len(replies) == 2 and replies[0].verdict == replies[1].verdict and turns_away(replies[1]):
        return {**update, "status": "turned_away", "account": account_of(replies[1])}
    doubts = [f"{r.verdict}? {r.wrong}".strip() for r in replies if r.verdict != GOOD]
    return {**update, "notes": noted(state, "triage", *doubts)}


def turns_away(reply: TriageReply) -> bool:
    """True for a verdict against the description that says in words what is wrong."""
    return reply.verdict != GOOD and len(reply.wrong.split()) > 1


def account_of(reply: TriageReply) -> str:
    """What is wrong with the description and what would help, in plain words."""
    wrong, helps = (text.strip().rstrip(".") for text in (reply.wrong, reply.would_help))
    opening = OPENINGS[reply.verdict]
    return f"{opening}: {wrong}." + (f" What would help: {helps}." if helps else "")
