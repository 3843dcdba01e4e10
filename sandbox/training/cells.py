"""Telling states apart roughly: a cell is what an observation shows, in whole numbers.

What was found for one state of a cell is taken to hold for all (Ecoffet et al., First return, then
explore, 2021).
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sandbox.training.problem import Problem
from sandbox.training.simulator import Simulator, random_actions

CELLS = 3000
"""Number of cells over all real numbers together, about."""
FEWEST, MOST = 4, 50
"""Parts into which the range of a real number is divided."""
STEPS = 50
"""Random steps on which numbers are watched."""
OFTEN = 0.5
"""Share of the steps in which a number must change to be taken for a clock."""
SENSIBLE = 1e6
"""Limits beyond this are none."""
_MOST_NUMBERS = 4096
_FACTORS = np.random.default_rng(0).integers(2**64, size=_MOST_NUMBERS, dtype=np.uint64)
"""Sums of whole numbers times these are hardly ever equal by chance."""


@dataclass(frozen=True)
class Cells:
    """Which numbers of an observation tell states apart, and how finely.

    ``places`` (k,) are indices of numbers, ``low`` and ``width`` (k,) say where parts begin and how
    wide they are; whole numbers have width 1. Numbers that only count up or down are left out.
    """

    places: NDArray[np.int64]
    low: NDArray[np.float64]
    width: NDArray[np.float64]

    @classmethod
    def fitted(cls, problem: Problem, simulator: Simulator, seed: int, cells: int = CELLS) -> Self:
        """The cells for the observations that random actions meet in ``simulator``.

        Each random action is kept up for some steps, which leads further. Over all real numbers
        together there are to be about so many ``cells``.
        """
        random = np.random.default_rng(seed)
        met = [simulator.reset(seed).astype(np.float64)]
        going = np.ones(simulator.size, dtype=bool)
        actions = random_actions(simulator.action_space, simulator.size, random)
        rises = np.zeros(met[0].shape[1])
        falls, steps = np.zeros_like(rises), 0
        for _ in range(STEPS):
            drawn = random_actions(simulator.action_space, simulator.size, random)
            renewed = random.random(simulator.size) < 0.3
            actions[renewed] = drawn[renewed]
            step = simulator.step(actions)
            change = (step.observations - met[-1])[going]
            rises, falls = rises + (change > 0).sum(0), falls + (change < 0).sum(0)
            steps += int(going.sum())
            met.append(step.observations.astype(np.float64))
            going = going & ~(step.terminated | step.truncated)
            if not going.any():
                break
        one_way = np.minimum(rises, falls) == 0
        clock = one_way & (rises + falls > OFTEN * steps)
        observations = np.concatenate(met)
        whole = _whole(problem, observations)
        low, high = _range(simulator, observations)
        parts = np.clip(round(cells ** (1 / max(int((~whole & ~clock).sum()), 1))), FEWEST, MOST)
        width = np.where(whole, 1.0, np.maximum(high - low, 1e-9) / parts)
        kept = np.flatnonzero(~clock)
        return cls(kept, np.where(whole, -0.5, low)[kept], width[kept])

    def keys(
        self, observations: NDArray[np.float32], owners: NDArray[np.int64]
    ) -> NDArray[np.uint64]:
        """A number for the cell of each observation (n, d), of which each owner has its own."""
        numbers = np.floor((observations[:, self.places] - self.low) / self.width)
        columns = np.column_stack([owners, numbers]).astype(np.int64).view(np.uint64)
        keys: NDArray[np.uint64] = columns @ _FACTORS[: columns.shape[1]]
        return keys


def _whole(problem: Problem, observations: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which numbers are whole, as declared or, where nothing is declared, as met."""
    declared = [p.dtype != "real" for p in problem.observation for _ in range(p.size)]
    if len(declared) == observations.shape[1]:
        return np.array(declared, dtype=bool)
    whole: NDArray[np.bool_] = np.all(observations == np.rint(observations), axis=0)
    return whole


def _range(
    simulator: Simulator, observations: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Declared limits where they are sensible, else those of what was met."""
    space = simulator.observation_space
    low, high = space.low.astype(np.float64), space.high.astype(np.float64)
    limited = (np.abs(low) < SENSIBLE) & (np.abs(high) < SENSIBLE)
    low = np.where(limited, low, observations.min(axis=0))
    high = np.where(limited, high, observations.max(axis=0))
    return low, high


class BestReturns:
    """The best return with which each cell was reached."""

    def __init__(self) -> None:
        self.keys = np.zeros(0, dtype=np.uint64)
        self.values = np.zeros(0)

    def improve(self, keys: NDArray[np.uint64], values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Note returns (n,) of different cells (n,); which of them are the best so far."""
        order = np.argsort(keys)
        sought, given = keys[order], values[order]
        place = np.searchsorted(self.keys, sought)
        inside = np.minimum(place, max(len(self.keys) - 1, 0))
        known = self.keys[inside] == sought if len(self.keys) else np.zeros(len(keys), dtype=bool)
        better = ~known
        better[known] = given[known] > self.values[inside[known]]
        raised = known & better
        self.values[inside[raised]] = given[raised]
        self.keys = np.insert(self.keys, place[~known], sought[~known])
        self.values = np.insert(self.values, place[~known], given[~known])
        improved = np.zeros(len(keys), dtype=bool)
        improved[order] = better
        return improved
