"""A training that was killed goes on from its checkpoint, and comes to what it would have."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from sandbox.training import checkpoint as checkpoint_module
from sandbox.training import keep_best, measure, shaping, ways
from sandbox.training.attempt import checkpoint_of, run_attempt
from sandbox.training.checkpoint import Checkpoint
from sandbox.training.problem import Problem
from sandbox.training.request import Attempt
from tests.unit.training.forms import ERRAND, MANY, MATCHING
from tests.unit.training.judging import keep_the_last
from tests.unit.training.test_attempt import attempt_of, write_environment

COURSES = {
    "dqn": ("Matching", MATCHING, 800),
    "ppo": ("Matching", MATCHING, 3072),
    "sac": ("Aiming", MATCHING, 200),
    "additive": ("MatchingMany", MANY, 1600),
    "imitation": ("MatchingMany", MANY, 1200),
}


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is measured and judged on few steps is enough to tell two trainings apart."""
    monkeypatch.setattr(measure, "STEPS", 400)
    monkeypatch.setattr(keep_best, "LEAST_EPISODES", 10)


class Killed(BaseException):
    """Stands for a signal that nobody can catch."""


def broken_off(
    monkeypatch: pytest.MonkeyPatch,
    problem: Problem,
    attempt: Attempt,
    folder: Path,
    out: Path,
    *,
    written: int = 3,
    killed: int = 6,
) -> None:
    """Make the attempt, but be killed some time after the last checkpoint that is written."""
    write, due = Checkpoint.write, 0

    def counted(own: Checkpoint, parts: dict[str, Any]) -> None:
        nonlocal due
        due += 1
        if due == killed:
            raise Killed
        if due <= written:
            write(own, parts)

    with monkeypatch.context() as patch:
        patch.setattr(checkpoint_module, "SECONDS_BETWEEN", 0.0)
        patch.setattr(Checkpoint, "write", counted)
        with pytest.raises(Killed):
            run_attempt(problem, attempt, folder, out, 60.0)


@pytest.mark.parametrize("method", COURSES)
def test_what_was_killed_comes_to_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    environment, problem, steps = COURSES[method]
    write_environment(tmp_path, environment)
    (tmp_path / "heuristic.py").write_text("def act(seen):\n    return seen.astype(int)\n")
    discount = 0.9 if method in ("dqn", "sac") else 0.0
    attempt = attempt_of(
        method,
        parallel=1 if method == "sac" else 4,
        total_timesteps=steps,
        discount=discount,
        remedies=["scaled observations", "scaled rewards", "persistent exploration"],
    )
    whole = run_attempt(problem, attempt, tmp_path, tmp_path / "whole", 60.0)
    broken_off(monkeypatch, problem, attempt, tmp_path, tmp_path / "killed")
    assert checkpoint_of(problem, attempt, tmp_path / "killed").is_there()
    on = run_attempt(problem, attempt, tmp_path, tmp_path / "killed", 60.0)
    assert (whole["resumed"], on["resumed"]) == (0, 1)
    assert on["policy_sha256"] == whole["policy_sha256"]
    assert on["best_evaluation"] == whole["best_evaluation"]
    one, other = (
        [row.split(",")[:2] for row in (tmp_path / name / "curve.csv").read_text().split()]
        for name in ("whole", "killed")
    )
    assert one == other
    assert not list((tmp_path / "killed").glob("checkpoint*"))


def test_where_episodes_begin_and_what_is_paid_for_go_on_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ways, "STEPS", 6000)
    monkeypatch.setattr(shaping, "GRADIENT_STEPS", 100)
    keep_the_last(monkeypatch)
    write_environment(tmp_path, "Errand")
    remedies = ["shaping", "curriculum"]
    attempt = attempt_of("dqn", parallel=4, total_timesteps=800, discount=0.9, remedies=remedies)
    whole = run_attempt(ERRAND, attempt, tmp_path, tmp_path / "whole", 60.0)
    broken_off(monkeypatch, ERRAND, attempt, tmp_path, tmp_path / "killed")
    on = run_attempt(ERRAND, attempt, tmp_path, tmp_path / "killed", 60.0)
    assert (whole["resumed"], on["resumed"]) == (0, 1)
    assert on["policy_sha256"] == whole["policy_sha256"]


def test_the_checkpoint_of_another_attempt_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_environment(tmp_path, "Matching")
    attempt = attempt_of("dqn", total_timesteps=400)
    broken_off(monkeypatch, MATCHING, attempt, tmp_path, tmp_path / "out")
    other = replace(attempt, seed=5)
    assert not checkpoint_of(MATCHING, other, tmp_path / "out").is_there()
    assert run_attempt(MATCHING, other, tmp_path, tmp_path / "out", 60.0)["resumed"] == 0


def test_generators_go_on_where_they_were(tmp_path: Path) -> None:
    torch.manual_seed(1)
    Checkpoint(tmp_path, {"a": 1}).write({"number": 7})
    drawn = torch.rand(3), np.random.rand(3)
    assert Checkpoint(tmp_path, {"a": 1}).read() == {"number": 7}
    again = torch.rand(3), np.random.rand(3)
    assert torch.equal(drawn[0], again[0])
    assert np.array_equal(drawn[1], again[1])
    assert Checkpoint(tmp_path, {"a": 2}).read() is None


def test_a_broken_checkpoint_is_said_and_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = Checkpoint(tmp_path, {})
    kept.write({"number": 7})
    kept.path.write_bytes(kept.path.read_bytes()[:-5])
    assert kept.read() is None
    assert "begun anew" in capsys.readouterr().out


@pytest.mark.parametrize("part", [lambda: json, open], ids=["large", "not to be written"])
def test_without_room_or_way_there_is_none(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    part: Any,
) -> None:
    monkeypatch.setattr(checkpoint_module, "MOST_BYTES", 10)
    kept = Checkpoint(tmp_path, {})
    with (tmp_path / "open").open("w") as file:
        kept.write({"part": file if part is open else "long"})
    assert not kept.is_there()
    assert not kept.due()
    assert "no checkpoint" in capsys.readouterr().out
