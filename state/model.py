"""The MDP formulation: objective and constraints as equations (paper, section 3.2)."""

from pydantic import Field

from state.piece import Identifier, Piece


class ConstraintEquation(Piece):
    """One constraint as LaTeX for people and as an expression for machines."""

    name: Identifier
    latex: str
    expression: str = Field(
        description="true when the constraint holds, in the expression language; "
        "empty where the constraint says how things work rather than what may not happen"
    )


class MarkovModel(Piece):
    """Answer of the modeling agent."""

    objective_latex: str = Field(description="max or min over policies of the expected sum")
    step_measure: str = Field(
        description="what one step adds to the objective's own measure, as an expression"
    )
    constraints: list[ConstraintEquation]
    discount: float = Field(ge=0, le=1)
    horizon: int = Field(ge=1, le=1_000_000, description="most decision steps in one episode")
    step_length: str = Field(
        default="", description="how long one step lasts, e.g. '1 day', or empty"
    )
