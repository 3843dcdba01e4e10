"""What an agent thought of its own answer when it read the description again."""

from typing import Literal, get_args

from pydantic import Field

from state.piece import Piece

Reviewed = Literal["parameter", "objective", "variable", "constraint", "modeling", "sar"]
REVIEWED: tuple[Reviewed, ...] = get_args(Reviewed)
"""Agents whose answers can be reviewed, in the order in which they run."""

Clarify = Literal["ask", "assume", "fail"]


class OpenPoint(Piece):
    """What the description leaves open: a question to a person and what holds without an answer."""

    question: str
    choices: list[str] = Field(default_factory=list)
    assumption: str


class Doubt(Piece):
    """A part of an answer that may be wrong.

    ``open_point`` is set where not the reading but the description is in doubt.
    """

    item: str = Field(description="name of the part, or what is missing")
    score: float = Field(ge=0, le=1, description="confidence; 0 for what a rule found")
    reason: str
    evidence: str = Field(default="", description="words of the description, or empty")
    found_by: Literal["model", "rule"]
    open_point: OpenPoint | None = None
    seen: int = Field(default=1, description="reviews in a row that had this doubt")


class Review(Piece):
    """The latest review of an agent's answer, and what has come of it so far.

    ``readings`` holds how the doubtful items were read before they were examined again.
    """

    scores: dict[str, float] = Field(default_factory=dict)
    doubts: list[Doubt] = Field(default_factory=list)
    readings: dict[str, str] = Field(default_factory=dict)
    reexaminations: int = Field(default=0, ge=0)
    unchanged: bool = Field(default=False, description="the last re-examination changed nothing")
    settled: Literal["", "answered", "assumed"] = Field(
        default="", description="how a question about the doubts that stayed was settled"
    )


class Assumption(Piece):
    """What was assumed instead of asking a person."""

    agent: Reviewed
    question: str
    assumption: str
