"""Along a slippery cliff, as Gymnasium's CliffWalkingSlippery-v1, but with a limit of 200 steps.

Gymnasium's own has no limit, so that a policy which never arrives would never end.
"""

from typing import Any

import gymnasium

from benchmarks.exact import FiniteProblem, from_transitions
from benchmarks.other.spelling import decision, generated, quantity, rule
from state.spec import Spec

HORIZON = 200
COLUMNS = 12


def spec() -> Spec:
    """A grid of 4 x 12 cells; the cliff is the lowest row, without its corners."""
    return generated(
        "Along a slippery cliff",
        "Get from the lower left corner to the lower right one in few steps and without a fall.",
        parameters={"rows": 4, "columns": 12, "fall_cost": 100, "step_cost": 1},
        variables=[
            decision("direction", "where to go", 0, 3, labels=["up", "right", "down", "left"]),
            quantity("row", "row, counted from the top", 0, 3),
            quantity("column", "column, counted from the left", 0, 11),
            quantity("slip", "-1 and 1: aside instead of ahead", -1, 1),
            quantity("way", "direction of the step that comes of it", 0, 3),
            quantity("row_reached", "row after the step", 0, 3),
            quantity("column_reached", "column after the step", 0, 11),
            quantity("falls", "whether the step ends below the cliff", dtype="boolean"),
        ],
        observation=["row", "column"],
        rewards={"step": "-fall_cost if falls else -step_cost"},
        rules=[
            rule("slip", "revealed_after_decision", "uniform_integer(-1, 1)"),
            rule("way", "computed", "(direction + slip + 4) % 4"),
            rule("row_reached", "computed",
                 "clip(previous_row + (way == 2) - (way == 0), 0, rows - 1)"),
            rule("column_reached", "computed",
                 "clip(previous_column + (way == 1) - (way == 3), 0, columns - 1)"),
            rule("falls", "computed",
                 "row_reached == rows - 1 and column_reached > 0 and column_reached < columns - 1"),
            rule("row", "updated", "rows - 1 if falls else row_reached", "rows - 1"),
            rule("column", "updated", "0 if falls else column_reached", "0"),
        ],
        horizon=HORIZON,
        termination="row == rows - 1 and column == columns - 1",
    )  # fmt: skip


def exact() -> FiniteProblem:
    """The problem of Gymnasium's own table of transitions; states are row * 12 + column."""
    environment: Any = gymnasium.make("CliffWalkingSlippery-v1").unwrapped
    return from_transitions(environment.P, environment.initial_state_distrib, HORIZON)


def state(observation: Any) -> int:
    """Number of the state that an observation shows."""
    row, column = (round(float(number)) for number in observation)
    return row * COLUMNS + column
