"""What training is told of a problem: the form of its decisions, observations and episodes."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self


@dataclass(frozen=True)
class Piece:
    """A named piece of the flat observation or of the decision; ``shape`` [] for one number."""

    name: str
    shape: list[int] = field(default_factory=list)
    unit: str = ""
    low: float | None = None
    high: float | None = None
    dtype: str = "real"

    @property
    def size(self) -> int:
        """How many numbers it holds."""
        size = 1
        for length in self.shape:
            size *= length
        return size


@dataclass(frozen=True)
class Problem:
    """A problem to train for.

    Attributes:
        gymnasium_id: id of a standard environment, or empty for ``environment.py``.
        horizon: steps of an episode at most.
        discount: of the formulation.
        shapes_future: whether any decision changes what comes after its own step.
        observation: pieces of the flat observation in order; empty if not known.
        decisions: pieces of the action in order; empty if not known.
    """

    gymnasium_id: str = ""
    horizon: int = 1000
    discount: float = 0.99
    shapes_future: bool = True
    observation: list[Piece] = field(default_factory=list)
    decisions: list[Piece] = field(default_factory=list)

    def to_json(self) -> str:
        """The problem as the text of its file."""
        return json.dumps(asdict(self), indent=1, allow_nan=False)

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Build the problem from its parsed JSON; ``TypeError`` if it is none."""
        pieces = {
            key: [Piece(**p) for p in fields.get(key, [])] for key in ("observation", "decisions")
        }
        return cls(**{**fields, **pieces})

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a problem; ``OSError``, ``ValueError`` or ``TypeError`` if there is none."""
        return cls.from_json(json.loads(path.read_text()))
