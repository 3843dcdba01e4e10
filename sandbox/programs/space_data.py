"""Spaces of Gymnasium as plain data, and back."""

from typing import Any

import numpy as np
from gymnasium import spaces

from sandbox.programs.faults import AnswerInvalid, mapping

LARGEST_SPACE = 1_000_000
LONGEST_TEXT = 300


class OtherSpace(spaces.Space[Any]):
    """A space of a kind that no policy here is trained for; known by its text alone."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text

    def __repr__(self) -> str:
        return self.text


def as_plain(space: Any) -> dict[str, Any]:
    """The kind of ``space`` and its numbers; of other kinds only how they show themselves."""
    if isinstance(space, spaces.Discrete):
        return {"kind": "discrete", "n": int(space.n), "start": int(space.start)}
    if isinstance(space, spaces.MultiDiscrete):
        return {
            "kind": "multi_discrete", "nvec": space.nvec, "start": space.start,
            "dtype": space.dtype.str,
        }  # fmt: skip
    if isinstance(space, spaces.MultiBinary):
        return {"kind": "multi_binary", "n": space.n if isinstance(space.n, int) else list(space.n)}
    if isinstance(space, spaces.Box):
        return {"kind": "box", "low": space.low, "high": space.high, "dtype": space.dtype.str}
    return {"kind": "other", "text": str(space)[:LONGEST_TEXT]}


def from_plain(fields: Any) -> spaces.Space[Any]:
    """A space of its own with the same numbers.

    Raises:
        AnswerInvalid: that is no space.
    """
    fields = mapping(fields)
    try:
        space = _space(str(fields["kind"]), fields)
    except (KeyError, TypeError, ValueError, AssertionError, OverflowError) as error:
        raise AnswerInvalid(f"a space cannot be read: {error}") from error
    size = int(np.prod(space.shape or (), dtype=float))
    if size > LARGEST_SPACE:
        raise AnswerInvalid(f"a space has {size} numbers")
    return space


def _space(kind: str, fields: Any) -> spaces.Space[Any]:
    if kind == "discrete":
        return spaces.Discrete(int(fields["n"]), start=int(fields["start"]))
    if kind == "multi_discrete":
        return spaces.MultiDiscrete(
            np.asarray(fields["nvec"]), _numeric(fields["dtype"]), start=np.asarray(fields["start"])
        )
    if kind == "multi_binary":
        n = fields["n"]
        return spaces.MultiBinary([int(length) for length in n] if isinstance(n, list) else int(n))
    if kind == "box":
        low, high = np.asarray(fields["low"]), np.asarray(fields["high"])
        if low.shape != high.shape:
            raise ValueError("limits of different shapes")
        return spaces.Box(low, high, dtype=_numeric(fields["dtype"]))
    if kind == "other":
        return OtherSpace(str(fields["text"])[:LONGEST_TEXT])
    raise ValueError(kind)


def _numeric(name: Any) -> Any:
    dtype = np.dtype(str(name))
    if dtype.kind not in "iufb":
        raise ValueError(f"no numbers are of type {dtype}")
    return dtype.type
