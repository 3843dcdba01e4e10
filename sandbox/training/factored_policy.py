"""A policy that looks up each component of its decision, by that component's own numbers."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sandbox.training.actions import ActionCoding
from sandbox.training.policy import POLICY, SETUP


@dataclass(frozen=True)
class OwnStates:
    """Whole numbers of an observation that belong to a component, as one number from 0.

    ``inputs`` (c, w) are their places in the observation; each is at least ``low`` (w,) and one of
    ``counts`` (w,) values. Numbers outside are taken for the nearest inside.
    """

    inputs: NDArray[np.int64]
    low: NDArray[np.int64]
    counts: NDArray[np.int64]

    @property
    def size(self) -> int:
        """How many states each component has."""
        return int(np.prod(self.counts.astype(float)))

    def __call__(self, observations: NDArray[Any]) -> NDArray[np.int64]:
        """States (n, c) of the components in observations (n, d)."""
        numbers = np.rint(observations[:, self.inputs]).astype(np.int64) - self.low
        numbers = np.clip(numbers, 0, self.counts - 1)
        states: NDArray[np.int64] = np.ravel_multi_index(
            tuple(np.moveaxis(numbers, -1, 0)), tuple(self.counts)
        )
        return states


class FactoredPolicy:
    """``choices`` (T, c, s) is the option of each component in each of its states and time steps.

    The last time step serves for all later ones too.
    """

    def __init__(
        self, states: OwnStates, choices: NDArray[np.int64], space: spaces.Space[Any]
    ) -> None:
        self.states, self.choices = states, choices
        self.coding = ActionCoding(space)

    def options(
        self, observations: NDArray[Any], time_steps: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Options (n, c), numbered from 0."""
        times = np.minimum(time_steps, len(self.choices) - 1)[:, None]
        components = np.arange(self.choices.shape[1])
        chosen: NDArray[np.int64] = self.choices[times, components, self.states(observations)]
        return chosen

    def actions(self, observations: NDArray[Any], time_steps: NDArray[np.int64]) -> NDArray[Any]:
        """Joint actions (n, c) in the environment's own terms."""
        return self.coding.to_own(self.options(observations, np.asarray(time_steps)))

    def save(self, folder: Path) -> None:
        """Write both files."""
        with (folder / POLICY).open("wb") as file:
            np.savez_compressed(file, choices=self.choices.astype(np.int32))
        setup: dict[str, Any] = {name: value.tolist() for name, value in vars(self.states).items()}
        (folder / SETUP).write_text(json.dumps({"kind": "factored", **setup}, indent=1))

    @classmethod
    def load(cls, folder: Path, space: spaces.Space[Any]) -> Self:
        """Read what ``save`` wrote."""
        setup = json.loads((folder / SETUP).read_text())
        fields = {
            name: np.array(setup[name], dtype=np.int64) for name in ("inputs", "low", "counts")
        }
        with np.load(folder / POLICY, allow_pickle=False) as arrays:
            return cls(OwnStates(**fields), arrays["choices"].astype(np.int64), space)
