"""Probabilities of the whole-numbered distributions that can be enumerated."""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sandbox.training.uniform_draw import NotEnumerable

TAIL = 1e-9
"""A distribution without an upper end is cut where less probability than this is left."""

# Above this mean a cut distribution has so many values that enumerating it is no use.
LARGEST_MEAN = 10_000.0


@lru_cache(maxsize=4096)
def binomial(trials: int, chance: float) -> NDArray[np.float64]:
    """Probabilities (trials + 1,) of 0, 1, ... successes."""
    if not 0 <= chance <= 1 or trials < 0:
        raise ValueError(f"no binomial distribution has n = {trials} and p = {chance}")
    if chance in (0.0, 1.0):
        certain = np.zeros(trials + 1)
        certain[trials if chance else 0] = 1.0
        return certain
    successes = range(trials + 1)
    logarithms = [
        math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1)
        + k * math.log(chance) + (trials - k) * math.log1p(-chance)
        for k in successes
    ]  # fmt: skip
    return _normalised(np.exp(logarithms))


@lru_cache(maxsize=4096)
def poisson(mean: float) -> NDArray[np.float64]:
    """Probabilities of 0, 1, ... up to where less than ``TAIL`` is left, normalised."""
    if not mean >= 0:
        raise ValueError(f"no Poisson distribution has the mean {mean}")
    if mean > LARGEST_MEAN:
        raise NotEnumerable(f"a Poisson distribution with the mean {mean} has too many values")
    found: list[float] = []
    left = 1.0
    while left >= TAIL:
        k = len(found)
        log = (k * math.log(mean) if k else 0.0) - mean - math.lgamma(k + 1)
        found.append(math.exp(log))
        left -= found[-1]
        if k > mean and found[-1] < TAIL * 1e-3:
            break
    return _normalised(np.array(found))


@lru_cache(maxsize=4096)
def geometric(chance: float) -> NDArray[np.float64]:
    """Probabilities of 0 (none), 1, 2, ... trials up to the first success, cut and normalised."""
    if not 0 < chance <= 1:
        raise ValueError(f"no geometric distribution has p = {chance}")
    longest = 1 if chance == 1 else math.ceil(math.log(TAIL) / math.log1p(-chance))
    if longest > LARGEST_MEAN:
        raise NotEnumerable(f"a geometric distribution with p = {chance} has too many values")
    trials = np.arange(1, longest + 1)
    return _normalised(np.concatenate([[0.0], chance * (1 - chance) ** (trials - 1)]))


def _normalised(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    shares: NDArray[np.float64] = weights / weights.sum()
    shares.flags.writeable = False
    return shares
