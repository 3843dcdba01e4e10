"""What ``choice`` draws from: values and how likely each of them is."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_ALL_OF_ONE_KIND = ({int}, {str})


def values_of(a: ArrayLike) -> NDArray[Any]:
    """The values (k, ...) that ``choice`` draws from: those given, or 0 to a - 1."""
    values = np.asarray(a)
    return np.arange(int(values)) if values.ndim == 0 else values


def lottery(a: Any, p: ArrayLike | None) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """The values (k, ...) that can be drawn and their probabilities (k,); equal values as one."""
    if p is None and type(a) is list and set(map(type, a)) in _ALL_OF_ONE_KIND:
        return _fair_lottery(tuple(a))
    values = values_of(a)
    count = len(values)
    shares = np.full(count, 1 / count) if p is None else np.asarray(p, dtype=np.float64)
    if shares.shape != (count,) or abs(shares.sum() - 1) > 1e-8 or np.any(shares < 0):
        raise ValueError("p must hold one probability for each value, and sum to 1")
    return (values, shares) if np.ndim(a) == 0 else _different(values, shares)


@lru_cache(maxsize=256)
def _fair_lottery(values: tuple[Any, ...]) -> tuple[NDArray[Any], NDArray[np.float64]]:
    return _different(np.array(values), np.full(len(values), 1 / len(values)))


def _different(
    values: NDArray[Any], shares: NDArray[np.float64]
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Equal values as one, with their probabilities summed up."""
    if values.ndim != 1 or values.dtype == object:
        return values, shares
    kept, inverse = np.unique(values, return_inverse=True)
    if len(kept) == len(values):
        return values, shares
    return kept, np.bincount(inverse, weights=shares).astype(np.float64)
