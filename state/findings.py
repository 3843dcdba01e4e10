"""What a check found."""

from typing import Literal

from pydantic import Field

from state.piece import Piece

Agent = Literal[
    "parameter",
    "objective",
    "variable",
    "constraint",
    "modeling",
    "sar",
    "environment",
    "coding",
]
"""Agents that write a piece of the specification or the code, in the order in which they run."""

Owner = Literal[Agent, "training"]

BEFORE_MODEL: frozenset[Owner] = frozenset({"parameter", "objective", "variable", "constraint"})
"""Agents whose pieces the model is built on."""
PERSON = "person"
"""Name of the check under which a person's remark is filed."""


class Finding(Piece):
    """One thing that is wrong, said so that its owner can change it."""

    check: str = Field(description="name of the check that found it")
    owner: Owner = Field(description="agent that can mend it")
    place: str = Field(default="", description="function, line or piece of the spec")
    expected: str = ""
    found: str = ""
    message: str = Field(description="one plain sentence")
    blocking: bool = True
    episode: list[str] = Field(
        default_factory=list, description="what happened in an episode that shows it"
    )


class CheckReport(Piece):
    """Result of one pass over the checks."""

    passed: list[str] = Field(default_factory=list, description="checks that found nothing")
    findings: list[Finding] = Field(default_factory=list)
    seconds: float = 0.0

    @property
    def clean(self) -> bool:
        """True when nothing found blocks training."""
        return not self.blocking

    @property
    def blocking(self) -> list[Finding]:
        """The findings that block training."""
        return [finding for finding in self.findings if finding.blocking]
