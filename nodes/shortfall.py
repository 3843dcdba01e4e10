"""Whether a training that tried all it could shows that the specification is at fault."""

from state.findings import Finding
from state.run_state import RunState
from state.training import Probe

CERTAIN = 2.0
"""Standard errors of a mean difference that are no chance any more."""
NAMES = {"random": "deciding at random", "constant": "always deciding the same",
         "heuristic": "the rule of thumb"}  # fmt: skip
LEAST_ATTEMPTS = 3
"""More than are made side by side at first."""
LEAST = ("random", "constant")
"""What any policy worth having is better than."""


def shortfall(state: RunState) -> Finding | None:
    """What is wrong, with an episode that shows it; None where the policy is good for something.

    Also None where little was tried, or the caller bounded the steps of training: that says
    nothing. It is for the agent that chose what is seen and rewarded.
    """
    if state.training is None or state.plan is None or state.plan.steps is not None:
        return None
    count = len(state.training.attempts)
    if count < LEAST_ATTEMPTS:
        return None
    after = f"After {count} trainings"
    for probe in state.training.probes:
        if probe.policy in LEAST and not _clearly(probe.return_ahead, probe.return_error):
            return _finding(
                probe,
                f"{after} the policy is no better than {NAMES[probe.policy]}: its return is ahead "
                f"by {probe.return_ahead:.4g}, give or take {probe.return_error:.2g}. Either what "
                "has to be known for a good decision is not among what is seen, or the reward does "
                "not tell good decisions from bad ones.",
            )
    sense = 1.0 if state.objective is None or state.objective.sense == "maximize" else -1.0
    for probe in state.training.probes:
        if _serves_less(probe, sense):
            other = NAMES.get(probe.policy, probe.policy)
            return _finding(
                probe,
                f"{after} the policy earns more reward than {other} but serves the objective less: "
                f"the objective's own measure is {abs(probe.objective_ahead or 0.0):.4g} worse in "
                "an episode. The reward does not say what the objective says.",
            )
    return None


def _finding(probe: Probe, message: str) -> Finding:
    return Finding(
        check="training", owner="sar", place="observation and reward", message=message,
        episode=probe.episode,
    )  # fmt: skip


def _clearly(ahead: float, error: float) -> bool:
    return ahead > CERTAIN * error


def _serves_less(probe: Probe, sense: float) -> bool:
    if probe.objective_ahead is None or probe.objective_error is None:
        return False
    worse = _clearly(-sense * probe.objective_ahead, probe.objective_error)
    return worse and _clearly(probe.return_ahead, probe.return_error)
