"""Looking actions up, keeping them, and what is done for observations not in the table."""

import json
from pathlib import Path

import numpy as np
from gymnasium import spaces

from sandbox.training.policy import load_policy
from sandbox.training.table_policy import TablePolicy


def small() -> TablePolicy:
    observations = np.array([[0, 0], [1, 0], [1, 1000]], dtype=np.float32)
    choices = np.array([[0, 1, 2], [2, 2, 1]], dtype=np.uint16)
    return TablePolicy(observations, choices, np.array([[5, 0], [6, 1], [7, 2]]))


def test_actions_depend_on_observation_and_time_step() -> None:
    seen = np.array([[0, 0], [0, 0], [1, 1000], [1, 0]])
    actions = small().actions(seen, np.array([0, 1, 0, 50]))
    assert actions.tolist() == [[5, 0], [7, 2], [7, 2], [7, 2]]


def test_an_unknown_observation_gets_the_action_of_the_nearest() -> None:
    """Near in relation to how widely each number ranges."""
    seen = np.array([[0.9, 100.0], [0.1, -0.0], [1.0, 700.0]])
    assert small().actions(seen, np.zeros(3, dtype=np.int64))[:, 0].tolist() == [6, 5, 7]


def test_it_comes_back_from_its_file(tmp_path: Path) -> None:
    small().save(tmp_path)
    assert json.loads((tmp_path / "policy_setup.json").read_text()) == {"kind": "table"}
    loaded = load_policy(tmp_path, spaces.MultiDiscrete([8, 3]))
    seen = np.array([[0, 0], [1, 0], [1, 1000]])
    for time_step in (0, 1, 7):
        times = np.full(3, time_step)
        assert np.array_equal(loaded.actions(seen, times), small().actions(seen, times))


def test_the_same_table_gives_the_same_file(tmp_path: Path) -> None:
    contents = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        small().save(tmp_path / name)
        contents.append((tmp_path / name / "policy.zip").read_bytes())
    assert contents[0] == contents[1]
