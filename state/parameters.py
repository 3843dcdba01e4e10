"""Parameters: the known constants of the task (paper, section 3.2)."""

from pydantic import Field

from state.piece import Identifier, Piece, Sourced

Value = float | list[float] | list[list[float]]


class Parameter(Sourced):
    """A constant of the task: a number, or one number for each of several things."""

    name: Identifier = Field(description="snake_case name, e.g. holding_cost")
    definition: str = Field(description="what it is, in a few words")
    value: Value = Field(description="a number; a list of numbers if there is one for each thing")
    unit: str = Field(default="", description="unit as written (MHz, dBm/Hz, m, ...), or empty")

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the value: ``()`` for a number, ``(n,)`` or ``(n, m)`` for lists."""
        if not isinstance(self.value, list):
            return ()
        if self.value and isinstance(self.value[0], list):
            return (len(self.value), len(self.value[0]))
        return (len(self.value),)


class ParameterList(Piece):
    """Answer of the parameter agent."""

    parameters: list[Parameter]
