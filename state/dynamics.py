"""Dynamics: how an episode begins, moves on and ends."""

from typing import Literal

from pydantic import Field

from state.piece import Identifier, Piece

RuleKind = Literal[
    "fixed", "known_before_decision", "revealed_after_decision", "computed", "updated", "code"
]


class Rule(Piece):
    """How one system variable gets its values.

    ========================  =============================================================
    kind                      meaning
    ========================  =============================================================
    fixed                     set when an episode begins, then kept
    known_before_decision     new in every step (random or by the clock), known when deciding
    revealed_after_decision   new in every step, not yet known when deciding
    computed                  worked out in every step from other values; not remembered
    updated                   remembered; its new value is worked out from the old ones
    code                      written by a code body that names it in ``writes``
    ========================  =============================================================

    A "computed" rule of a decision variable says what is done instead of a choice that is not
    possible.
    """

    variable: Identifier
    kind: RuleKind
    initial: str = Field(
        default="", description="value or distribution when an episode begins, or empty"
    )
    expression: str = Field(default="", description="value or distribution in every step, or empty")


class CodeBody(Piece):
    """Something that no expression can say; a Python function does it."""

    name: Identifier
    when: Literal["reset", "step"]
    purpose: str = Field(description="exactly what the function must do")
    reads: list[str]
    writes: list[Identifier] = Field(min_length=1)


class Dynamics(Piece):
    """Answer of the environment agent.

    Either ``gymnasium_id`` names a standard environment and the rest is empty, or ``rules``
    (applied from first to last in every step) give each system variable its values.
    """

    gymnasium_id: str = ""
    rules: list[Rule] = Field(default_factory=list)
    termination: str = Field(
        default="", description="true when the episode is over before the horizon, or empty"
    )
    bodies: list[CodeBody] = Field(default_factory=list)

    @property
    def ruled(self) -> bool:
        """True where rules say how the environment moves on.

        Otherwise it is a standard one, or somebody's own of which only the outside is declared.
        """
        return not self.gymnasium_id and bool(self.rules or self.bodies)
