"""Objective: what the decision maker wants, in words."""

from typing import Literal

from pydantic import Field

from state.piece import Sourced


class Objective(Sourced):
    """The goal over a whole episode."""

    sense: Literal["maximize", "minimize"]
    statement: str = Field(description="the goal in one sentence")
    measure: str = Field(description="what is added up over the steps, in words")
