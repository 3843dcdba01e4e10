"""What a learner sees of an observation: each number brought to a size that a network can take."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sandbox.training.possible import PossibleActions

DECADES_AFTER = 1000.0
"""Positive numbers of which the 95th percentile is so many times the 5th are seen as logarithms."""
NARROW = 0.25
"""Limits more than four times as wide as what is met are no guide to scaling."""


@dataclass
class Scaling:
    """Brings each number of an observation to about [-1, 1].

    A number with sensible limits goes there linearly. One without, or with limits far wider than
    what is met, is standardised and squashed by sign(z) log(1 + |z|). One that spans many powers
    of ten is replaced by its logarithm first. All fields have one entry a number.
    """

    logarithmic: NDArray[np.bool_]
    squashed: NDArray[np.bool_]
    floor: NDArray[np.float64]
    center: NDArray[np.float64]
    scale: NDArray[np.float64]

    @classmethod
    def fitted(cls, space: spaces.Box, samples: NDArray[np.float64]) -> Self:
        """The scaling for ``space`` after ``samples`` (k, d) of observations were met."""
        low, high = space.low.astype(np.float64), space.high.astype(np.float64)
        met = samples.max(axis=0) - samples.min(axis=0)
        fifth, ninety_fifth = np.percentile(samples, [5, 95], axis=0)
        positive = samples.min(axis=0) > 0
        logarithmic = positive & (ninety_fifth > DECADES_AFTER * np.maximum(fifth, 1e-300))
        bounded = np.isfinite(low) & np.isfinite(high) & (high > low) & (high < 1e30)
        with np.errstate(over="ignore", invalid="ignore"):
            narrow = (met > 0) & (met < NARROW * np.where(bounded, high - low, np.inf))
        squashed = ~bounded | narrow | logarithmic
        floor = np.where(positive, samples.min(axis=0), 1.0)
        measured = np.where(logarithmic, np.log10(np.maximum(samples, floor)), samples)
        deviation = measured.std(axis=0)
        deviation[deviation == 0] = 1.0
        safe_low, safe_high = np.where(bounded, low, -1.0), np.where(bounded, high, 1.0)
        center = np.where(squashed, measured.mean(axis=0), (safe_low + safe_high) / 2)
        scale = np.where(squashed, deviation, (safe_high - safe_low) / 2)
        return cls(logarithmic, squashed, floor, center, scale)

    @classmethod
    def off(cls, size: int) -> Self:
        """No scaling at all."""
        none = np.zeros(size, dtype=bool)
        return cls(none, none, np.ones(size), np.zeros(size), np.ones(size))

    def __call__(self, observations: NDArray[Any]) -> NDArray[np.float32]:
        """Scaled observations of the same shape (..., d)."""
        values = np.asarray(observations, dtype=np.float64)
        if self.logarithmic.any():
            values = np.where(self.logarithmic, np.log10(np.maximum(values, self.floor)), values)
        values = (values - self.center) / self.scale
        if self.squashed.any():
            squashed = np.sign(values) * np.log1p(np.abs(values))
            values = np.where(self.squashed, squashed, values)
        return values.astype(np.float32)


@dataclass
class Features:
    """Scaled observation, on request with time left, differences and kinds.

    ``pairs`` (p, 2) are indices of numbers of one kind, such as two coordinates; each pair adds
    the sign of the difference and the scaled difference itself. ``kinds`` (k, 2) are pairs of an
    index and a value that the number there may have; each adds whether it has it. ``horizon``
    above 0 adds the share of the episode that is left, from 1 to -1. ``possible`` adds, at the
    end, which of the options of the decision are possible.
    """

    scaling: Scaling
    horizon: int = 0
    pairs: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    kinds: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    possible: PossibleActions | None = None

    @property
    def options(self) -> int:
        """Number of the last features that say which options are possible."""
        return self.possible.count if self.possible is not None else 0

    @property
    def size(self) -> int:
        """Number of features."""
        numbers = len(self.scaling.center)
        return numbers + 2 * len(self.pairs) + len(self.kinds) + bool(self.horizon) + self.options

    def __call__(
        self, observations: NDArray[Any], time_steps: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Features (n, m) of observations (n, d) of episodes with ``time_steps`` (n,) behind."""
        parts = [self.scaling(observations)]
        if len(self.pairs):
            one, other = self.pairs[:, 0], self.pairs[:, 1]
            observations = np.asarray(observations, dtype=np.float32)
            differences = observations[:, one] - observations[:, other]
            parts += [
                np.sign(differences),
                differences / self.scaling.scale[one].astype(np.float32),
            ]
        if len(self.kinds):
            has = np.rint(observations[:, self.kinds[:, 0]]) == self.kinds[:, 1]
            parts.append(has.astype(np.float32))
        if self.horizon:
            left = 1.0 - 2.0 * np.asarray(time_steps) / self.horizon
            parts.append(left[:, None].astype(np.float32))
        if self.possible is not None:
            parts.append(self.possible(observations).astype(np.float32))
        return np.concatenate(parts, axis=1) if len(parts) > 1 else parts[0]

    def as_json(self) -> dict[str, Any]:
        """All fields as plain lists."""
        scaling = {name: value.tolist() for name, value in vars(self.scaling).items()}
        lists = {"pairs": self.pairs.tolist(), "kinds": self.kinds.tolist()}
        masked = self.possible is not None
        return {"scaling": scaling, "horizon": self.horizon, **lists, "possible": masked}

    @classmethod
    def from_json(cls, fields: dict[str, Any], possible: PossibleActions | None = None) -> Self:
        """Read back what ``as_json`` gave, with ``possible`` where options are masked."""
        given = fields["scaling"]
        types = {"logarithmic": bool, "squashed": bool}
        arrays = {
            name: np.array(value, dtype=types.get(name, float)) for name, value in given.items()
        }
        pairs, kinds = (
            np.array(fields[name], dtype=np.int64).reshape(-1, 2) for name in ("pairs", "kinds")
        )
        return cls(Scaling(**arrays), int(fields["horizon"]), pairs, kinds, possible)
