"""Jack's car rental (Sutton and Barto, 2018, example 4.2) with other constants."""

from typing import Any

import numpy as np

from benchmarks.exact import FiniteProblem, Numbers, poisson
from benchmarks.other.spelling import decision, generated, quantity, rule
from state.spec import Spec

HORIZON = 60
ROOM, MOST_MOVED, AT_START = 14, 4, 7
RENT, MOVE_COST, PARKING, FREE_PARKING = 12.0, 3.0, 5.0, 9
REQUESTS, RETURNS = (2.0, 4.0), (3.0, 2.0)


def spec() -> Spec:
    """Cars are moved overnight, then customers ask for them, then others bring them back."""
    return generated(
        "Car rental with two places",
        "Earn as much as possible over 60 days.",
        parameters={"room": ROOM, "rent": RENT, "move_cost": MOVE_COST, "parking_cost": PARKING,
                    "free_parking": FREE_PARKING, "requests_a": REQUESTS[0],
                    "requests_b": REQUESTS[1], "returns_a": RETURNS[0], "returns_b": RETURNS[1]},
        variables=[
            decision("wanted", "cars to move from a to b, negative from b to a",
                     -MOST_MOVED, MOST_MOVED),
            quantity("cars_a", "cars at place a", 0, "room"),
            quantity("cars_b", "cars at place b", 0, "room"),
            quantity("moved", "cars that there were to move", -MOST_MOVED, MOST_MOVED),
            quantity("ready_a", "cars at a in the morning", 0, "room"),
            quantity("ready_b", "cars at b in the morning", 0, "room"),
            quantity("asked_a", "cars asked for at a", 0),
            quantity("asked_b", "cars asked for at b", 0),
            quantity("brought_a", "cars brought back to a", 0),
            quantity("brought_b", "cars brought back to b", 0),
            quantity("rented_a", "cars rented at a", 0),
            quantity("rented_b", "cars rented at b", 0),
        ],
        observation=["cars_a", "cars_b"],
        rewards={
            "rents": "rent * (rented_a + rented_b)",
            "moves": "-move_cost * abs(moved)",
            "parking": "-parking_cost * ((ready_a > free_parking) + (ready_b > free_parking))",
        },
        rules=[
            rule("moved", "computed", "clip(wanted, -previous_cars_b, previous_cars_a)"),
            rule("ready_a", "computed", "min(previous_cars_a - moved, room)"),
            rule("ready_b", "computed", "min(previous_cars_b + moved, room)"),
            rule("asked_a", "revealed_after_decision", "poisson(requests_a)"),
            rule("asked_b", "revealed_after_decision", "poisson(requests_b)"),
            rule("brought_a", "revealed_after_decision", "poisson(returns_a)"),
            rule("brought_b", "revealed_after_decision", "poisson(returns_b)"),
            rule("rented_a", "computed", "min(asked_a, ready_a)"),
            rule("rented_b", "computed", "min(asked_b, ready_b)"),
            rule("cars_a", "updated", "min(ready_a - rented_a + brought_a, room)", str(AT_START)),
            rule("cars_b", "updated", "min(ready_b - rented_b + brought_b, room)", str(AT_START)),
        ],
        horizon=HORIZON,
    )  # fmt: skip


def exact() -> FiniteProblem:
    """States are cars at a times (room + 1) plus cars at b; action 0 moves the most from b to a."""
    size = ROOM + 1
    (days_a, rented_a), (days_b, rented_b) = (
        _day(*means) for means in zip(REQUESTS, RETURNS, strict=True)
    )
    a, b, wanted = np.meshgrid(
        np.arange(size), np.arange(size), np.arange(-MOST_MOVED, MOST_MOVED + 1), indexing="ij"
    )
    moved = np.clip(wanted, -b, a)
    ready_a, ready_b = np.minimum(a - moved, ROOM), np.minimum(b + moved, ROOM)
    rewards = RENT * (rented_a[ready_a] + rented_b[ready_b]) - MOVE_COST * np.abs(moved)
    rewards -= PARKING * ((ready_a > FREE_PARKING) * 1.0 + (ready_b > FREE_PARKING))

    def ahead(value: Numbers) -> Numbers:
        by_morning = days_a @ value.reshape(size, size) @ days_b.T
        found: Numbers = by_morning[ready_a, ready_b].reshape(size**2, -1)
        return found

    start = np.zeros(size**2)
    start[state((AT_START, AT_START))] = 1.0
    return FiniteProblem(rewards.reshape(size**2, -1), ahead, start, HORIZON)


def _day(requests: float, returns: float) -> tuple[Numbers, Numbers]:
    """Probabilities (morning, evening) of the cars at a place, and mean cars rented (morning)."""
    size = ROOM + 1
    asked = poisson(requests, ROOM + 1)
    moves, rented = np.zeros((size, size)), np.zeros(size)
    for morning in range(size):
        for wanted, probability in enumerate(asked):
            out = min(wanted, morning)
            rented[morning] += probability * out
            left = morning - out
            moves[morning, left:] += probability * poisson(returns, ROOM - left)
    return moves, rented


def state(observation: Any) -> int:
    """Number of the state that an observation shows."""
    a, b = (round(float(number)) for number in observation)
    return a * (ROOM + 1) + b
