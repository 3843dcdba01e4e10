"""Constraint agent: what must always hold (paper, section 3.2)."""

from typing import Any

from langgraph.runtime import Runtime
from pydantic import Field

from nodes.agent import ask, noted
from nodes.sentences import quoted, sentence_number
from nodes.settings import RunSettings
from state.constraints import Constraint
from state.piece import Identifier, Piece
from state.run_state import RunState


class ConstraintReply(Piece):
    """One rule; ``sentence`` is the number of the one that says it."""

    name: Identifier
    statement: str
    sentence: int


class ConstraintListReply(Piece):
    """What the model answers."""

    constraints: list[ConstraintReply] = Field(max_length=20)


def constraint(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Extract the constraints; what no sentence says is not one."""

    def check(reply: ConstraintListReply) -> list[str]:
        return [
            f"{c.name}: there is no sentence {c.sentence}; leave out what the description does "
            "not say"
            for c in reply.constraints
            if not quoted(state.told, c.sentence)[0]
        ]

    answer = ask(
        "constraint", ConstraintListReply, state, runtime, check=check, previous=reply_of(state),
        max_output_tokens=1000,
    )  # fmt: skip
    kept: dict[str, Constraint] = {}
    notes = []
    for c in answer.value.constraints:
        quote, assumed = quoted(state.told, c.sentence)
        if assumed:
            notes.append(f"dropped {c.name}: {assumed}")
            continue
        kept.setdefault(c.name, Constraint(quote=quote, name=c.name, statement=c.statement))
    return {
        "constraints": list(kept.values()),
        "calls": answer.calls,
        "notes": noted(state, "constraint", *notes),
    }


def reply_of(state: RunState) -> ConstraintListReply | None:
    """The answer that the constraints were made from; None where there was none."""
    if not state.constraints:
        return None
    return ConstraintListReply(
        constraints=[
            ConstraintReply(
                name=c.name,
                statement=c.statement,
                sentence=sentence_number(state.told, c.quote),
            )
            for c in state.constraints
        ]
    )
