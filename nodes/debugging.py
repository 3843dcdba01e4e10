"""The two ends of the correction loop: sending the work back, and giving up."""

from typing import Any

from langgraph.runtime import Runtime

from nodes.settings import RunSettings
from state.findings import PERSON, Finding
from state.run_state import RunState


def send_back(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Count the round and hand the open findings to the agent that runs next.

    The code and its checks are dropped, so that no later station takes them for current. What a
    person sent back is no correction round, for it has a count of its own.
    """
    findings = blocking_findings(state)
    update: dict[str, Any] = {"remarks": findings, "code": None, "checks": None}
    if any(finding.check == PERSON for finding in findings):
        return update
    return {**update, "debug_rounds": state.debug_rounds + 1}


def give_up(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Say in plain words why no verified environment came of it."""
    rounds = state.debug_rounds
    tried = (
        "no correction round was allowed"
        if not rounds
        else f"{rounds} correction round" + ("s were made" if rounds > 1 else " was made")
    )
    findings = blocking_findings(state)
    last = f" The first open finding: {findings[0].message}" if findings else ""
    return {
        "status": "unverified",
        "account": f"The generated code never passed its checks; {tried}.{last}",
    }


def blocking_findings(state: RunState) -> list[Finding]:
    """Findings of the latest checks that must be mended before training."""
    return state.checks.blocking if state.checks else []
