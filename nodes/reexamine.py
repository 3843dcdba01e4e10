"""Re-examination: an agent is shown what is in doubt of its answer, and answers again."""

from collections.abc import Callable
from typing import Any

from langgraph.runtime import Runtime

from nodes.agent import noted
from nodes.correction.items import items_of, readings
from nodes.correction.rules import rule_doubts
from nodes.models.errors import ContextTooLong, ModelRefused, RecordingMissing, ReplyInvalid
from nodes.settings import RunSettings
from state.review import Review, Reviewed
from state.run_state import RunState

Agent = Callable[[RunState, Runtime[RunSettings]], dict[str, Any]]


def reexamining(agent: Reviewed, node: Agent) -> Agent:
    """``node``, which keeps its earlier answer where looking again made it worse."""

    def answer(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
        if not state.doubts_of(agent) or state.remarks:
            return node(state, runtime)
        try:
            update = node(state, runtime)
        except (ReplyInvalid, ModelRefused, RecordingMissing, ContextTooLong) as error:
            kept = {"calls": [*state.calls, *error.calls]}
            return _again(agent, state, kept, f"the earlier answer is kept: {error}")
        review = state.reviews[agent]
        worse = "" if review.settled == "answered" else _worse(agent, state, update)
        if worse:
            return _again(agent, state, {"calls": update["calls"]}, worse)
        return _again(agent, state, update)

    answer.__doc__ = node.__doc__
    return answer


def _again(
    agent: Reviewed, state: RunState, update: dict[str, Any], note: str = ""
) -> dict[str, Any]:
    """``update`` with the round counted and the readings kept that it started from."""
    review, later = state.reviews[agent], state.model_copy(update=update)
    before, after = items_of(agent, state), items_of(agent, later)
    doubtful = {doubt.item for doubt in review.doubts}
    counted: Review = review.model_copy(
        update={
            "reexaminations": review.reexaminations + (review.settled != "answered"),
            "readings": {n: r for n, r in readings(before).items() if n in doubtful},
            "unchanged": [(i.name, i.text) for i in before] == [(i.name, i.text) for i in after],
        }
    )
    notes = noted(later, agent, *([note] if note else []))
    return {**update, "notes": notes, "reviews": {**state.reviews, agent: counted}}


def _worse(agent: Reviewed, state: RunState, update: dict[str, Any]) -> str:
    """Why the answer in ``update`` is worse than that in ``state``, or an empty string."""
    later = state.model_copy(update=update)
    before, after = rule_doubts(agent, state), rule_doubts(agent, later)
    if len(after) > len(before):
        new = next(d for d in after if d.reason not in {old.reason for old in before})
        return f"the earlier answer is kept; looking again brought a new doubt: {new.reason}"
    doubtful = {doubt.item for doubt in state.reviews[agent].doubts}
    sure = {item.name for item in items_of(agent, state)} - doubtful
    lost = sure - {item.name for item in items_of(agent, later)}
    if 2 * len(lost) > len(sure):
        return f"the earlier answer is kept; looking again lost {', '.join(sorted(lost))[:200]}"
    return ""
