"""State, action, reward (paper, section 3.2)."""

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from state.piece import Identifier, Piece


class RewardTerm(Piece):
    """A signed part of the reward; the reward of a step is the sum of its terms."""

    name: Identifier
    expression: str = Field(description="value added to the reward, sign included")
    latex: str = ""


class StateActionReward(Piece):
    """Answer of the SAR agent."""

    observation: list[str] = Field(
        min_length=1, description="names of what the agent sees before it decides"
    )
    action: list[Identifier] = Field(min_length=1, description="names of the decision variables")
    reward: list[RewardTerm] = Field(min_length=1, max_length=20)
    reward_unit: str = ""
    reward_low: SkipJsonSchema[float | None] = Field(
        default=None, description="least reward of a step, where no expression says the reward"
    )
    reward_high: SkipJsonSchema[float | None] = Field(
        default=None, description="largest reward of a step, where no expression says the reward"
    )
