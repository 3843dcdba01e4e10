"""A revision: a remark on a finished run, what it touches, and what was done again for it."""

from pydantic import Field

from state.findings import Agent
from state.piece import Piece


class PieceChange(Piece):
    """One piece that the remark makes wrong, named by the agent that writes it."""

    piece: Agent
    reason: str = Field(description="why the remark touches it, in one sentence")
    instruction: str = Field(description="what its agent must change in it, in one sentence")


class Redone(Piece):
    """Whether a node of the graph kept what there was, and why."""

    node: str
    kept: bool
    why: str


class Revision(Piece):
    """What a revised run was begun from, and how far each stage of it had to be done again.

    ``reads`` holds, for each agent, hashes of what its piece was built on before the revision, by
    the name of the piece that it comes from.
    """

    thread_id: str = Field(description="the run that was revised")
    remark: str
    planned: bool = False
    changes: list[PieceChange] = Field(default_factory=list)
    nothing: str = Field(default="", description="why nothing has to change, if nothing has")
    reads: dict[str, dict[str, str]] = Field(default_factory=dict)
    policy_sha256: str = ""
    redone: list[Redone] = Field(default_factory=list)

    def change(self, agent: str) -> PieceChange | None:
        """What the remark asks of ``agent``, or None."""
        return next((change for change in self.changes if change.piece == agent), None)

    def decided(self, node: str) -> Redone | None:
        """What was decided about ``node`` in this revision, or None as long as nothing was."""
        return next((redone for redone in self.redone if redone.node == node), None)
