"""A policy that looks its action up: one row for each observation, one column a time step."""

import json
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sandbox.training.policy import POLICY, SETUP


class TablePolicy:
    """The action of each known observation; for an unknown one, that of the nearest known.

    Args:
        observations: (k, d), all different.
        choices: (T, k) which of ``own_actions`` each observation gets in each time step; the
            last row serves for all later ones too.
        own_actions: (A,) or (A, parts) in the environment's own terms.
    """

    def __init__(
        self,
        observations: NDArray[np.float32],
        choices: NDArray[np.uint16],
        own_actions: NDArray[np.int64],
    ) -> None:
        self.observations = np.ascontiguousarray(observations, dtype=np.float32) + np.float32(0)
        self.choices = np.asarray(choices, dtype=np.uint16)
        self.own_actions = np.asarray(own_actions)
        self._rows = {row.tobytes(): k for k, row in enumerate(self.observations)}
        spread = np.ptp(self.observations, axis=0)
        self._scale = 1 / np.where(spread > 0, spread, 1)

    def actions(self, observations: NDArray[Any], time_steps: NDArray[np.int64]) -> NDArray[Any]:
        """The environment's actions (n, ...) for n observations, time_steps decisions in."""
        seen = np.ascontiguousarray(observations, dtype=np.float32) + np.float32(0)
        rows = np.array([self._row(observation) for observation in seen], dtype=np.int64)
        times = np.minimum(np.asarray(time_steps, dtype=np.int64), len(self.choices) - 1)
        chosen: NDArray[Any] = self.own_actions[self.choices[times, rows]]
        return chosen

    def save(self, folder: Path) -> None:
        """Write policy.zip and policy_setup.json."""
        with (folder / POLICY).open("wb") as file:
            np.savez_compressed(
                file,
                observations=self.observations,
                choices=self.choices,
                own_actions=self.own_actions,
            )
        (folder / SETUP).write_text(json.dumps({"kind": "table"}, indent=1))

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read what ``save`` wrote; ``OSError``, ``ValueError`` or ``KeyError`` without it."""
        with np.load(folder / POLICY, allow_pickle=False) as arrays:
            return cls(arrays["observations"], arrays["choices"], arrays["own_actions"])

    def _row(self, observation: NDArray[np.float32]) -> int:
        known = self._rows.get(observation.tobytes())
        if known is not None:
            return known
        distances = np.square((self.observations - observation) * self._scale).sum(axis=1)
        return int(np.argmin(distances))
