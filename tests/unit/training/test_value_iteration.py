"""Value iteration on tables written down by hand."""

import numpy as np
import pytest

from sandbox.training.enumeration import enumerate_environment
from sandbox.training.environments import make_environment
from sandbox.training.finite_model import FiniteModel
from sandbox.training.transition_table import merge, table_of_rows
from sandbox.training.value_iteration import evaluate, solve
from tests.unit.training import small_problems


def corridor(horizon: int | None) -> FiniteModel:
    """Three places in a row; action 1 goes right, and out of the last one for a reward of 10.

    Action 0 stays and pays 1.
    """
    rewards = [1.0, 0.0, 1.0, 0.0, 1.0, 10.0]
    rows = [{0: 1.0}, {1: 1.0}, {1: 1.0}, {2: 1.0}, {2: 1.0}, {-1: 1.0}]
    table = table_of_rows({0: 1.0}, rewards, rows, 2, None)
    places = np.array([[0], [1], [2]], dtype=np.float32)
    return FiniteModel(places, np.array([0, 1]), horizon, table, table, np.arange(3), True, ())


@pytest.mark.parametrize(("horizon", "optimum"), [(1, 1), (2, 2), (3, 10), (4, 11), (20, 27)])
def test_the_horizon_decides_when_to_go(horizon: int, optimum: float) -> None:
    solution = solve(corridor(horizon))
    assert solution.optimum == solution.value == optimum
    assert solution.exact


def test_a_large_table_gets_a_stationary_policy_and_says_so() -> None:
    solution = solve(corridor(20), most_entries=10)
    assert solution.choices.shape == (1, 3)
    assert solution.optimum == 27
    assert solution.value < 27
    assert not solution.exact
    assert "too large" in solution.remarks[0]


def test_an_endless_return_is_said() -> None:
    solution = solve(corridor(None))
    assert not solution.exact
    assert "has no end" in solution.remarks[0]


def test_without_a_time_limit_a_goal_is_not_put_off_for_ever() -> None:
    """All places are worth the same, but only a policy that goes on earns it."""
    rows = [{0: 1.0}, {1: 1.0}, {1: 1.0}, {-1: 1.0}]
    table = table_of_rows({0: 1.0}, [0.0, 0.0, 0.0, 1.0], rows, 2, None)
    places = np.array([[0], [1]], dtype=np.float32)
    model = FiniteModel(places, np.array([0, 1]), None, table, table, np.arange(2), True, ())
    solution = solve(model)
    assert solution.value == solution.optimum == 1.0
    assert solution.choices.tolist() == [[1, 1]]


def test_merging_weighs_by_how_often_states_are_met() -> None:
    """Two states look the same; from the start, one is met three times as often."""
    rows = [{1: 0.75, 2: 0.25}, {-1: 1.0}, {-1: 1.0}]
    table = table_of_rows({0: 1.0}, [0.0, 4.0, 8.0], rows, 1, None)
    merged = merge(table, np.array([0, 1, 1]), 3)
    assert merged.faithful
    assert merged.table.rewards[:, 0] == pytest.approx([0, 5])
    assert merged.table.successors.tolist() == [1, 2]


def test_merging_is_not_faithful_where_the_past_tells_more() -> None:
    rows = [{2: 1.0}, {3: 1.0}, {-1: 1.0}, {-1: 1.0}]
    table = table_of_rows({0: 0.5, 1: 0.5}, [0.0, 0.0, 1.0, 3.0], rows, 1, None)
    assert not merge(table, np.array([0, 1, 2, 2]), 3).faithful
    assert merge(table, np.array([0, 0, 1, 1]), 3).faithful


def test_evaluating_the_best_choices_gives_the_optimum() -> None:
    model = enumerate_environment(small_problems.LostSales)
    solution = solve(model)
    values = evaluate(model.full, solution.choices, model.horizon)
    assert float(model.full.initial @ values[:-1]) == pytest.approx(solution.optimum)


def test_no_other_policy_is_better() -> None:
    model = enumerate_environment(lambda: make_environment("FrozenLake-v1"))
    best = solve(model)
    random = np.random.default_rng(0)
    for _ in range(50):
        other = best.choices.copy()
        changed = random.random(other.shape) < 0.05
        other[changed] = random.integers(4, size=int(changed.sum()))
        values = evaluate(model.full, other, model.horizon)
        assert float(model.full.initial @ values[:-1]) <= best.optimum + 1e-12
