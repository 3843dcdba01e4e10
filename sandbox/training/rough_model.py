"""A rough model of a problem, made of what followed options in the cells of its states."""

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

SWEEPS = 3000
END, LIMIT = -1, -2
"""In the place of the cell that a step leads to: nothing follows, or what follows is not known."""


class Links(NamedTuple):
    """Steps (n,): from which cell, by which option, to which, and the reward."""

    cells: NDArray[np.int64]
    options: NDArray[np.int64]
    to: NDArray[np.int64]
    rewards: NDArray[np.float64]

    @classmethod
    def joined(cls, parts: list[Self]) -> Self:
        """All of them as one."""
        return cls(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def values_of(
    links: Links, count: int, discount: float, usual: float, exact: float
) -> NDArray[np.float64]:
    """Discounted returns from ``count`` cells by the best options, by value iteration.

    An option comes to the mean of what followed it. A cell in which none was tried, and what is
    beyond a limit, is worth ``usual``. It ends when nothing changes by more than ``exact``.
    """
    several = int(links.options.max()) + 1
    group, tried = np.unique(links.cells * several + links.options, return_inverse=True)
    often = np.bincount(tried)
    cells, first = np.unique(group // several, return_index=True)
    end, limit = count, count + 1
    values = np.full(count + 2, usual)
    values[end] = 0.0
    to = np.where(links.to == END, end, np.where(links.to == LIMIT, limit, links.to))
    for _ in range(SWEEPS):
        following = links.rewards + discount * values[to]
        best = np.maximum.reduceat(np.bincount(tried, weights=following) / often, first)
        change = float(np.abs(best - values[cells]).max())
        values[cells] = best
        if change < exact:
            break
    return values[:count]
