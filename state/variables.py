"""Variables: what is decided (decision) and what describes the system (system)."""

import math
from typing import Literal

from pydantic import Field, model_validator

from state.piece import Identifier, Sourced

Bound = float | str | None
MOST_NUMBERS = 10_000


class Variable(Sourced):
    """A quantity that changes from step to step.

    ``shape`` is ``[]`` for one number, ``[4]`` for one number for each of four things.
    ``low`` and ``high`` are inclusive, in ``unit``; a string is an expression over parameters.
    """

    name: Identifier
    role: Literal["decision", "system"]
    definition: str
    dtype: Literal["integer", "real", "boolean"]
    shape: list[int] = Field(default_factory=list, max_length=3)
    low: Bound = None
    high: Bound = None
    unit: str = ""
    labels: list[str] = Field(
        default_factory=list,
        description="for a choice between named options: their names, numbered from 0",
    )

    @model_validator(mode="after")
    def _labels_number_the_options(self) -> "Variable":
        if self.labels:
            if len(set(self.labels)) != len(self.labels):
                raise ValueError(f"variable {self.name}: labels must differ from each other")
            self.dtype, self.low, self.high = "integer", 0.0, len(self.labels) - 1.0
        if self.dtype == "boolean":
            self.low, self.high = 0.0, 1.0
        if any(size < 1 for size in self.shape) or math.prod(self.shape) > MOST_NUMBERS:
            raise ValueError(f"variable {self.name}: it must hold from 1 to {MOST_NUMBERS} numbers")
        return self
