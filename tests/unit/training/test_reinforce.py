"""Learners of Stable-Baselines3 as they are set up here."""

from typing import Any

import numpy as np
import pytest
import torch

from sandbox.training.actions import ActionCoding
from sandbox.training.exploration import PersistentDQN
from sandbox.training.features import Features, Scaling
from sandbox.training.reinforce import decaying, is_finite, make_model
from sandbox.training.simulator import plain_maker
from sandbox.training.vector_environment import SimulatorVecEnv
from tests.unit.training.small_problems import Climb


def model_of(
    algorithm: str,
    *,
    persistent: bool = True,
    discount: float = 0.9,
    settings: dict[str, float] | None = None,
) -> Any:
    simulator = plain_maker(Climb)(4)
    coding = ActionCoding(simulator.action_space)
    environments = SimulatorVecEnv(simulator, Features(Scaling.off(2)), coding, seed=0)
    return make_model(
        algorithm, environments,
        discount=discount, total_timesteps=4000, seed=1, persistent=persistent,
        settings=settings,
    )  # fmt: skip


def random_runs(model: PersistentDQN, share: float, steps: int = 3000) -> list[list[int]]:
    """Actions of each of four episodes, of which a share is random; else action 0 is taken."""
    model.exploration_rate = share
    model.num_timesteps = 2000
    model._last_obs = np.zeros((4, 2), dtype=np.float32)
    model.predict = lambda *seen, **named: (np.full(4, -1), None)  # type: ignore[method-assign]
    taken = [model._sample_action(0, None, 4)[0] for _ in range(steps)]
    rows: list[list[int]] = np.array(taken).T.tolist()
    return rows


def mean_run(actions: list[int]) -> float:
    """Mean length of unbroken runs of random actions."""
    marks = "".join("r" if action >= 0 else " " for action in actions)
    return float(np.mean([len(run) for run in marks.split()]))


@pytest.mark.parametrize("persistent", [True, False])
@pytest.mark.parametrize("method", ["dqn", "qr-dqn"])
def test_the_share_of_random_actions_is_as_asked(method: str, persistent: bool) -> None:
    rows = random_runs(model_of(method, persistent=persistent), 0.2)
    assert np.mean(np.array(rows) >= 0) == pytest.approx(0.2, abs=0.04)


def test_random_actions_are_kept_up_on_request() -> None:
    kept = np.mean([mean_run(row) for row in random_runs(model_of("dqn"), 0.1)])
    plain = np.mean([mean_run(row) for row in random_runs(model_of("dqn", persistent=False), 0.1)])
    now = np.mean([mean_run(row) for row in random_runs(model_of("dqn", discount=0.0), 0.1)])
    assert kept > 2
    assert plain < 1.3
    assert now < 1.3


def test_the_learning_rate_falls_to_its_least() -> None:
    rate = decaying(0.1, 0.25)
    assert [rate(remaining) for remaining in (1.0, 0.5, 0.1, 0.0)] == [0.1, 0.05, 0.025, 0.025]


def test_numbers_are_as_asked() -> None:
    asked = {"learning_rate": 0.01, "width": 32, "exploration": 0.02}
    ppo, dqn = model_of("ppo", settings=asked), model_of("dqn", settings=asked)
    assert ppo.lr_schedule(1.0) == dqn.lr_schedule(1.0) == 0.01
    assert (ppo.ent_coef, dqn.exploration_fraction) == (0.02, 0.02)
    assert ppo.policy.mlp_extractor.policy_net[0].out_features == 32


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_out_of_hand_are_seen(value: float) -> None:
    network = torch.nn.Linear(2, 2)
    assert is_finite(network)
    with torch.no_grad():
        network.weight[0, 1] = value
    assert not is_finite(network)


def test_an_unknown_algorithm_is_named() -> None:
    with pytest.raises(ValueError, match="no algorithm 'a2c'"):
        model_of("a2c")
