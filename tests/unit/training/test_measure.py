"""What random actions meet, and how policies are judged, on problems whose values are known."""

from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from numpy.typing import NDArray

from sandbox.training.judge import SELECTION_SEED, ConstantPolicy, episode_returns, some_actions
from sandbox.training.measure import EPISODES, STEPS, measure
from sandbox.training.simulator import plain_maker
from sandbox.training.teacher import RuleTeacher
from tests.unit.training.small_problems import Climb, Matching, Small


class Steady(Small):
    """Pays two at each step, whatever is done."""

    seen, choices = 1, 2
    horizon = 7

    def begin(self) -> None:
        pass

    def act(self, action: int) -> tuple[float, bool]:
        return 2.0, False

    def observation(self) -> NDArray[np.float32]:
        return np.array([self.time_step], dtype=np.float32)


def test_a_steady_reward_has_no_spread_but_a_scale() -> None:
    measured = measure(plain_maker(Steady), 7, 0.0, 0)
    assert measured.mean_reward == 2
    assert measured.reward_scale == 2
    assert set(measured.returns) == {14.0}
    assert len(measured.returns) == EPISODES * (STEPS // EPISODES // 7)
    assert measured.observations.shape == (STEPS, 1)
    assert set(measured.observations[:, 0]) == set(range(7))


def test_arrival_is_rare_where_nearly_all_episodes_earn_the_same() -> None:
    assert measure(plain_maker(Steady), 7, 0.9, 0).arrives_rarely
    assert not measure(plain_maker(Climb), 5, 0.9, 0).arrives_rarely
    assert not measure(plain_maker(Matching), 10, 0.9, 0).arrives_rarely


def test_the_scale_is_the_spread_of_the_discounted_return() -> None:
    sums = np.cumsum(2 * 0.5 ** np.arange(7))
    steps = np.tile(sums, STEPS)[: STEPS // EPISODES]
    measured = measure(plain_maker(Steady), 7, 0.5, 0)
    assert measured.reward_scale == pytest.approx(steps.std())


def test_chance_is_what_random_actions_earn() -> None:
    measured = measure(plain_maker(Matching), 10, 0.0, 3)
    assert measured.mean_reward == pytest.approx(1 / 3, abs=0.04)
    assert measured.returns.mean() == pytest.approx(10 / 3, abs=0.4)
    assert measured.step_seconds > 0


def test_the_same_seed_measures_the_same() -> None:
    one, other = (measure(plain_maker(Climb), 5, 0.9, 3) for _ in range(2))
    np.testing.assert_array_equal(one.observations, other.observations)
    assert one.reward_scale == other.reward_scale


def test_one_long_episode_is_waited_for() -> None:
    class Long(Steady):
        horizon = 300

    measured = measure(plain_maker(Long), 300, 0.0, 0)
    assert measured.returns.tolist() == [600.0] * EPISODES


def test_returns_are_undiscounted_and_end_with_the_episode() -> None:
    simulator = plain_maker(Climb)(3)
    always = ConstantPolicy(np.array(1))
    assert episode_returns(always, simulator, 5).tolist() == [1 + 2 + 3] * 3
    assert episode_returns(always, simulator, 2).tolist() == [1 + 2] * 3
    assert episode_returns(ConstantPolicy(np.array(0)), simulator, 5).tolist() == [0] * 3


def test_policies_are_told_how_many_decisions_were_taken() -> None:
    class Late:
        def actions(
            self, observations: NDArray[np.float32], time_steps: NDArray[np.int64]
        ) -> NDArray[Any]:
            return (time_steps >= 3).astype(int)

    assert episode_returns(Late(), plain_maker(Climb)(2), 5).tolist() == [1 + 2] * 2


def test_the_same_seeds_are_met_whoever_plays() -> None:
    simulator = plain_maker(Matching)(4)
    policy = ConstantPolicy(np.array(1))
    first = episode_returns(policy, simulator, 10)
    episode_returns(ConstantPolicy(np.array(2)), simulator, 10, seed=3)
    assert episode_returns(policy, simulator, 10).tolist() == first.tolist()
    own = []
    for k in range(4):
        environment = Matching()
        environment.reset(seed=SELECTION_SEED + k)
        own.append(sum(environment.step(1)[1] for _ in range(10)))
    assert own == first.tolist()


def test_the_perfect_rule_is_perfect() -> None:
    rule = RuleTeacher(lambda seen: int(seen[0]))
    assert episode_returns(rule, plain_maker(Matching)(3), 10).tolist() == [10] * 3


@pytest.mark.parametrize(
    ("space", "actions"),
    [
        (spaces.Discrete(3, start=1), [1, 2, 3]),
        (spaces.MultiDiscrete([3, 9], start=[0, 1]), [[0, 1], [1, 5], [2, 9]]),
        (spaces.Box(0, 10, (2,)), [[0, 0], [5, 5], [10, 10]]),
    ],
)
def test_constant_actions_go_from_end_to_end(space: spaces.Space[Any], actions: list[Any]) -> None:
    found = some_actions(space)
    assert [action.tolist() for action in found] == actions
    assert all(space.contains(action) for action in found)


def test_of_many_choices_some_are_tried() -> None:
    numbers = [int(action) for action in some_actions(spaces.Discrete(1000))]
    assert len(numbers) == 16
    assert (numbers[0], numbers[-1]) == (0, 999)
