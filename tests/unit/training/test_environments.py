"""Making generated and standard environments."""

import sys
from pathlib import Path

import numpy as np
import pytest
from gymnasium import spaces

from sandbox.training.environments import import_file, make_environment

GENERATED = """
import gymnasium
import numpy as np


class Environment(gymnasium.Env):
    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Dict(
        {"a": gymnasium.spaces.Box(0, 1, (2,)), "b": gymnasium.spaces.Discrete(3)}
    )

    def reset(self, *, seed=None, options=None):
        return {"a": np.array([0.25, 0.5], dtype=np.float32), "b": 1}, {}
"""


@pytest.fixture(autouse=True)
def _forget_files(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("environment", "heuristic"):
        monkeypatch.setitem(sys.modules, name, sys)
        monkeypatch.delitem(sys.modules, name)


def test_observations_are_flat(tmp_path: Path) -> None:
    (tmp_path / "environment.py").write_text(GENERATED)
    environment = make_environment("", tmp_path)
    assert isinstance(environment.observation_space, spaces.Box)
    assert environment.observation_space.shape == (5,)
    np.testing.assert_allclose(environment.reset(seed=1)[0], [0.25, 0.5, 0, 1, 0])


def test_a_standard_environment_is_made_by_its_id() -> None:
    environment = make_environment("CartPole-v1")
    assert environment.observation_space.shape == (4,)
    environment = make_environment("FrozenLake-v1")
    assert environment.observation_space.shape == (16,)


def test_each_folder_has_a_file_of_its_own(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "heuristic.py").write_text(f"WHO = {name!r}\n")
        assert name == import_file("heuristic", tmp_path / name).WHO
    first = import_file("heuristic", tmp_path / "two")
    assert import_file("heuristic", tmp_path / "two") is first


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ImportError, match=r"heuristic\.py cannot be imported"):
        import_file("heuristic", tmp_path)


def test_a_file_that_breaks_is_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "heuristic.py"
    path.write_text("raise KeyError('nothing here')\n")
    with pytest.raises(KeyError):
        import_file("heuristic", tmp_path)
    path.write_text("GOOD = True\n")
    assert import_file("heuristic", tmp_path).GOOD
