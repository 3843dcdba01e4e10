"""The best flights of the drone task: all orders of the packages, each leg a straight way.

Only one package is carried at a time and nothing is in the way, so a plan is an order of packages,
and its energy is the sum of the Manhattan distances of its legs and the price of the deliveries.
"""

from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from benchmarks.reference.drone import (
    CARRIED,
    DELIVER,
    DELIVERED,
    DELIVERY_COST,
    EAST,
    NORTH,
    PACKAGES,
    PICK_UP,
    SOUTH,
    WAITING,
    WEST,
)

Cell = tuple[int, int]


@dataclass(frozen=True)
class Situation:
    """Where everything is; ``pickup``, ``target`` and ``states`` have an entry for each package."""

    cell: Cell
    energy: int
    pickup: tuple[Cell, ...]
    target: tuple[Cell, ...]
    states: tuple[int, ...]

    @classmethod
    def of_observation(cls, observation: Any) -> "Situation":
        """Read an observation (18) of :class:`benchmarks.reference.drone.Drone`."""
        seen = [round(float(number)) for number in observation]
        cells = [(seen[k], seen[k + 1]) for k in range(3, 15, 2)]
        pickup, target = tuple(cells[:PACKAGES]), tuple(cells[PACKAGES:])
        return cls((seen[0], seen[1]), seen[2], pickup, target, tuple(seen[15:18]))


@dataclass(frozen=True)
class Plan:
    """An order of the packages still to be delivered, and what comes of it."""

    order: tuple[int, ...]
    delivered: int
    energy: int


def best_plan(situation: Situation) -> Plan:
    """The plan that delivers most and, among those, uses the least energy."""
    return max(_plans(situation), key=lambda plan: (plan.delivered, -plan.energy))


def _plans(situation: Situation) -> list[Plan]:
    open_packages = [k for k, state in enumerate(situation.states) if state != DELIVERED]
    carried = [k for k in open_packages if situation.states[k] == CARRIED]
    plans = []
    for order in permutations(open_packages):
        if list(order[: len(carried)]) == carried and _picked_in_order(situation, order):
            plans.append(_flown(situation, order))
    return plans


def _picked_in_order(situation: Situation, order: tuple[int, ...]) -> bool:
    """Of packages that wait in one cell, the one with the lowest number is taken first."""
    waiting = [k for k in order if situation.states[k] == WAITING]
    return all(
        later > earlier or situation.pickup[later] != situation.pickup[earlier]
        for place, earlier in enumerate(waiting)
        for later in waiting[place + 1 :]
    )


def _flown(situation: Situation, order: tuple[int, ...]) -> Plan:
    cell, energy, delivered = situation.cell, situation.energy, 0
    for package in order:
        if situation.states[package] == WAITING:
            energy -= distance(cell, situation.pickup[package])
            cell = situation.pickup[package]
        energy -= distance(cell, situation.target[package])
        cell = situation.target[package]
        if energy <= 0:
            break
        # The last unit is enough: what costs more than is left is still carried out.
        energy -= DELIVERY_COST
        delivered += 1
    return Plan(order, delivered, situation.energy - max(energy, 0))


def distance(one: Cell, other: Cell) -> int:
    """Manhattan distance in cells."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def planner(observation: Any, time_step: int) -> int:
    """The next action of the best plan, made anew in every step."""
    situation = Situation.of_observation(observation)
    package = best_plan(situation).order[0]
    waiting = situation.states[package] == WAITING
    goal = situation.pickup[package] if waiting else situation.target[package]
    east, north = np.subtract(goal, situation.cell)
    if east:
        return EAST if east > 0 else WEST
    if north:
        return NORTH if north > 0 else SOUTH
    return PICK_UP if waiting else DELIVER
