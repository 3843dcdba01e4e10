"""Exact solutions of the problems unlike the built-in tasks, against simulation."""

from typing import Any

import gymnasium
import numpy as np
import pytest

from benchmarks import exact, generated
from benchmarks.other import admission, car_rental, cliff_walking, lost_sales, toy_text
from benchmarks.play import episode_returns, random_policy
from benchmarks.problems import EXACT, OTHERS, PROBLEMS
from benchmarks.reference import inventory_optimum, wireless

MAKERS: dict[str, Any] = {
    "frozen-lake": lambda: toy_text.exact("FrozenLake8x8-v1"),
    "taxi": lambda: toy_text.exact("Taxi-v4"),
    "cliff-walking": cliff_walking.exact,
    "blackjack": toy_text.exact_blackjack,
    "lost-sales": lost_sales.exact,
    "car-rental": car_rental.exact,
    "admission": admission.exact,
}


def test_two_steps_by_hand() -> None:
    # Waiting earns 1; leaving earns 3 and ends. Of two steps: wait, then leave.
    table = {0: {0: [(1.0, 0, 1.0, False)], 1: [(1.0, 0, 3.0, True)]}}
    problem = exact.from_transitions(table, np.array([1.0]), 2)
    best, actions = problem.optimum()
    assert (best, actions.tolist()) == (4.0, [[0], [1]])
    assert problem.random_return() == 0.5 * (1 + 2) + 0.5 * 3


def test_poisson_adds_up() -> None:
    found = exact.poisson(3.0, 30)
    assert found.sum() == pytest.approx(1)
    assert found @ np.arange(31) == pytest.approx(3)
    assert exact.poisson(3.0, 0).tolist() == [1.0]


def test_every_exact_source_is_checked() -> None:
    assert {p.name for p in OTHERS if p.source == EXACT} == set(MAKERS)


@pytest.mark.parametrize("name", MAKERS)
def test_stated_numbers_are_the_exact_ones(name: str) -> None:
    problem, solved = PROBLEMS[name], MAKERS[name]()
    assert problem.best_return == pytest.approx(solved.optimum()[0], abs=0.005)
    assert problem.random_return == pytest.approx(solved.random_return(), abs=0.006)


def test_stated_numbers_of_built_in_tasks_are_the_exact_ones() -> None:
    for name, module in [("wireless", wireless), ("inventory-management", inventory_optimum)]:
        assert PROBLEMS[name].best_return == pytest.approx(module.best_return(), abs=0.01)
        assert PROBLEMS[name].random_return == pytest.approx(module.random_return(), abs=0.01)


@pytest.mark.parametrize("name", MAKERS)
def test_exact_solution_is_that_of_the_environment(name: str) -> None:
    problem = PROBLEMS[name]
    assert problem.best_policy is not None
    environment = generated.make(problem.spec())
    for policy, mean in [
        (problem.best_policy(), problem.best_return),
        (random_policy(environment, seed=1), problem.random_return),
    ]:
        returns = episode_returns(environment, policy, range(2000 if name == "blackjack" else 200))
        error = returns.std() / np.sqrt(len(returns))
        # Where hardly any episode of random decisions earns anything, the spread says nothing.
        assert abs(returns.mean() - mean) < 4 * error + 0.01


def test_cliff_walking_is_gymnasiums_but_for_the_limit() -> None:
    table: Any = gymnasium.make("CliffWalkingSlippery-v1").unwrapped
    environment: Any = generated.make(cliff_walking.spec())
    environment.reset(seed=0)
    met = set()
    chance = np.random.default_rng(0)
    for _ in range(6000):
        row, column = int(chance.integers(4)), int(chance.integers(12))
        if row == 3 and column > 0:
            continue
        action = int(chance.integers(4))
        environment.row, environment.column, environment.time_step = row, column, 0
        seen, reward, terminated, _, _ = environment.step(action)
        here, there = row * 12 + column, cliff_walking.state(seen)
        possible = {(int(s), float(r), bool(e)) for _, s, r, e in table.P[here][action]}
        assert (there, reward, terminated) in possible
        met.add((here, action, there))
    everything = {
        (here, action, int(s))
        for here in [*range(37)]
        for action in range(4)
        for _, s, _, _ in table.P[here][action]
    }
    assert met == everything


def test_blackjack_stands_on_a_high_hard_sum() -> None:
    actions = toy_text.exact_blackjack().optimum()[1][0]

    def plays(total: int, dealer: int, ace: int) -> int:
        return int(actions[toy_text.blackjack_state((total, dealer, ace))])

    # The basic strategy of Sutton and Barto, figure 5.2.
    assert [plays(total, 10, 0) for total in (11, 16, 17, 20)] == [1, 1, 0, 0]
    assert [plays(total, 6, 0) for total in (11, 12, 16)] == [1, 0, 0]
    assert [plays(total, 10, 1) for total in (17, 18, 19)] == [1, 1, 0]
