"""What a person decided about a piece of the work that was put before them."""

from typing import Literal, get_args

from pydantic import Field

from state.findings import Owner
from state.piece import Piece

Gate = Literal["spec", "code", "policy"]
Decision = Literal["approved", "edited", "sent_back", "given_up"]

GATES: tuple[Gate, ...] = get_args(Gate)


class Approval(Piece):
    """One decision at one gate.

    ``given_up`` is the decision that the gate itself takes when it was passed in vain too often.
    """

    gate: Gate
    decision: Decision
    sha256: str = Field(description="of the piece that was looked at, or that an edit made")
    agent: Owner | None = Field(default=None, description="to whom it was sent back")
    remark: str = ""


def gates_in(text: str) -> frozenset[Gate]:
    """The gates that ``text`` names, with commas between them; ``none`` and nothing are none.

    Raises:
        ValueError: there is no such gate.
    """
    names = {name.strip() for name in text.split(",")} - {"", "none"}
    unknown = sorted(names - set(GATES))
    if unknown:
        raise ValueError(f"there is no {unknown[0]!r} to approve; known are {', '.join(GATES)}")
    return frozenset(gate for gate in GATES if gate in names)
