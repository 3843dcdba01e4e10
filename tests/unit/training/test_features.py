"""What training does to observations before a network sees them."""

import json

import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from sandbox.training.features import Features, Scaling

LOW = np.array([0, -130, -np.inf, 0, 0, -5], dtype=np.float32)
HIGH = np.array([3, -60, np.inf, 1e9, 1, -5], dtype=np.float32)


@pytest.fixture(name="learned", scope="module")
def _learned() -> Scaling:
    """The scaling that is fitted to some random steps."""
    random = np.random.default_rng(0)
    samples = np.stack(
        [
            random.integers(0, 2, 500),
            random.normal(-95, 8, 500).clip(-130, -60),
            random.normal(1e4, 30.0, 500),
            random.normal(200.0, 10.0, 500),
            10.0 ** random.uniform(-13, -6, 500),
            np.full(500, -5.0),
        ],
        axis=1,
    )
    space = spaces.Box(LOW, HIGH, dtype=np.float32)
    return Scaling.fitted(space, samples)


def test_sensible_limits_are_scaled_linearly(learned: Scaling) -> None:
    assert learned(LOW)[:2].tolist() == [-1, -1]
    assert learned(HIGH)[:2].tolist() == [1, 1]
    assert learned.squashed.tolist() == [False, False, True, True, True, True]


def test_many_powers_of_ten_are_spread_by_their_logarithm(learned: Scaling) -> None:
    assert learned.logarithmic.tolist() == [False] * 4 + [True, False]
    weak, middle, strong = (
        learned(np.array([0, -90, 1e4, 200, gain, -5]))[4] for gain in (1e-12, 1e-9, 1e-7)
    )
    assert middle - weak > 0.3
    assert strong - middle > 0.3


def test_what_random_steps_never_met_is_still_told_apart(learned: Scaling) -> None:
    far, farther = (learned(np.array([0, -90, 1e4, x, 1e-9, -5]))[3] for x in (1e6, 1e8))
    assert np.isfinite([far, farther]).all()
    assert 1 < far < farther < 50


@settings(max_examples=50, deadline=None)
@given(
    observations=arrays(
        np.float32, (3, 6), elements=st.floats(-(2.0**60), 2.0**60, width=32, allow_nan=False)
    )
)
def test_features_read_back_are_the_same(
    learned: Scaling, observations: NDArray[np.float32]
) -> None:
    features = Features(learned, horizon=10, pairs=np.array([[0, 3]]))
    again = Features.from_json(json.loads(json.dumps(features.as_json())))
    times = np.array([0, 5, 10])
    seen = features(observations, times)
    assert seen.shape == (3, features.size)
    assert seen.dtype == np.float32
    assert seen[:, -1].tolist() == [1, 0, -1]
    np.testing.assert_array_equal(again(observations, times), seen)


@given(
    numbers=st.integers(1, 5),
    horizon=st.integers(0, 20),
    pairs=st.integers(0, 3),
    kinds=st.integers(0, 3),
    data=st.data(),
)
def test_there_are_as_many_features_as_is_said(
    numbers: int, horizon: int, pairs: int, kinds: int, data: st.DataObject
) -> None:
    index = st.integers(0, numbers - 1)
    features = Features(
        Scaling.off(numbers),
        horizon,
        np.array([[data.draw(index), data.draw(index)] for _ in range(pairs)], int).reshape(-1, 2),
        np.array([[data.draw(index), k] for k in range(kinds)], int).reshape(-1, 2),
    )
    seen = features(np.ones((4, numbers)), np.arange(4))
    assert seen.shape == (4, features.size)
    assert seen.dtype == np.float32


def test_differences_and_kinds_stand_between_the_numbers_and_the_time_left() -> None:
    features = Features(
        Scaling.fitted(spaces.Box(0, 10, (3,)), np.array([[0.0, 0, 0], [10, 10, 10]])),
        horizon=4,
        pairs=np.array([[0, 1]]),
        kinds=np.array([[2, 0], [2, 5]]),
    )
    seen = features(np.array([[0, 10, 5], [5, 5, 0]]), np.array([1, 4]))
    assert seen.tolist() == [
        [-1, 1, 0, -1, -2, 0, 1, 0.5],
        [0, 0, -1, 0, 0, 1, 0, -1],
    ]


def test_switched_off_nothing_changes() -> None:
    observations = np.array([[1e9, -3.5, 0]], dtype=np.float32)
    np.testing.assert_array_equal(Scaling.off(3)(observations), observations)
