"""Four rooms one after the other, gaps between them at alternating ends, and a drift.

Places are real numbers and each step holds chance, so that neither a list of states nor a plan can
be made, and random walks do not arrive.
"""

from typing import Any

from benchmarks.other.spelling import decision, generated, quantity, rule
from state.spec import Spec

HORIZON = 200
SIDE, WIDTH, GAP = 16.0, 4.0, 3.0
DRIFT = 0.3


def spec() -> Spec:
    """A square of rooms side by side; the goal is the corner at the far end."""
    return generated(
        "Four rooms",
        "Get from the first room into the far corner of the last one in few steps.",
        parameters={"side": SIDE, "width": WIDTH, "gap": GAP, "drift": DRIFT},
        variables=[
            decision("direction", "where to go", 0, 3, labels=["up", "right", "down", "left"]),
            quantity("x", "way across the rooms", 0, "side", dtype="real"),
            quantity("y", "way along the rooms", 0, "side", dtype="real"),
            quantity("drift_x", "push aside", "-drift", "drift", dtype="real"),
            quantity("drift_y", "push along", "-drift", "drift", dtype="real"),
            quantity("x_ahead", "where the step would lead", 0, "side", dtype="real"),
            quantity("y_ahead", "where the step would lead", 0, "side", dtype="real"),
            quantity("room", "room before the step", 0, 3),
            quantity("room_ahead", "room after the step", 0, 3),
            quantity("wall", "the wall between the two, counted from the first", 0, 3),
            quantity("open", "whether there is no wall, or its gap", dtype="boolean"),
        ],
        observation=["x", "y"],
        rewards={"step": "-1"},
        rules=[
            rule("drift_x", "revealed_after_decision", "uniform(-drift, drift)"),
            rule("drift_y", "revealed_after_decision", "uniform(-drift, drift)"),
            rule("x_ahead", "computed",
                 "clip(previous_x + (direction == 1) - (direction == 3) + drift_x, 0, side)"),
            rule("y_ahead", "computed",
                 "clip(previous_y + (direction == 0) - (direction == 2) + drift_y, 0, side)"),
            rule("room", "computed", "(previous_x >= width) + (previous_x >= 2 * width) "
                 "+ (previous_x >= 3 * width)"),
            rule("room_ahead", "computed",
                 "(x_ahead >= width) + (x_ahead >= 2 * width) + (x_ahead >= 3 * width)"),
            rule("wall", "computed", "min(room, room_ahead)"),
            rule("open", "computed", "room == room_ahead or "
                 "(y_ahead < gap if wall == 1 else y_ahead > side - gap)"),
            rule("x", "updated", "x_ahead if open else previous_x", "uniform(0, 1)"),
            rule("y", "updated", "y_ahead if open else previous_y", "uniform(0, 1)"),
        ],
        horizon=HORIZON,
        termination="x > side - 1 and y < 1",
    )  # fmt: skip


def through_the_gaps(observation: Any, time_step: int) -> int:
    """Straight to the height of the next gap, through it, and so on: nearly the shortest way."""
    x, y = (float(number) for number in observation)
    room = min(int(x // WIDTH), 3)
    if room == 3:
        return 2 if y >= 1 else 1
    if y < GAP if room == 1 else y > SIDE - GAP:
        return 1
    return 2 if room == 1 else 0
