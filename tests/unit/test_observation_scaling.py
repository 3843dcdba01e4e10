"""What train.py does to observations, and that evaluation does the same."""

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from nodes.train_program import render_train_program
from nodes.training_plan import plan_training
from sandbox.programs.requests import ActionSpace
from sandbox.programs.scaling import ObservationScaling
from state.spec import Spec
from tests.environments.scheduling_spec import scheduling_spec

LOW = np.array([0, -130, -np.inf, 0, 0, -5], dtype=np.float32)
HIGH = np.array([3, -60, np.inf, 1e9, 1, -5], dtype=np.float32)


@pytest.fixture(name="learned", scope="module")
def _learned(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The scaling that the generated program learns from some random steps."""
    pieces = scheduling_spec().model_dump()
    pieces["dynamics"] = {"gymnasium_id": "CartPole-v1"}
    spec = Spec.model_validate(pieces)
    plan = plan_training(spec, ActionSpace("discrete", [2]))
    path: Path = tmp_path_factory.mktemp("program") / "train.py"
    path.write_text(render_train_program(spec, plan, flattened=False))
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
    return runpy.run_path(str(path))["ObservationScaling"](space, samples)


def test_sensible_limits_are_scaled_linearly(learned: Any) -> None:
    assert learned(LOW)[:2].tolist() == [-1, -1]
    assert learned(HIGH)[:2].tolist() == [1, 1]
    assert learned.squashed.tolist() == [False, False, True, True, True, True]


def test_many_powers_of_ten_are_spread_by_their_logarithm(learned: Any) -> None:
    assert learned.logarithmic.tolist() == [False] * 4 + [True, False]
    weak, middle, strong = (
        learned(np.array([0, -90, 1e4, 200, gain, -5]))[4] for gain in (1e-12, 1e-9, 1e-7)
    )
    assert middle - weak > 0.3
    assert strong - middle > 0.3


def test_what_random_steps_never_met_is_still_told_apart(learned: Any) -> None:
    far, farther = (learned(np.array([0, -90, 1e4, x, 1e-9, -5]))[3] for x in (1e6, 1e8))
    assert np.isfinite([far, farther]).all()
    assert 1 < far < farther < 50


@settings(max_examples=50, deadline=None)
@given(
    observations=arrays(
        np.float32, (3, 6), elements=st.floats(-(2.0**60), 2.0**60, width=32, allow_nan=False)
    )
)
def test_evaluation_scales_as_training_did(learned: Any, observations: NDArray[np.float32]) -> None:
    again = ObservationScaling(learned.as_json())(observations)
    assert again.dtype == np.float32
    np.testing.assert_array_equal(again, learned(observations))
