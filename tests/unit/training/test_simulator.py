"""Episodes side by side: none begins anew by itself, and copies go their own way."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given
from hypothesis import strategies as st

from sandbox.training.environments import make_environment
from sandbox.training.simulator import (
    BatchedSimulator,
    PlainSimulator,
    batched_maker,
    plain_maker,
    random_actions,
)
from tests.unit.training.small_problems import Climb


def climbing(count: int) -> PlainSimulator:
    simulator = plain_maker(Climb)(count)
    assert isinstance(simulator, PlainSimulator)
    return simulator


def time_of(simulator: PlainSimulator, place: int) -> Any:
    return simulator.environments[place].get_wrapper_attr("time_step")


def test_each_episode_takes_its_own_action() -> None:
    simulator = climbing(3)
    assert simulator.reset(4)[:, 0].tolist() == [0, 0, 0]
    simulator.step(np.array([1, 0, 1]))
    step = simulator.step(np.array([1, 1, 0]))
    assert step.observations[:, 0].tolist() == [2, 1, 1]
    assert step.observations.dtype == np.float32
    assert step.rewards.tolist() == [2, 1, 1]
    assert not step.terminated.any()
    assert not step.truncated.any()


def test_what_has_ended_is_not_stepped() -> None:
    simulator = climbing(2)
    simulator.reset(0)
    for _ in range(2):
        simulator.step(np.array([1, 0]))
    ended = simulator.step(np.array([1, 0]))
    assert (ended.rewards[0], ended.terminated[0], ended.truncated[0]) == (3, True, False)
    for _ in range(3):
        after = simulator.step(np.array([1, 0]))
        assert (after.rewards[0], after.terminated[0], after.truncated[0]) == (0, True, False)
        assert after.observations[0].tolist() == ended.observations[0].tolist()
    assert time_of(simulator, 0) == 3
    assert after.truncated.tolist() == [False, True]
    assert time_of(simulator, 1) == 5


def test_only_the_named_places_begin_anew() -> None:
    simulator = climbing(3)
    simulator.reset(0)
    for _ in range(3):
        simulator.step(np.array([1, 1, 0]))
    seen = simulator.restart(np.array([0]))
    assert seen.shape == (1, 2)
    assert seen[0, 0] == 0
    step = simulator.step(np.array([1, 1, 1]))
    assert step.observations[:, 0].tolist() == [1, 3, 1]
    assert step.terminated.tolist() == [False, True, False]


def test_a_reset_begins_all_anew_and_the_same_seed_the_same() -> None:
    simulator = climbing(2)
    first = simulator.reset(7)
    again = [simulator.step(np.array([1, 1])).observations for _ in range(3)]
    np.testing.assert_array_equal(simulator.reset(7), first)
    for seen in again:
        np.testing.assert_array_equal(simulator.step(np.array([1, 1])).observations, seen)
    assert len({*first[:, 1], *simulator.reset(9)[:, 1]}) == 4
    # Episode k begins from seed + k, wherever it stands.
    np.testing.assert_array_equal(simulator.reset(8)[0], first[1])


def test_copies_are_in_the_same_state_with_other_chances() -> None:
    simulator = climbing(2)
    simulator.reset(1)
    for _ in range(2):
        simulator.step(np.array([1, 0]))
    copies = simulator.copies(np.array([0, 0, 1]))
    copied = copies.step(np.array([0, 0, 0]))
    own = simulator.step(np.array([0, 0]))
    assert copied.observations[:, 0].tolist() == [2, 2, 0]
    draws = [*copied.observations[:, 1], *own.observations[:, 1]]
    assert len(set(draws)) == 5
    # What happens to copies leaves the originals alone, and the other way round.
    copies.step(np.array([1, 1, 1]))
    assert simulator.step(np.array([1, 0])).observations[:, 0].tolist() == [3, 0]


def test_originals_go_on_as_if_never_copied() -> None:
    simulator, other = climbing(1), climbing(1)
    simulator.reset(1)
    other.reset(1)
    simulator.copies(np.array([0])).step(np.array([1]))
    for _ in range(4):
        mine, theirs = simulator.step(np.array([0])), other.step(np.array([0]))
        np.testing.assert_array_equal(mine.observations, theirs.observations)


def test_copies_of_what_has_ended_have_ended() -> None:
    simulator = climbing(1)
    simulator.reset(0)
    for _ in range(3):
        simulator.step(np.array([1]))
    step = simulator.copies(np.array([0, 0])).step(np.array([1, 1]))
    assert step.terminated.tolist() == [True, True]
    assert step.rewards.tolist() == [0, 0]


def test_a_part_goes_on_at_other_places() -> None:
    simulator = climbing(3)
    simulator.reset(1)
    for _ in range(2):
        simulator.step(np.array([1, 0, 0]))
    ahead = simulator.copies(np.array([0, 0]))
    for _ in range(2):
        ahead.step(np.array([1, 0]))
    simulator.put(np.array([2]), ahead.part(np.array([0])))
    step = simulator.step(np.array([0, 1, 1]))
    assert step.observations[:, 0].tolist() == [2, 1, 3]
    assert step.terminated.tolist() == [False, False, True]
    assert step.rewards[2] == 0


def test_standard_environments_can_be_copied_with_their_wrappers() -> None:
    simulator = plain_maker(lambda: make_environment("MountainCar-v0"))(1)
    simulator.reset(3)
    for _ in range(198):
        simulator.step(np.array([1]))
    copies = simulator.copies(np.array([0]))
    assert not copies.step(np.array([1])).truncated[0]
    assert copies.step(np.array([1])).truncated[0]
    assert not simulator.step(np.array([1])).truncated[0]


class CountingBatch:
    """A batched environment in the least form that the simulator needs."""

    action_space = spaces.Discrete(2)
    observation_space = spaces.Box(0, 9, (1,))

    def __init__(self, size: int) -> None:
        self.size = size
        self.place = np.zeros(size)

    def reset(self, seed: int) -> Any:
        self.place = np.full(self.size, float(seed))
        return self.place[:, None].astype(np.float32)

    def step(self, actions: Any) -> tuple[Any, ...]:
        self.place = self.place + actions
        over = self.place >= 3
        return self.place[:, None].astype(np.float32), self.place, over, ~over

    def restart(self, which: Any) -> Any:
        self.place[which] = 0.0
        return self.place[which, None].astype(np.float32)

    def copies(self, which: Any) -> "CountingBatch":
        return self.part(which)

    def part(self, which: Any) -> "CountingBatch":
        other = CountingBatch(len(which))
        other.place = self.place[which]
        return other

    def put(self, which: Any, others: "CountingBatch") -> None:
        self.place[which] = others.place


def test_the_batched_form_is_passed_through() -> None:
    simulator = batched_maker(CountingBatch)(2)
    assert isinstance(simulator, BatchedSimulator)
    assert simulator.size == 2
    assert simulator.reset(1).tolist() == [[1], [1]]
    step = simulator.step([1, 2])
    assert step.observations.tolist() == [[2], [3]]
    assert step.rewards.tolist() == [2, 3]
    assert step.terminated.tolist() == [False, True]
    assert step.truncated.tolist() == [True, False]
    copies = simulator.copies(np.array([1, 0, 0]))
    assert copies.size == 3
    assert copies.step(np.zeros(3)).rewards.tolist() == [3, 2, 2]
    assert simulator.restart(np.array([1])).tolist() == [[0]]
    simulator.put(np.array([1]), copies.part(np.array([0])))
    assert simulator.step([0, 0]).rewards.tolist() == [2, 3]


SPACES = [
    spaces.Discrete(4, start=-2),
    spaces.MultiDiscrete([2, 5], start=[1, 0]),
    spaces.Box(np.array([-1, 5], np.float32), np.array([0, 7], np.float32)),
]


@given(st.sampled_from(SPACES), st.integers(0, 2**32))
def test_random_actions_are_allowed(space: spaces.Space[Any], seed: int) -> None:
    actions = random_actions(space, 50, np.random.default_rng(seed))
    assert len(actions) == 50
    assert all(space.contains(action) for action in actions)


def test_random_actions_meet_every_choice() -> None:
    random = np.random.default_rng(0)
    assert set(random_actions(SPACES[0], 200, random).tolist()) == {-2, -1, 0, 1}
    drawn = random_actions(SPACES[1], 300, random)
    assert {tuple(row) for row in drawn.tolist()} == {(a, b) for a in (1, 2) for b in range(5)}


def test_other_action_spaces_are_refused() -> None:
    with pytest.raises(gymnasium.error.Error, match="no random actions for Text"):
        random_actions(spaces.Text(3), 1, np.random.default_rng(0))
