"""Looking ahead finds the shortest way to a gain, and says where there is none to find."""

import time
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sandbox.training.actions import ActionCoding
from sandbox.training.cells import Cells
from sandbox.training.environments import make_environment
from sandbox.training.forward_search import ForwardSearch, Gains
from sandbox.training.measure import measure
from sandbox.training.planner import NoPlan, is_certain, planner_for
from sandbox.training.problem import Problem
from sandbox.training.simulator import MakeSimulator, plain_maker
from tests.unit.training.forms import ERRAND
from tests.unit.training.small_problems import Admission, Aiming, Counting, Errand, Matching


def planner(make: MakeSimulator, problem: Problem = ERRAND, seconds: float = 60) -> ForwardSearch:
    usual = measure(make, problem.horizon, 1.0, 0).usual_rewards
    coding = ActionCoding(make(1).action_space)
    return planner_for(problem, make, coding, usual, 0, time.monotonic() + seconds)


def shortest(seen: NDArray[Any]) -> int:
    """Steps of an errand from the place to the source, there, to the goal, and there."""
    place, source, goal, carrying = (int(k) for k in seen)
    rest = abs(source - goal) + 1 if not carrying else abs(place - goal) + 1
    return rest if carrying else abs(place - source) + 1 + rest


def test_the_soonest_gain_is_reached_in_the_fewest_steps() -> None:
    search = planner(plain_maker(Errand))
    simulator = plain_maker(Errand)(12)
    seen = simulator.reset(5)
    plans = search.plans(simulator, seen, np.zeros(12, dtype=np.int64), np.inf)
    assert [len(plan) for plan in plans] == [shortest(one) for one in seen]
    # The simulator is where it was, and the plans do what they say.
    longest = max(map(len, plans))
    for step_number in range(longest):
        actions = np.array([plan[min(step_number, len(plan) - 1)] for plan in plans])
        step = simulator.step(actions)
        over = [len(plan) <= step_number + 1 for plan in plans]
        assert step.terminated.tolist() == over


def test_of_equal_ways_the_one_of_the_first_options_is_taken() -> None:
    search = planner(plain_maker(Errand))
    simulator = plain_maker(Errand)(1)
    seen = simulator.reset(1)
    (plan,) = search.plans(simulator, seen, np.zeros(1, dtype=np.int64), np.inf)
    (again,) = search.plans(simulator, seen, np.zeros(1, dtype=np.int64), np.inf)
    assert plan.tolist() == again.tolist()
    place, source, goal, _ = (int(k) for k in seen[0])
    there, back = [int(source > place)], [int(goal > source)]
    expected = [*there * abs(source - place), 2, *back * abs(goal - source), 3]
    assert plan.tolist() == expected


def test_without_time_there_are_no_plans() -> None:
    search = planner(plain_maker(Errand))
    simulator = plain_maker(Errand)(3)
    plans = search.plans(simulator, simulator.reset(0), np.zeros(3, dtype=np.int64), 0.0)
    assert [len(plan) for plan in plans] == [0, 0, 0]


def test_an_option_is_kept_up_where_numbers_are_real() -> None:
    """Within one step a car hardly leaves its cell."""

    def make(size: int) -> Any:
        return plain_maker(lambda: make_environment("MountainCarContinuous-v0"))(size)

    problem = Problem("MountainCarContinuous-v0", horizon=999)
    cells = Cells.fitted(problem, make(5), 0)
    options = np.array([[-1.0], [1.0]], dtype=np.float32)
    search = ForwardSearch(cells, options, Gains(0.0, 0.05, 999))
    simulator = make(1)
    seen = simulator.reset(0)
    (plan,) = search.plans(simulator, seen, np.zeros(1, dtype=np.int64), np.inf)
    assert 60 < len(plan) < 200
    for option in plan:
        step = simulator.step(options[[option]])
    assert step.terminated[0]
    assert step.rewards[0] > 50


def test_ends_count_what_they_save_or_cost() -> None:
    ended, going = np.array([True]), np.array([False])
    costs, pays = Gains(-1.0, 0.0, 100), Gains(1.0, 0.0, 100)
    five = np.array([5])
    # Five steps at the usual cost gain nothing; an end then saves the 95 others.
    assert costs.of(np.array([-5.0]), five, five, going) == 0
    assert costs.of(np.array([-5.0]), five, five, ended) == 95
    assert pays.of(np.array([5.0]), five, five, ended) == -95
    assert pays.of(np.array([8.0]), five, five, going) == 3


def test_what_is_certain() -> None:
    assert is_certain(plain_maker(Errand)(4), 0)
    assert not is_certain(plain_maker(Admission)(4), 0)
    assert not is_certain(plain_maker(Matching)(4), 0)


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        (Aiming, "not one choice among few"),
        (Counting, "a matter of chance"),
        (lambda: make_environment("CartPole-v1"), "nothing better than usual"),
    ],
)
def test_where_looking_ahead_is_no_help(problem: Any, reason: str) -> None:
    with pytest.raises(NoPlan, match=reason):
        planner(plain_maker(problem), Problem(horizon=30), seconds=1)
