"""A rule of thumb to decide by, as a model wrote it, and what a trial made of it."""

from pydantic import Field

from state.findings import Finding
from state.piece import Piece
from state.python_source import PythonSource


class Heuristic(Piece):
    """Answer of the heuristic agent."""

    rule: str = Field(description="the rule in one or two sentences")
    source: PythonSource = Field(description="the whole Python function heuristic(seen)")


class HeuristicTrial(Piece):
    """What came of a few episodes under the heuristic and under random decisions.

    Returns are undiscounted means over the same seeds, None where the heuristic broke off. The
    findings are about the specification that it was tried in.
    """

    unfit: str = Field(default="", description="why no heuristic can be tried here, or empty")
    faults: list[str] = Field(default_factory=list)
    episodes: int = Field(default=0, ge=0)
    mean_return: float | None = None
    random_return: float | None = None
    milliseconds: float = Field(default=0.0, ge=0, description="processor time of a decision")
    findings: list[Finding] = Field(default_factory=list)
