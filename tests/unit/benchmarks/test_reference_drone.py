import numpy as np
import pytest

from benchmarks.reference.drone import (
    CARRIED,
    DELIVER,
    DELIVERED,
    EAST,
    NORTH,
    PICK_UP,
    SOUTH,
    WAITING,
    WEST,
    Drone,
)
from benchmarks.reference.drone_planner import Plan, Situation, best_plan, planner


def drone(energy: int = 300) -> Drone:
    environment = Drone()
    environment.reset(seed=0)
    environment.cell = np.array([0, 0])
    environment.pickup = np.array([[0, 1], [0, 1], [49, 49]])
    environment.target = np.array([[0, 2], [1, 1], [49, 48]])
    environment.energy = energy
    return environment


def do(environment: Drone, *actions: int) -> list[float]:
    return [environment.step(action)[1] for action in actions]


def test_steps_by_hand() -> None:
    environment = drone()
    # Against two edges, nothing to pick up, nothing to deliver: each costs 1.
    assert do(environment, WEST, SOUTH, PICK_UP, DELIVER) == [-1, -1, -1, -1]
    assert environment.cell.tolist() == [0, 0]
    # The lower number first, and only one at a time.
    assert do(environment, NORTH, PICK_UP, PICK_UP) == [-1, 0, -1]
    assert environment.states.tolist() == [CARRIED, WAITING, WAITING]
    assert do(environment, DELIVER, NORTH, DELIVER) == [-1, -1, 498]
    assert environment.states.tolist() == [DELIVERED, WAITING, WAITING]
    assert environment.energy == 300 - 4 - 2 - 2 - 2


def test_directions() -> None:
    environment = drone()
    environment.cell = np.array([5, 5])
    for action, cell in [(NORTH, [5, 6]), (EAST, [6, 6]), (SOUTH, [6, 5]), (WEST, [5, 5])]:
        do(environment, action)
        assert environment.cell.tolist() == cell


def test_last_unit_is_enough_for_a_delivery() -> None:
    environment = drone(energy=3)
    do(environment, NORTH, PICK_UP, NORTH)
    seen, reward, terminated, truncated, _ = environment.step(DELIVER)
    assert (reward, terminated, truncated) == (499, True, False)
    assert seen[2] == 0


def test_all_delivered_is_the_end() -> None:
    environment = drone()
    environment.states[:2] = DELIVERED
    environment.cell = np.array([49, 49])
    do(environment, PICK_UP, SOUTH)
    assert environment.step(DELIVER)[2]


def test_plan_by_hand() -> None:
    # Along a line: 1 to 2, 4 to 3 and 5 to 9, from 0.
    situation = Situation(
        (0, 0), 300, ((1, 0), (4, 0), (5, 0)), ((2, 0), (3, 0), (9, 0)), (0, 0, 0)
    )
    assert best_plan(situation) == Plan((0, 1, 2), 3, 2 + 2 + 1 + 2 + 4 + 3 * 2)


def test_plan_on_too_small_a_battery_delivers_what_it_can() -> None:
    situation = Situation(
        (0, 0), 8, ((9, 0), (1, 0), (30, 0)), ((1, 0), (2, 0), (40, 0)), (0, 0, 0)
    )
    plan = best_plan(situation)
    assert (plan.order[0], plan.delivered, plan.energy) == (1, 1, 8)


def test_carried_package_comes_first() -> None:
    situation = Situation(
        (0, 0), 300, ((0, 0), (0, 0), (0, 0)), ((9, 9), (0, 1), (0, 2)), (1, 0, 0)
    )
    assert best_plan(situation).order[0] == 0


def test_packages_in_one_cell_are_taken_by_number() -> None:
    situation = Situation(
        (0, 0), 300, ((1, 0), (1, 0), (1, 0)), ((9, 0), (2, 0), (5, 0)), (0, 0, 0)
    )
    assert best_plan(situation).order == (0, 1, 2)


@pytest.mark.parametrize("seed", range(40))
def test_planner_does_what_its_plan_says(seed: int) -> None:
    environment = Drone()
    seen, _ = environment.reset(seed=seed)
    energy = environment.energy
    plan = best_plan(Situation.of_observation(seen))
    running = True
    while running:
        seen, _, terminated, truncated, _ = environment.step(planner(seen, 0))
        running = not (terminated or truncated)
    assert np.count_nonzero(environment.states == DELIVERED) == plan.delivered
    if plan.delivered == 3:
        assert energy - environment.energy == plan.energy
