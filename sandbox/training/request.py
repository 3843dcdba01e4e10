"""What training is asked for, and how one attempt at it is made, as plain data."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from sandbox.training.problem import Problem

REQUEST = "training_request.json"
RESULT = "training_result.json"
ATTEMPTS = "attempts"
OPTIMUM = "optimum.json"
SIDE_BY_SIDE = 2

MASK = "possible actions"
STUDY = "study"
SHAPING = "shaping"
CURRICULUM = "curriculum"

REMEDIES = {
    "scaled observations": "numbers are brought to about [-1, 1], logarithms where decades differ",
    "scaled rewards": "rewards are divided by the spread of the discounted return",
    "persistent exploration": "random actions are kept up for some steps",
    "time left": "the share of the episode that is left is observed",
    "differences": "signs and sizes of differences of like quantities are observed",
    "kinds": "whole numbers with few values are observed as one of these",
    MASK: "options that are not carried out as chosen are not considered",
    STUDY: "a study of learning rate, width, exploration and discount when nothing else helped",
    SHAPING: "a step is also paid for what the state it leads to is worth, as looking around found",
    CURRICULUM: "episodes begin near known gains first, and farther off as they are reached",
    "own parts": "each component of the decision sees its own part of the observation",
}


METHODS = (
    "exact", "imitation", "planning", "dqn", "qr-dqn", "ppo", "maskable-ppo", "sac", "td3",
    "additive", "factored",
)  # fmt: skip


def names_in(without: str) -> tuple[str, ...]:
    """Remedies and methods named in a list with commas.

    Raises:
        ValueError: one is neither.
    """
    names = tuple(name for part in without.split(",") if (name := part.strip()))
    for name in names:
        if name not in REMEDIES and name not in METHODS:
            known = ", ".join([*REMEDIES, *METHODS])
            raise ValueError(f"there is no remedy or method {name!r}; known are {known}")
    return names


@dataclass(frozen=True)
class Attempt:
    """How to train once.

    Attributes:
        name: of the folder that it fills.
        method: one of ``METHODS``.
        discount: with which later rewards count while learning.
        total_timesteps: steps (for imitation, examples) at most.
        parallel: episodes side by side.
        batched: step the numpy form of the environment.
        remedies: names from ``REMEDIES`` that are on.
        start_from: folder of the attempt whose policy is improved.
        evaluations: over the whole training, of ``evaluation_episodes`` each.
        stop_after: end after so many steps, as an earlier training did; None for none.
        reasons: why this attempt is made, in words.
        settings: numbers of the learner that are not the usual ones, see ``Numbers``.
        trial: it may be ended once it is seen to fall behind attempts that are like it.
    """

    name: str
    method: str
    discount: float
    total_timesteps: int
    seed: int
    parallel: int = 8
    batched: bool = False
    remedies: list[str] = field(default_factory=list)
    start_from: str = ""
    evaluations: int = 40
    evaluation_episodes: int = 20
    stop_after: int | None = None
    reasons: list[str] = field(default_factory=list)
    settings: dict[str, float] = field(default_factory=dict)
    trial: bool = False

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Build the attempt from its parsed JSON."""
        return cls(**fields)

    def as_json(self) -> dict[str, Any]:
        """All fields."""
        return asdict(self)


@dataclass(frozen=True)
class Wishes:
    """What the caller asks for; None and "auto" leave it open."""

    algorithm: str = "auto"
    steps: int | None = None
    seed: int = 0
    without: tuple[str, ...] = ()
    """Remedies and methods that are not to be used."""


@dataclass(frozen=True)
class Circumstances:
    """What is at hand besides the environment."""

    batched: bool = False
    heuristic: bool = False
    possible: bool = False
    """Which actions are possible can be told from what is seen."""
    ways: bool = False
    """Nearly all random episodes earn the same, and looking around found more than they do."""


@dataclass(frozen=True)
class Request:
    """What is asked: the problem, wishes, circumstances and the seconds there are."""

    problem: Problem
    wishes: Wishes
    circumstances: Circumstances
    seconds: float
    side_by_side: int = SIDE_BY_SIDE

    def to_json(self) -> str:
        """The request as the text of its file."""
        return json.dumps(asdict(self), indent=1, allow_nan=False)

    @classmethod
    def read(cls, path: Path) -> "Request":
        """Read a request; ``OSError``, ``ValueError``, ``KeyError`` or ``TypeError`` if none."""
        fields = json.loads(path.read_text())
        wishes = {**fields["wishes"], "without": tuple(fields["wishes"].get("without", ()))}
        return cls(
            Problem.from_json(fields["problem"]),
            Wishes(**wishes),
            Circumstances(**fields["circumstances"]),
            float(fields["seconds"]),
            int(fields.get("side_by_side", SIDE_BY_SIDE)),
        )
