"""Reconsider: what training came to is held against the specification, once, with the evidence."""

from typing import Any

from langgraph.runtime import Runtime

from nodes.settings import RunSettings
from nodes.shortfall import shortfall
from state.run_state import RunState


def reconsider(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Count the round and hand the evidence to the agent that chose what is seen and rewarded.

    The code and its checks are dropped, so that no later station takes them for current.
    """
    found = shortfall(state)
    told = [found] if found else []
    return {
        "training_rounds": state.training_rounds + 1,
        "remarks": told,
        "code": None,
        "checks": None,
        "notes": [*state.notes, *(f"training: {finding.message}" for finding in told)],
    }
