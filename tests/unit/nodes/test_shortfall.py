"""What training came to, held against the specification."""

import pytest
from langgraph.runtime import Runtime

from nodes.reconsider import reconsider
from nodes.settings import RunSettings
from nodes.shortfall import shortfall
from state.artefacts import CodeArtefacts
from state.objective import Objective
from state.run_state import RunState
from state.training import AttemptRecord, Probe, TrainingPlan, TrainingRecord

EPISODE = ["Under the trained policy:", "step 1: action 0, reward 1"]
PLAN = TrainingPlan(discount=0.9, time_budget=10)


def trained(
    *probes: Probe, sense: str = "maximize", steps: int | None = None, attempts: int = 3
) -> RunState:
    one = AttemptRecord(
        method="dqn", timesteps=1, seconds=1, stopped_because="converged", best_evaluation=1
    )
    record = TrainingRecord(**one.model_dump(), attempts=[one] * attempts, probes=list(probes))
    goal = Objective.model_validate(
        {"sense": sense, "statement": "s", "measure": "m", "quote": "", "assumed": "a test"}
    )
    return RunState(
        description="d", training=record, objective=goal, code=CodeArtefacts(),
        plan=PLAN.model_copy(update={"steps": steps}),
    )  # fmt: skip


def probe(policy: str, ahead: float, objective: float | None = None) -> Probe:
    error = None if objective is None else 1.0
    return Probe(
        policy=policy, return_ahead=ahead, return_error=1.0, objective_ahead=objective,
        objective_error=error, episode=EPISODE,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("policy", "ahead", "said"),
    [
        ("random", 0.0, "no better than deciding at random"),
        ("random", 1.9, "no better than deciding at random"),
        ("constant", -5.0, "no better than always deciding the same"),
        ("random", 2.1, ""),
        ("heuristic", -5.0, ""),
    ],
)
def test_what_is_no_better_than_chance_is_said(policy: str, ahead: float, said: str) -> None:
    found = shortfall(trained(probe(policy, ahead)))
    assert (found is not None) is bool(said)
    assert found is None or found.message.startswith(f"After 3 trainings the policy is {said}")


@pytest.mark.parametrize(
    ("sense", "objective", "wrong"),
    [
        ("maximize", -9.0, True),
        ("maximize", 9.0, False),
        ("minimize", 9.0, True),
        ("minimize", -9.0, False),
        ("maximize", -1.0, False),
    ],
)
def test_a_reward_that_does_not_say_what_the_objective_says(
    sense: str, objective: float, wrong: bool
) -> None:
    found = shortfall(trained(probe("random", 50.0, objective), sense=sense))
    assert (found is not None) is wrong
    assert found is None or "serves the objective less" in found.message


def test_a_training_cut_short_shows_nothing() -> None:
    assert shortfall(trained(probe("random", 0.0), steps=10)) is None
    assert shortfall(trained(probe("random", 0.0), attempts=2)) is None


def test_the_evidence_is_handed_to_the_agent_once() -> None:
    state = trained(probe("random", 0.0))
    update = reconsider(state, Runtime(context=RunSettings()))
    after = RunState.model_validate({**dict(state), **update})
    assert after.training_rounds == 1
    assert (after.code, after.checks) == (None, None)
    assert [(f.owner, f.blocking) for f in after.remarks] == [("sar", True)]
    assert after.remarks[0].message in after.notes[-1]
    assert after.remarks[0].episode == EPISODE
