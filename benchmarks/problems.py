"""All problems that training is measured on: the built-in tasks, and others unlike them.

Where ``exact`` stands as the source, both numbers come from backward induction over all states, or
from integration; tests compute them again. Random returns of the others are means of simulations.
"""

from functools import partial
from typing import Any

from benchmarks.exact import FiniteProblem
from benchmarks.frozen_specs import frozen_spec
from benchmarks.other import (
    admission,
    car_rental,
    classic_control,
    cliff_walking,
    lost_sales,
    rooms,
    toy_text,
)
from benchmarks.play import Policy
from benchmarks.problem import Problem
from benchmarks.reference import drone_planner, inventory_optimum, mountain_car, wireless

EXACT = "exact"
ZOO = "best published by RL Baselines3 Zoo"


def tabular(make: Any, state: Any) -> Policy:
    """The best policy of a finite problem; ``state`` numbers what is observed."""
    problem: FiniteProblem = make()
    actions = problem.optimum()[1]
    return lambda observation, time_step: int(actions[time_step, state(observation)])


TASKS = [
    Problem(
        "cart-pole",
        partial(frozen_spec, "cart-pole"),
        random_return=22.2,
        best_return=500.0,
        source="longest episode",
        target_return=499.0,
        target_seconds=60,
    ),
    Problem(
        "mountain-car",
        partial(frozen_spec, "mountain-car"),
        random_return=-200.0,
        best_return=-97.76,
        source="value iteration on a grid, played in the environment",
        best_policy=lambda: mountain_car.best,
        target_return=-105.0,
        target_seconds=90,
    ),
    Problem(
        "wireless",
        partial(frozen_spec, "wireless"),
        random_return=8509.11,
        best_return=12916.41,
        source=EXACT,
        best_policy=lambda: wireless.greedy,
        target_score=0.99,
        target_seconds=60,
    ),
    Problem(
        "inventory-management",
        partial(frozen_spec, "inventory-management"),
        random_return=7070.05,
        best_return=22598.10,
        source=EXACT,
        best_policy=lambda: inventory_optimum.best,
        target_score=0.98,
        target_seconds=180,
    ),
    Problem(
        "drone-delivery",
        partial(frozen_spec, "drone-delivery"),
        random_return=-352.1,
        best_return=1028.6,
        source="best order of the packages, each leg a straight way",
        best_policy=lambda: drone_planner.planner,
        target_seconds=300,
    ),
]

OTHERS = [
    Problem(
        "frozen-lake",
        toy_text.frozen_lake,
        random_return=0.0019,
        best_return=0.9132,
        source=EXACT,
        best_policy=lambda: tabular(lambda: toy_text.exact("FrozenLake8x8-v1"), int),
        episodes=1000,
    ),
    Problem(
        "taxi",
        toy_text.taxi,
        random_return=-771.09,
        best_return=7.93,
        source=EXACT,
        best_policy=lambda: tabular(lambda: toy_text.exact("Taxi-v4"), int),
        episodes=400,
    ),
    Problem(
        "cliff-walking",
        cliff_walking.spec,
        random_return=-2079.12,
        best_return=-64.70,
        source=EXACT,
        best_policy=lambda: tabular(cliff_walking.exact, cliff_walking.state),
        episodes=400,
    ),
    Problem(
        "blackjack",
        toy_text.blackjack,
        random_return=-0.3942,
        best_return=-0.0431,
        source=EXACT,
        best_policy=lambda: tabular(toy_text.exact_blackjack, toy_text.blackjack_state),
        episodes=10_000,
    ),
    Problem(
        "lost-sales",
        lost_sales.spec,
        random_return=-273.80,
        best_return=1424.14,
        source=EXACT,
        best_policy=lambda: tabular(lost_sales.exact, lost_sales.state),
    ),
    Problem(
        "car-rental",
        car_rental.spec,
        random_return=2498.51,
        best_return=3401.08,
        source=EXACT,
        best_policy=lambda: tabular(car_rental.exact, car_rental.state),
    ),
    Problem(
        "admission",
        admission.spec,
        random_return=277.99,
        best_return=591.25,
        source=EXACT,
        best_policy=lambda: tabular(admission.exact, admission.state),
    ),
    Problem(
        "pendulum",
        classic_control.pendulum,
        random_return=-1223.8,
        best_return=classic_control.PENDULUM_BEST,
        source=ZOO,
        episodes=200,
    ),
    Problem(
        "mountain-car-continuous",
        classic_control.mountain_car_continuous,
        random_return=-33.25,
        best_return=classic_control.CAR_BEST,
        source=ZOO,
    ),
    Problem(
        "acrobot",
        classic_control.acrobot,
        random_return=-499.1,
        best_return=classic_control.ACROBOT_BEST,
        source=ZOO,
    ),
    Problem(
        "rooms",
        rooms.spec,
        random_return=-200.0,
        best_return=-66.5,
        source="straight from gap to gap, played in the environment",
        best_policy=lambda: rooms.through_the_gaps,
    ),
]

PROBLEMS = {problem.name: problem for problem in [*TASKS, *OTHERS]}
