"""Constraints: rules that must always hold, in words."""

from pydantic import Field

from state.piece import Identifier, Sourced


class Constraint(Sourced):
    """A rule that no step may break."""

    name: Identifier
    statement: str = Field(description="the rule in one sentence")
