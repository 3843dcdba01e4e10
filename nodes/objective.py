"""Objective agent: what the decision maker wants (paper, section 3.2)."""

from typing import Any, Literal

from langgraph.runtime import Runtime

from nodes.agent import ask, noted
from nodes.sentences import quoted, sentence_number
from nodes.settings import RunSettings
from state.objective import Objective
from state.piece import Piece
from state.run_state import RunState


class ObjectiveReply(Piece):
    """What the model answers; ``sentence`` is the number of the one that states the goal."""

    sentence: int
    sense: Literal["maximize", "minimize"]
    statement: str
    measure: str


def objective(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Extract the objective with the sentence that states it."""

    def check(reply: ObjectiveReply) -> list[str]:
        return [] if quoted(state.told, reply.sentence)[0] else ["no such sentence"]

    answer = ask(
        "objective", ObjectiveReply, state, runtime, check=check, previous=reply_of(state),
        max_output_tokens=400,
    )  # fmt: skip
    quote, assumed = quoted(state.told, answer.value.sentence)
    given = answer.value.model_dump(exclude={"sentence"})
    notes = [f"no sentence states the goal; assumed: {given['statement']}"] if assumed else []
    return {
        "objective": Objective(quote=quote, assumed=assumed, **given),
        "calls": answer.calls,
        "notes": noted(state, "objective", *notes),
    }


def reply_of(state: RunState) -> ObjectiveReply | None:
    """The answer that the objective was made from, if there is one."""
    goal = state.objective
    if goal is None:
        return None
    given = goal.model_dump(include={"sense", "statement", "measure"})
    return ObjectiveReply(sentence=sentence_number(state.told, goal.quote), **given)
