"""Constraint agent: what must always hold (paper, section 3.2)."""

from typing import Any

from langgraph.runtime import Runtime

from nodes.agent import ask, noted
from nodes.grounding import is_quoted
from nodes.settings import RunSettings
from state.constraints import Constraint, ConstraintList
from state.run_state import RunState


def constraint(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Extract the constraints; what the description does not say is not one."""
    text = state.description

    def check(answer: ConstraintList) -> list[str]:
        return [
            f"{c.name}: the quote {c.quote[:60]!r} is not in the description; if the description "
            "does not say it, leave it out"
            for c in answer.constraints
            if not borne_out(c, text)
        ]

    answer = ask("constraint", ConstraintList, state, runtime, check=check, max_output_tokens=1500)
    kept: dict[str, Constraint] = {}
    notes = []
    for c in answer.value.constraints:
        if borne_out(c, text):
            kept.setdefault(c.name, c)
        else:
            notes.append(f"dropped {c.name}: the description does not say it")
    return {
        "constraints": list(kept.values()),
        "calls": answer.calls,
        "notes": noted(state, "constraint", *notes),
    }


def borne_out(constraint: Constraint, description: str) -> bool:
    """True if it is quoted from the description or openly assumed."""
    return bool(constraint.assumed.strip()) or is_quoted(constraint.quote, description)
