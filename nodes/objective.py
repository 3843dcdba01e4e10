"""Objective agent: what the decision maker wants (paper, section 3.2)."""

from typing import Any

from langgraph.runtime import Runtime

from nodes.agent import ask, noted
from nodes.grounding import is_quoted
from nodes.settings import RunSettings
from state.objective import Objective
from state.run_state import RunState


def objective(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Extract the objective with the words that state it."""

    def check(answer: Objective) -> list[str]:
        if answer.assumed.strip() or is_quoted(answer.quote, state.description):
            return []
        return [f"the quote {answer.quote[:60]!r} is not in the description"]

    answer = ask("objective", Objective, state, runtime, check=check, max_output_tokens=500)
    value, notes = answer.value, []
    if answer.complaints:
        reason = "the model gave no exact words of the description for it"
        value = value.model_copy(update={"quote": "", "assumed": reason})
        notes.append(f"{value.statement} ({reason})")
    return {"objective": value, "calls": answer.calls, "notes": noted(state, "objective", *notes)}
