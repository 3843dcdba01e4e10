"""Revise agent: reads a remark on a finished run and says which pieces it touches (paper, 4)."""

from typing import Any

from langgraph.runtime import Runtime
from pydantic import Field

from nodes.agent import ask, noted
from nodes.mentions import mentions_of
from nodes.settings import RunSettings
from nodes.written_numbers import flat
from state.findings import Agent
from state.piece import Piece
from state.revision import PieceChange
from state.run_state import RunState


class RevisionReply(Piece):
    """What the model answers; ``nothing`` says why no piece has to change, if none has."""

    changes: list[PieceChange] = Field(max_length=8)
    nothing: str


def revise(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Plan the revision: the pieces that change, each with a reason and an instruction."""
    assert state.revision is not None
    remark = state.revision.remark
    answer = ask(
        "revise", RevisionReply, state, runtime, check=complaints, remark=remark,
        max_output_tokens=1200,
    )  # fmt: skip
    changes = {change.piece: change for change in reversed(answer.value.changes)}
    for piece, reason in touched_by_number(state, remark).items():
        instruction = "Change it as the remark says, and nothing else."
        changes.setdefault(piece, PieceChange(piece=piece, reason=reason, instruction=instruction))
    nothing = "" if changes else answer.value.nothing or "the model names no piece to change"
    revision = state.revision.model_copy(
        update={"planned": True, "changes": list(changes.values()), "nothing": nothing}
    )
    notes = [f"the remark changes nothing: {nothing}"] if nothing else []
    return {
        "revision": revision,
        "calls": answer.calls,
        "notes": noted(state, "revise", *notes),
    }


def complaints(reply: RevisionReply) -> list[str]:
    """What keeps ``reply`` from being a plan, in words for the model."""
    pieces = [change.piece for change in reply.changes]
    twice = [piece for piece in dict.fromkeys(pieces) if pieces.count(piece) > 1]
    found = [f"{piece} is listed twice: give one reason and one instruction" for piece in twice]
    if not pieces and not reply.nothing.strip():
        found.append("name the pieces that must change, or say in `nothing` why none has to")
    return found


def touched_by_number(state: RunState, remark: str) -> dict[Agent, str]:
    """Pieces that hold a number which the remark mentions, such as the old value of two."""
    found: dict[Agent, str] = {}
    numbers = {mention.value for mention in mentions_of(remark)}
    for parameter in state.parameters:
        for value in numbers & set(flat(parameter.value)):
            found.setdefault("parameter", f"the remark mentions {value:g}, as {parameter.name} is")
    if state.model is not None and state.model.horizon in numbers:
        found["modeling"] = f"the remark mentions {state.model.horizon}, as the horizon is"
    return found
