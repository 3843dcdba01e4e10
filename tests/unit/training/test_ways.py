"""Looking around finds ways that chance does not, and what it says of states is true."""

import math
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from sandbox.training import ways as ways_module
from sandbox.training.measure import measure
from sandbox.training.problem import Problem
from sandbox.training.rough_model import END, LIMIT, Links, values_of
from sandbox.training.simulator import plain_maker
from sandbox.training.ways import MOST_OPTIONS, NoWay, Ways, explore, options_of
from tests.unit.training.forms import ERRAND, MATCHING
from tests.unit.training.small_problems import Errand, Matching
from tests.unit.training.test_planner import shortest

DISCOUNT = 0.95


def ways_of(
    problem: Problem = ERRAND, environment: Any = Errand, deadline: float = math.inf
) -> Ways:
    make = plain_maker(environment)
    measured = measure(make, problem.horizon, DISCOUNT, 0)
    return explore(problem, make, measured, DISCOUNT, 3, deadline)


@pytest.fixture(name="found", scope="module")
def _found() -> Ways:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ways_module, "STEPS", 12_000)
        return ways_of()


def worth(steps: int) -> float:
    """Of a way with so many steps, each of which costs 1, to an end that pays 99."""
    return -(1 - DISCOUNT ** (steps - 1)) / (1 - DISCOUNT) + DISCOUNT ** (steps - 1) * 99


def test_what_is_said_to_follow_can_follow(found: Ways) -> None:
    gaining = found.gaining
    assert len(gaining) > 20
    assert np.all(np.diff(found.reached[gaining]) <= 0)
    best = np.array([worth(shortest(seen)) for seen in found.seen[gaining]])
    assert np.all(found.reached[gaining] <= best + 1e-9)
    assert np.sum(np.isclose(found.reached[gaining], best)) > 5


def test_states_are_those_that_were_seen(found: Ways) -> None:
    environments: Any = found.states
    assert found.states.size == len(found.seen) == len(found.values)
    shown = [environment.observation() for environment in environments.environments]
    np.testing.assert_array_equal(shown, found.seen)
    steps = [environment.time_step for environment in environments.environments]
    np.testing.assert_array_equal(steps, found.times)
    assert len({seen.tobytes() for seen in found.seen}) == len(found.seen)


def test_the_same_seed_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ways_module, "STEPS", 6000)
    one, other = ways_of(), ways_of()
    np.testing.assert_array_equal(one.seen, other.seen)
    np.testing.assert_array_equal(one.values, other.values)


def test_where_nothing_is_gained_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ways_module, "STEPS", 2000)
    with pytest.raises(NoWay, match="nothing better than usual"):
        ways_of(MATCHING, Matching)


def test_it_takes_no_longer_than_it_may() -> None:
    with pytest.raises(NoWay, match="took too long"):
        ways_of(deadline=-math.inf)


def test_it_goes_on_only_until_the_problem_is_solved() -> None:
    make, asked = plain_maker(Errand), iter([False, True])
    measured = measure(make, ERRAND.horizon, DISCOUNT, 0)
    with pytest.raises(NoWay, match="is solved"):
        explore(ERRAND, make, measured, DISCOUNT, 3, math.inf, lambda: next(asked))


def test_options_are_actions_of_the_space() -> None:
    few = options_of(spaces.Discrete(3, start=2), 0)
    assert few.tolist() == [2, 3, 4]
    pairs = options_of(spaces.MultiDiscrete([2, 3]), 0)
    assert len({tuple(pair) for pair in pairs.tolist()}) == 6
    real = spaces.Box(-1, 2, (2,))
    drawn = options_of(real, 0)
    assert len(drawn) == MOST_OPTIONS
    assert all(real.contains(action) for action in drawn)
    assert np.all(np.isin(drawn[: MOST_OPTIONS // 2], [-1, 2]))


def test_the_rough_model_takes_means_of_an_option_and_the_best_option() -> None:
    """Cell 0 goes to 1 for nothing or to a limit; 1 ends with 10 or 0; 2 was never left."""
    links = Links(
        cells=np.array([0, 0, 1, 1]), options=np.array([0, 1, 1, 1]),
        to=np.array([1, LIMIT, END, END]), rewards=np.array([0.0, -1.0, 10.0, 0.0]),
    )  # fmt: skip
    values = values_of(links, 3, 0.9, -7.0, 1e-9)
    assert values.tolist() == pytest.approx([4.5, 5.0, -7.0])
