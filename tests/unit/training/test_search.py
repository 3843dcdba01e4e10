"""What is kept at the end of a search, and what nobody is to fall behind."""

import inspect
import math
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sandbox.training import ways as ways_module
from sandbox.training.attempt import Workshop
from sandbox.training.fitted_discount import fitted_discount
from sandbox.training.problem import Problem
from sandbox.training.race import Race
from sandbox.training.request import Attempt, Circumstances, Request, Wishes
from sandbox.training.search import WAYS_SHARE, best_constant, search, winner, with_ways
from sandbox.training.table_policy import TablePolicy
from tests.unit.training import small_problems
from tests.unit.training.forms import CORRIDOR


def attempt_of(name: str) -> Attempt:
    return Attempt(name, "dqn", 0.9, 100, 1)


def workshop_of(folder: Path, environment: str, problem: Problem) -> Workshop:
    source = inspect.getsource(small_problems)
    (folder / "environment.py").write_text(f"{source}\n\nEnvironment = {environment}\n")
    attempt = replace(attempt_of("probe"), discount=fitted_discount(problem)[0])
    return Workshop(problem, folder, attempt)


def race_of(folder: Path, *made: tuple[float, str, list[int]]) -> Race:
    """A race on ``Matching`` with these results; the last are the answers to 0, 1 and 2."""
    request = Request(Problem(horizon=10), Wishes(), Circumstances(), 10.0)
    race = Race(request, folder, time.monotonic(), [], 0.0)
    for k, (value, why, answers) in enumerate(made):
        out = folder / "attempts" / str(k)
        out.mkdir(parents=True)
        choices = np.array([answers], dtype=np.uint16)
        TablePolicy(np.array([[0], [1], [2]], dtype=np.float32), choices, np.arange(3)).save(out)
        race.finished.append(attempt_of(str(k)))
        race.made.append({"best_evaluation": value, "stopped_because": why})
    return race


@pytest.mark.parametrize(
    ("environment", "problem", "without", "found"),
    [
        ("Corridor", CORRIDOR, (), True),
        ("Corridor", CORRIDOR, ("shaping",), False),
        ("Corridor", replace(CORRIDOR, shapes_future=False), (), False),
        ("Climb", Problem(horizon=5), (), False),
        ("Breaking", Problem(horizon=10), (), False),
    ],
)
def test_ways_are_looked_for_where_chance_changes_little(
    tmp_path: Path, environment: str, problem: Problem, without: tuple[str, ...], *, found: bool
) -> None:
    workshop = workshop_of(tmp_path, environment, problem)
    request = Request(problem, Wishes(without=without), Circumstances(), 600.0)
    looked = with_ways(request, workshop, lambda: False)
    assert looked.circumstances.ways is found


def test_nothing_is_looked_for_once_the_exact_solution_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ways_module, "STEPS", 10**9)
    workshop_of(tmp_path, "Corridor", CORRIDOR)
    result = search(Request(CORRIDOR, Wishes(), Circumstances(), 600.0), tmp_path)
    assert result["stopped_because"] == "exact"
    assert [made["method"] for made in result["attempts"]] == ["exact"]
    assert result["total_seconds"] < 0.5 * WAYS_SHARE * 600


BAD, FAIR, GOOD = [1, 2, 0], [0, 1, 1], [0, 1, 2]


def test_luck_while_training_does_not_decide(tmp_path: Path) -> None:
    workshop = workshop_of(tmp_path, "Matching", Problem(horizon=10))
    made = [(9.0, "converged", BAD), (8.0, "converged", GOOD), (8.5, "converged", FAIR)]
    assert winner(race_of(tmp_path, *made), workshop) == 1


def test_only_the_foremost_are_judged_once_more(tmp_path: Path) -> None:
    workshop = workshop_of(tmp_path, "Matching", Problem(horizon=10))
    made = [(1.0, "converged", GOOD), *[(9.0, "converged", FAIR)] * 3]
    assert winner(race_of(tmp_path, *made), workshop) != 0


def test_an_exact_solution_needs_no_comparison(tmp_path: Path) -> None:
    workshop = workshop_of(tmp_path, "Matching", Problem(horizon=10))
    made = [(10.0, "converged", GOOD), (6.0, "exact", FAIR)]
    assert winner(race_of(tmp_path, *made), workshop) == 1


@pytest.mark.parametrize(
    ("environment", "horizon", "bar"),
    [("Climb", 5, 6.0), ("OwnGenerator", 1, 1.0), ("Breaking", 10, -math.inf)],
)
def test_the_best_constant_action(
    tmp_path: Path, environment: str, horizon: int, bar: float
) -> None:
    assert best_constant(workshop_of(tmp_path, environment, Problem(horizon=horizon)))[0] == bar


def test_without_time_there_is_no_bar_and_the_foremost_is_kept(tmp_path: Path) -> None:
    workshop = workshop_of(tmp_path, "Matching", Problem(horizon=10))
    past = time.monotonic() - 1
    assert best_constant(workshop, past) == (-math.inf, None)
    made = [(9.0, "converged", BAD), (8.0, "converged", GOOD)]
    assert winner(race_of(tmp_path, *made), workshop, past) == 0
