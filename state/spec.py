"""The whole specification, as written to ``spec.json``."""

from pydantic import Field

from state.constraints import Constraint
from state.dynamics import Dynamics
from state.model import MarkovModel
from state.objective import Objective
from state.parameters import Parameter
from state.piece import Piece
from state.question import Answered
from state.review import Assumption
from state.sar import StateActionReward
from state.variables import Variable


class Spec(Piece):
    """Everything that was derived from the description, ready to be compiled."""

    title: str = "task"
    description: str
    parameters: list[Parameter]
    objective: Objective
    variables: list[Variable]
    constraints: list[Constraint]
    model: MarkovModel
    sar: StateActionReward
    dynamics: Dynamics
    answers: list[Answered] = Field(
        default_factory=list, description="what a person said where the description is open"
    )
    assumptions: list[Assumption] = Field(
        default_factory=list, description="what was assumed where the description is open"
    )

    def parameter(self, name: str) -> Parameter | None:
        """The parameter called ``name``, or None."""
        return next((p for p in self.parameters if p.name == name), None)

    def variable(self, name: str) -> Variable | None:
        """The variable called ``name``, or None."""
        return next((v for v in self.variables if v.name == name), None)

    @property
    def decisions(self) -> list[Variable]:
        """Decision variables in the order in which the action lists them."""
        return [v for name in self.sar.action if (v := self.variable(name)) is not None]
