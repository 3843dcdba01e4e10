"""Policies to compare with: greedy without foresight, intervals, episodes on given seeds."""

import shutil
import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from sandbox.programs.bootstrap import mean_interval
from sandbox.programs.episodes import run_episodes
from sandbox.programs.greedy import SAMPLES, OneStepGreedy, samples_needed
from sandbox.programs.policies import ConstantPolicy, RandomPolicy, all_actions
from sandbox.programs.remote import Ahead
from sandbox.programs.shooting import Shooting
from tests.unit.hosted import episodes, hosted

ENVIRONMENTS = Path(__file__).parent.parent / "environments"


class Guessing(gymnasium.Env[Any, Any]):
    """Guess one of three coins; which one lies heads up is drawn only after the guess."""

    observation_space = spaces.Box(0, 1, (1,), np.float32)

    def __init__(self, space: spaces.Space[Any]) -> None:
        self.action_space = space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.target = self.np_random.integers(2, 5, size=3)
        return np.zeros(1, np.float32), {}

    def step(self, action: Any) -> Any:
        heads = int(self.np_random.integers(3))
        distance = np.abs(np.asarray(action, dtype=float) - self.target).sum()
        reward = float(action == heads) if np.ndim(action) == 0 else -float(distance)
        return np.zeros(1, np.float32), reward, False, True, {}


def test_greedy_knows_nothing_that_is_yet_to_be_drawn() -> None:
    environments = hosted(lambda: Guessing(spaces.Discrete(3)))
    policy = OneStepGreedy(environments, spaces.Discrete(3), seed=0, samples=SAMPLES)
    guessed = run_episodes(environments, policy, list(range(400)), 0.0, 400).returns
    assert 0.25 < np.mean(guessed) < 0.42


def greedy_action(guessing: Guessing, space: spaces.Space[Any], samples: int, seed: int = 0) -> Any:
    """The greedy action where an episode of ``guessing`` with the seed 4 begins."""
    environments = hosted(lambda: guessing)
    (number,) = environments.begin([4]).numbers
    policy = OneStepGreedy(environments, space, seed, samples)
    return policy.act([environments.one(number)], np.zeros((1, 1), np.float32), 0)[0]


@pytest.mark.parametrize(
    "space",
    [
        spaces.MultiDiscrete([6, 7, 31]),
        spaces.MultiDiscrete([5, 5, 2]),
        spaces.Box(0, 10, (3,), np.float32),
    ],
    ids=["swept", "listed", "sampled"],
)
def test_greedy_searches_every_kind_of_space(space: spaces.Space[Any]) -> None:
    guessing = Guessing(space)
    actions = [greedy_action(guessing, space, 1, seed) for seed in range(5)]
    nearest = np.minimum(guessing.target, [9, 9, 1 if space.shape == (3,) and
        all_actions(space) else 9])  # fmt: skip
    assert np.abs(np.array(actions, dtype=float) - nearest).sum(axis=1).mean() < 2.0
    assert all(space.contains(action) for action in actions)


def test_looking_ahead_leaves_the_environment_alone() -> None:
    guessing = Guessing(spaces.Discrete(3))
    guessing.reset(seed=4)
    before = guessing.np_random.bit_generator.state
    greedy_action(guessing, spaces.Discrete(3), 4)
    assert guessing.np_random.bit_generator.state == before


class Saving(gymnasium.Env[Any, Any]):
    """Taking pays 1 at once; what is saved pays 3 four steps later, if still there is a step."""

    action_space = spaces.Discrete(2)
    observation_space = spaces.Box(0, 1, (1,), np.float32)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.saved = [0] * 4
        self.steps = 0
        return np.zeros(1, np.float32), {}

    def step(self, action: Any) -> Any:
        *self.saved, due = [int(action), *self.saved]
        self.steps += 1
        return np.zeros(1, np.float32), 3.0 * due + 1 - action, False, self.steps == 30, {}


def test_planning_sees_what_comes_later() -> None:
    environments = hosted(Saving)
    greedy = OneStepGreedy(environments, Saving.action_space, 0, 1)
    planner = Shooting(environments, Saving.action_space, 0, 1)
    returns = [
        run_episodes(environments, policy, list(range(4)), 0.0, 4).returns
        for policy in (greedy, planner)
    ]
    assert returns[0] == [30.0] * 4
    # At best 26 are saved and 4 taken.
    assert all(65 <= one <= 82 for one in returns[1])


def test_looking_further_leaves_the_environment_alone() -> None:
    guessing = Guessing(spaces.Discrete(3))
    environments = hosted(lambda: guessing)
    (number,) = environments.begin([4]).numbers
    before = guessing.np_random.bit_generator.state
    plans = np.array([[0, 0], [1, 2], [2, 1]])
    (returns,) = environments.look_further([Ahead(number, plans, [1, 1, 2, 3, 4, 5])])
    assert returns.shape == (3, 6)
    assert np.array_equal(returns[:, 0], returns[:, 1])
    # An episode ends with its first step, and one of the three coins is the right one.
    assert np.array_equal(returns.sum(axis=0), np.ones(6))
    assert guessing.np_random.bit_generator.state == before


def test_certain_rewards_need_one_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert samples_needed(hosted(lambda: Guessing(spaces.Discrete(3))), 0) == SAMPLES
    shutil.copy(ENVIRONMENTS / "scheduling" / "environment.py", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert samples_needed(episodes(), 0) == 1


def test_episodes_depend_on_their_seeds_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(ENVIRONMENTS / "scheduling" / "environment.py", tmp_path)
    monkeypatch.chdir(tmp_path)
    far = time.monotonic() + 60
    together = run_episodes(episodes(), ConstantPolicy(0), list(range(7)), far, 1)
    apart = run_episodes(episodes(), ConstantPolicy(0), list(range(7)), far, 1, side_by_side=1)
    assert together == apart
    assert together.lengths == [100] * 7
    assert together.objectives == pytest.approx(together.returns)


def test_episodes_stop_in_time_but_not_before_the_least() -> None:
    past = time.monotonic() - 1
    policy = RandomPolicy(spaces.Discrete(2), 0)
    done = run_episodes(episodes("CartPole-v1"), policy, list(range(10)), past, 4, side_by_side=2)
    assert len(done.returns) == 4
    assert done.objectives == []


def test_interval_covers_the_mean_about_as_often_as_it_says() -> None:
    random = np.random.default_rng(0)
    hits = 0
    for k in range(200):
        mean, low, high = mean_interval(random.normal(3.0, 2.0, size=40).tolist(), seed=k)
        assert low <= mean <= high
        hits += low <= 3.0 <= high
    assert 0.88 < hits / 200 < 0.99
    assert mean_interval([5.0] * 30) == (5.0, 5.0, 5.0)
