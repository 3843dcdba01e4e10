"""Where a run goes next: pure functions of the state and the allowed number of rounds."""

from typing import Literal

from langgraph.runtime import Runtime

from graph.context import RunContext
from state.findings import Owner
from state.run_state import RunState

Mender = Literal["modeling", "sar", "environment", "coding"]

# A finding goes to the agent whose piece holds the expression that is wrong. The pieces before
# the model are words and numbers only: what is wrong with them is mended where they are used.
MENDERS: dict[Owner, Mender] = {
    "parameter": "modeling",
    "objective": "modeling",
    "variable": "modeling",
    "constraint": "modeling",
    "modeling": "modeling",
    "sar": "sar",
    "environment": "environment",
    "coding": "coding",
    "training": "coding",
}


def after_modeling(state: RunState) -> Literal["sar", "coding"]:
    """On the first pass to the next agent; in a correction round straight to the code."""
    return "coding" if state.debug_rounds else "sar"


def after_sar(state: RunState) -> Literal["environment", "coding"]:
    """On the first pass to the next agent; in a correction round straight to the code."""
    return "coding" if state.debug_rounds else "environment"


def after_coding(
    state: RunState, runtime: Runtime[RunContext]
) -> Literal["executor", "send_back", "give_up"]:
    """Code that was made is checked; a specification that makes none is a failed check."""
    return "executor" if state.code is not None else _correct(state, runtime)


def after_executor(
    state: RunState, runtime: Runtime[RunContext]
) -> Literal["heuristic", "send_back", "give_up"]:
    """Go on with what passed its checks; send back what did not while rounds are left."""
    passed = state.checks is not None and state.checks.clean
    return "heuristic" if passed else _correct(state, runtime)


def after_send_back(state: RunState) -> Mender:
    """To the agent that can mend the first open finding."""
    owners: list[Owner] = [finding.owner for finding in state.remarks if finding.blocking]
    return MENDERS[owners[0]] if owners else "coding"


def after_train(state: RunState) -> Literal["evaluate", "report"]:
    """A training that left no policy has nothing to evaluate."""
    return "evaluate" if state.training is not None else "report"


def _correct(state: RunState, runtime: Runtime[RunContext]) -> Literal["send_back", "give_up"]:
    max_debug = (runtime.context or RunContext()).max_debug
    return "send_back" if state.debug_rounds < max_debug else "give_up"
