"""Actions of the environment to a learner's answers, and back."""

from typing import Any

import numpy as np
from gymnasium import spaces
from hypothesis import given
from hypothesis import strategies as st

from sandbox.training.actions import FLAT_ACTIONS, ActionCoding

SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=5)
SEEDS = st.integers(0, 2**32)


def there_and_back(own: spaces.Space[Any], seed: int) -> tuple[np.ndarray, np.ndarray]:
    own.seed(seed)
    actions = np.stack([np.asarray(own.sample()) for _ in range(20)])
    coding = ActionCoding(own)
    answers = coding.from_own(actions)
    # Plain contains() is strict about types, which are the learner's business.
    inside = [coding.space.contains(np.asarray(a, coding.space.dtype)) for a in answers]
    assert all(inside)
    back = coding.to_own(answers)
    assert all(own.contains(action) for action in back)
    return actions, back


@given(st.integers(1, 50), st.integers(-20, 20), SEEDS)
def test_single_choices(count: int, start: int, seed: int) -> None:
    actions, back = there_and_back(spaces.Discrete(count, start=start), seed)
    np.testing.assert_array_equal(back, actions)


@given(SIZES, SEEDS, st.integers(-3, 3))
def test_several_choices(sizes: list[int], seed: int, start: int) -> None:
    own = spaces.MultiDiscrete(sizes, start=[start] * len(sizes))
    actions, back = there_and_back(own, seed)
    np.testing.assert_array_equal(back, actions)
    assert ActionCoding(own).flattened is (np.prod(sizes) <= FLAT_ACTIONS)


@given(st.lists(st.tuples(st.floats(-1e4, 1e4), st.floats(0, 1e4)), min_size=1, max_size=4), SEEDS)
def test_real_numbers(ranges: list[tuple[float, float]], seed: int) -> None:
    low = np.array([start for start, _ in ranges], dtype=np.float32)
    high = np.array([start + width for start, width in ranges], dtype=np.float32)
    actions, back = there_and_back(spaces.Box(low, high), seed)
    np.testing.assert_allclose(back, actions, rtol=1e-5, atol=1e-2)


@given(st.integers(-100, 100), st.integers(1, 100), SEEDS)
def test_whole_numbers_of_a_box(low: int, width: int, seed: int) -> None:
    own = spaces.Box(low, low + width, (3,), np.int64)
    actions, back = there_and_back(own, seed)
    np.testing.assert_array_equal(back, actions)


def test_joint_choices_are_numbered_in_order() -> None:
    coding = ActionCoding(spaces.MultiDiscrete([2, 3]))
    assert coding.choices == 6
    joint = [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    assert coding.to_own(np.arange(6)).tolist() == joint
    assert coding.from_own(np.array(joint)).tolist() == list(range(6))


def test_too_many_joint_choices_stay_apart() -> None:
    coding = ActionCoding(spaces.MultiDiscrete([9, 9]))
    assert coding.choices == 0
    assert coding.space == spaces.MultiDiscrete([9, 9])
    assert coding.to_own(np.array([[8, 1]])).tolist() == [[8, 1]]


def test_answers_beyond_a_box_are_brought_back() -> None:
    coding = ActionCoding(spaces.Box(np.array([0, -4], np.float32), np.array([10, -2], np.float32)))
    assert coding.choices == 0
    assert coding.to_own(np.array([[-1.0, 1], [0, 0], [-9, 9]])).tolist() == [
        [0, -2],
        [5, -3],
        [0, -2],
    ]
    assert coding.from_own(np.array([[20.0, -3]])).tolist() == [[1, 0]]
