"""What train.py is made of: the attempts that led to the policy, and the modules beside it."""

import re
from pathlib import Path

import pytest

from nodes.train_program import chain_of, copy_training_package, write_train_program
from sandbox.training.problem import Problem
from sandbox.training.request import Attempt
from state.training import AttemptRecord, TrainingRecord


def record(*made: tuple[Attempt, str]) -> TrainingRecord:
    records = [
        AttemptRecord.model_validate(
            {
                "method": attempt.method,
                "timesteps": 70,
                "seconds": 1,
                "stopped_because": why,
                "best_evaluation": 1,
                "attempt": attempt.as_json(),
            }
        )
        for attempt, why in made
    ]
    return TrainingRecord(**records[-1].model_dump(), attempts=records)


def attempt_of(name: str, start_from: str = "") -> Attempt:
    return Attempt(name, "imitation", 1.0, 100, 3, start_from=start_from)


@pytest.mark.parametrize("why", ["converged", "exact", "total_timesteps"])
def test_what_ended_by_itself_is_left_to_do_so_again(why: str) -> None:
    assert [a.stop_after for a in chain_of(record((attempt_of("1"), why)))] == [None]


@pytest.mark.parametrize("why", ["overtaken", "time_budget"])
def test_what_was_ended_ends_at_the_same_step(why: str) -> None:
    assert [a.stop_after for a in chain_of(record((attempt_of("1"), why)))] == [70]


def test_what_a_policy_started_from_comes_first() -> None:
    attempts = [attempt_of("1"), attempt_of("2"), attempt_of("3", "1"), attempt_of("4", "3")]
    chain = chain_of(record(*((attempt, "converged") for attempt in attempts)))
    assert [attempt.name for attempt in chain] == ["1", "3", "4"]


def test_a_circle_of_beginnings_has_an_end() -> None:
    """Results are written by a program that nobody trusts."""
    attempts = [attempt_of("1", "2"), attempt_of("2", "1")]
    chain = chain_of(record(*((attempt, "converged") for attempt in attempts)))
    assert [attempt.name for attempt in chain] == ["1", "2"]


def test_the_package_beside_it_needs_nothing_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "training").mkdir()
    (tmp_path / "training" / "old.py").write_text("import sandbox")
    write_train_program(tmp_path, "A problem", Problem(), record((attempt_of("1"), "converged")))
    names = {path.name for path in (tmp_path / "training").iterdir()}
    assert {"__init__.py", "attempt.py", "problem.py"} <= names
    assert not {"old.py", "__pycache__"} & names
    own = re.compile(r"^\s*(from|import) (sandbox|nodes|state|graph|benchmarks)\b", re.M)
    for path in [tmp_path / "train.py", *(tmp_path / "training").glob("*.py")]:
        assert not own.search(path.read_text()), path.name


def test_copying_twice_is_copying_once(tmp_path: Path) -> None:
    copy_training_package(tmp_path)
    first = {p.name: p.read_text() for p in (tmp_path / "training").iterdir()}
    copy_training_package(tmp_path)
    assert {p.name: p.read_text() for p in (tmp_path / "training").iterdir()} == first
