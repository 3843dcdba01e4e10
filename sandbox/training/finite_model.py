"""A problem as a finite table of all its states, or why there is none."""

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sandbox.training.transition_table import Indices, TransitionTable
from sandbox.training.uniform_draw import NotEnumerable

# Chosen actions are kept as unsigned numbers of 16 bits.
MOST_ACTIONS = 65_000


@dataclass(frozen=True)
class FiniteModel:
    """All states that a problem can reach, and all that can follow from them.

    Attributes:
        observations: what is seen (k, d) in each of the states of ``seen``.
        actions: the environment's own actions (A,) or (A, parts).
        horizon: decisions of an episode at most; None without such a limit.
        seen: the decision process over what is seen.
        full: the decision process over all states, hidden parts included.
        looks: (states of ``full``,) the state of ``seen`` that each looks like.
        exact: whether the best policy of ``seen`` is that of the problem.
        remarks: why it is not exact, in sentences.
    """

    observations: NDArray[np.float32]
    actions: NDArray[np.int64]
    horizon: int | None
    seen: TransitionTable
    full: TransitionTable
    looks: Indices
    exact: bool
    remarks: tuple[str, ...]


def all_actions(space: spaces.Space[Any], most: int = MOST_ACTIONS) -> NDArray[np.int64]:
    """Every action (A,) or (A, parts) of a small discrete space.

    Raises:
        NotEnumerable: there are more than ``most``, or no end of them.
    """
    if isinstance(space, spaces.Discrete):
        count, first = int(space.n), int(space.start)
    elif isinstance(space, (spaces.MultiDiscrete, spaces.MultiBinary)):
        ranges = _choices(space)
        count = math.prod(len(r) for r in ranges)
    else:
        name = type(space).__name__
        raise NotEnumerable(f"the action space is a {name}, whose actions cannot be listed")
    if count > min(most, MOST_ACTIONS):
        raise NotEnumerable(f"there are {count} joint actions, more than can be gone through")
    if isinstance(space, spaces.Discrete):
        return np.arange(first, first + count)
    return np.array(list(itertools.product(*ranges)), dtype=np.int64)


def _choices(space: spaces.MultiDiscrete | spaces.MultiBinary) -> list[range]:
    if isinstance(space, spaces.MultiBinary):
        return [range(2)] * math.prod(space.shape)
    if space.nvec.ndim != 1:
        raise NotEnumerable("the action space is a grid of choices, which is not gone through")
    starts = np.broadcast_to(space.start, space.nvec.shape)
    pairs = zip(starts, space.nvec, strict=True)
    return [range(int(first), int(first + count)) for first, count in pairs]
