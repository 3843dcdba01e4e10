"""Parameters: the known constants of the task (paper, section 3.2)."""

from pydantic import Field, field_validator

from state.piece import Identifier, Sourced

Value = float | list[float] | list[list[float]]


class Parameter(Sourced):
    """A constant of the task: a number, or one number for each of several things."""

    name: Identifier = Field(description="snake_case name, e.g. holding_cost")
    definition: str = Field(description="what it is, in a few words")
    value: Value = Field(description="a number; a list of numbers if there is one for each thing")
    unit: str = Field(default="", description="unit as written (MHz, dBm/Hz, m, ...), or empty")

    @field_validator("value")
    @classmethod
    def _full_and_even(cls, value: Value) -> Value:
        if isinstance(value, list):
            if not value:
                raise ValueError("give a number; leave out what has none")
            rows = [len(row) if isinstance(row, list) else -1 for row in value]
            if len(set(rows)) > 1 or 0 in rows:
                raise ValueError("the rows of a table must have the same length")
        return value

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the value: ``()`` for a number, ``(n,)`` or ``(n, m)`` for lists."""
        if not isinstance(self.value, list):
            return ()
        if self.value and isinstance(self.value[0], list):
            return (len(self.value), len(self.value[0]))
        return (len(self.value),)
