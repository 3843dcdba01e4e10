"""Where a run stands with its gates: pure functions of the state."""

import hashlib

from state.approval import Gate
from state.run_state import RunState

MOST_ROUNDS = 10
"""Times that a piece may be edited or sent back before its gate gives up."""


def piece_hash(state: RunState, gate: Gate) -> str:
    """SHA-256 of the piece that ``gate`` is about, empty where there is none."""
    if gate == "spec":
        return hashlib.sha256(state.spec().model_dump_json(indent=2).encode()).hexdigest()
    if gate == "code":
        artefact = state.code.environment if state.code else None
    else:
        artefact = state.training.policy if state.training else None
    return artefact.sha256 if artefact else ""


def is_settled(state: RunState, gate: Gate) -> bool:
    """True if there is nothing to look at, or a person approved it, or made it, as it is now."""
    sha256 = piece_hash(state, gate)
    return not sha256 or any(
        (past.gate, past.sha256) == (gate, sha256) and past.decision in ("approved", "edited")
        for past in state.approvals
    )


def edited_last(state: RunState) -> Gate | None:
    """The gate whose piece a person has edited, if nobody has worked on it since."""
    last = state.approvals[-1] if state.approvals else None
    return last.gate if last is not None and last.decision == "edited" else None


def rounds_at(state: RunState, gate: Gate) -> int:
    """How often a person edited the piece or sent it back."""
    return sum(past.gate == gate and past.decision != "approved" for past in state.approvals)
