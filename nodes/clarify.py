"""Clarification: what the description leaves open is settled by a person, or assumed."""

from typing import Any

from langgraph.runtime import Runtime

from nodes.correction.questions import pending_question
from nodes.person import answered, put
from nodes.settings import RunSettings
from state.review import Assumption
from state.run_state import RunState


class ClarificationNeeded(ValueError):
    """Something is open and nobody may be asked; the message is the question."""


def clarify(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Put the pending question to a person, or write down what is assumed instead.

    Raises:
        ClarificationNeeded: the run was told to end rather than to ask or to assume.
    """
    pending = pending_question(state)
    if pending is None:
        return {}
    agent, question = pending
    review = state.reviews[agent]
    mode = runtime.context.clarify
    if mode == "fail":
        choices = f" ({' / '.join(question.choices)})" if question.choices else ""
        raise ClarificationNeeded(
            f"The description leaves something open: {question.text}{choices}"
        )
    if mode == "assume":
        assumed = Assumption(agent=agent, question=question.text, assumption=question.assumption)
        return {
            "assumptions": [*state.assumptions, assumed],
            "reviews": {**state.reviews, agent: review.model_copy(update={"settled": "assumed"})},
            "clarified": agent,
        }
    answer = put(question)
    return {
        "answers": answered(state, question, answer),
        "reviews": {**state.reviews, agent: review.model_copy(update={"settled": "answered"})},
        "clarified": agent,
    }
