"""Teachers: a rule, and looking ahead along every first action."""

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sandbox.training.actions import ActionCoding
from sandbox.training.judge import ConstantPolicy, episode_returns
from sandbox.training.simulator import PlainSimulator, plain_maker
from sandbox.training.teachers import LookaheadTeacher, RuleTeacher
from tests.unit.training.small_problems import Climb, Matching, OneDraw

NEVER, ALWAYS = (ConstantPolicy(np.array(k)) for k in (0, 1))


def looking_ahead(policy: Any, depth: int, choices: int = 2, **named: Any) -> LookaheadTeacher:
    settings = {"samples": 1, "discount": 1.0, **named}
    return LookaheadTeacher(policy, ActionCoding(spaces.Discrete(choices)), depth=depth, **settings)


def at_places(places: list[int]) -> tuple[PlainSimulator, NDArray[Any], NDArray[np.int64]]:
    """``Climb`` at these places, two steps in."""
    simulator = plain_maker(Climb)(len(places))
    assert isinstance(simulator, PlainSimulator)
    simulator.reset(0)
    for k in range(2):
        seen = simulator.step(np.array([int(k < place) for place in places])).observations
    return simulator, seen, np.full(len(places), 2)


def test_a_rule_sees_one_observation_at_a_time() -> None:
    rule = RuleTeacher(lambda seen: [int(seen[0]), 2])
    seen = np.array([[1.0], [4]], dtype=np.float32)
    labels = rule.labels(plain_maker(Matching)(2), seen, np.zeros(2, dtype=np.int64))
    assert labels.tolist() == [[1, 2], [4, 2]]


def test_the_first_action_is_weighed_by_what_comes_of_it() -> None:
    """Three steps are left. From place 2, staying pays 2 + 2 + 2, the top pays 3 and ends."""
    simulator, seen, times = at_places([0, 1, 2])
    labels = looking_ahead(NEVER, 5).labels(simulator, seen, times)
    assert labels.tolist() == [1, 1, 0]
    # Followed by climbing on, from place 1: 1 + 2 + 3 after staying, 2 + 3 after climbing.
    labels = looking_ahead(ALWAYS, 5).labels(simulator, seen, times)
    assert labels.tolist() == [1, 0, 0]


def test_how_far_it_looks_and_how_later_rewards_count() -> None:
    simulator, seen, times = at_places([2])
    assert looking_ahead(NEVER, 1).labels(simulator, seen, times).tolist() == [1]
    assert looking_ahead(NEVER, 2).labels(simulator, seen, times).tolist() == [0]
    assert looking_ahead(NEVER, 2, discount=0.4).labels(simulator, seen, times).tolist() == [1]


def test_looking_ahead_changes_nothing_of_the_present() -> None:
    simulator, seen, times = at_places([0, 1])
    looking_ahead(NEVER, 5, samples=3).labels(simulator, seen, times)
    assert simulator.step(np.array([0, 0])).observations[:, 0].tolist() == [0, 1]


def test_the_own_action_is_kept_where_none_is_better() -> None:
    class Aimless(Climb):
        def act(self, action: int) -> tuple[float, bool]:
            return 0.0, False

    simulator = plain_maker(Aimless)(3)
    seen = simulator.reset(0)
    labels = looking_ahead(ALWAYS, 5).labels(simulator, seen, np.zeros(3, dtype=np.int64))
    assert labels.tolist() == [1, 1, 1]


def test_looking_ahead_is_better_than_what_it_follows() -> None:
    """Also among many chances: never ordering, which earns nothing, is improved on."""
    make = plain_maker(OneDraw)
    teacher = looking_ahead(NEVER, 10, choices=4, samples=8)
    simulator = make(20)

    class Teaching:
        def actions(self, seen: NDArray[Any], time_steps: NDArray[np.int64]) -> NDArray[Any]:
            return teacher.labels(simulator, seen, time_steps)

    assert episode_returns(NEVER, make(20), 10).mean() == 0
    earned = episode_returns(Teaching(), simulator, 10)
    assert earned.mean() > 5 * earned.std() / np.sqrt(20) > 0
