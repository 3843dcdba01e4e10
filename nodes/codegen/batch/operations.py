"""What numpy does for one episode, done for many; the generated code takes a copy of each.

The last axis of every array counts the episodes: one number of an episode is an array of shape
(n,), a line of k numbers one of (k, n). What is the same in all episodes may be a plain number,
or have a last axis of length 1.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray


def held(value: Any, shape: tuple[int, ...], kind: type) -> NDArray[Any]:
    """``value`` as an array of ``shape`` that holds numbers of ``kind``."""
    array: NDArray[Any] = np.asarray(value, dtype=kind)
    return array if array.shape == shape else np.broadcast_to(array, shape).copy()


def least(first: Any, *others: Any) -> Any:
    """Python's ``min``, also in what it does with numbers that are none."""
    for other in others:
        first = np.where(other < first, other, first)
    return first


def greatest(first: Any, *others: Any) -> Any:
    """Python's ``max``, also in what it does with numbers that are none."""
    for other in others:
        first = np.where(other > first, other, first)
    return first


def lines(values: NDArray[Any]) -> NDArray[Any]:
    """All numbers of an episode side by side in memory, one line for each episode."""
    count = int(np.prod(values.shape[:-1]))
    return np.ascontiguousarray(values.reshape(count, values.shape[-1]).T)


def over(reduction: Callable[..., Any], values: Any) -> Any:
    """``reduction`` (such as np.max) over all numbers of each episode."""
    array = np.asarray(values)
    if array.ndim < 2:
        return array
    count = int(np.prod(array.shape[:-1]))
    # numpy adds eight or more numbers that lie side by side in another order than a column's.
    if array.dtype.kind == "f" and count >= 8:
        return reduction(lines(array), axis=1)
    return reduction(array.reshape(count, array.shape[-1]), axis=0)


def inner(left: Any, right: Any) -> Any:
    """``np.dot`` of two lines of numbers."""
    return np.vecdot(lines(np.asarray(left)), lines(np.asarray(right)))


def joined(*parts: Any) -> NDArray[Any]:
    """Numbers and lines of numbers, one behind the other."""
    columns = [np.atleast_1d(part) for part in parts]
    columns = [column if column.ndim > 1 else column[np.newaxis] for column in columns]
    width = next((c.shape[-1] for c in columns if c.shape[-1] != 1), 1)
    return np.concatenate([np.broadcast_to(c, (len(c), width)) for c in columns])


def stacked(*items: Any) -> NDArray[Any]:
    """A list of things of one shape."""
    return np.stack(np.broadcast_arrays(*(np.atleast_1d(item) for item in items)))


def element(values: Any, *positions: Any) -> NDArray[Any]:
    """``values[positions]`` with positions (whole numbers) that differ from episode to episode.

    Positions past the end, at which one episode alone would fail, give the last element.
    """
    places = []
    for position, size in zip(positions, values.shape, strict=False):
        place = np.atleast_1d(position)
        places.append(np.clip(np.where(place < 0, place + size, place), 0, size - 1))
    episode = np.arange(values.shape[-1]) if values.shape[-1] != 1 else np.zeros(1, dtype=int)
    found = values[(*places, ..., episode)]
    counted = np.broadcast(*places, episode).ndim
    return np.moveaxis(found, counted - 1, -1)


def within(value: Any, low: float, high: float) -> Any:
    """``value`` where it lies from ``low`` to ``high``, and ``low`` where it does not."""
    if isinstance(value, int | float):
        return value
    return np.where((value >= low) & (value <= high), value, low)


class Draws:
    """Random numbers for many episodes, by the methods of numpy's generator.

    Parameters that numpy refuses are put right without a word, for they may be those of an
    episode that has ended or of a branch that is not taken.
    """

    def __init__(self, generator: np.random.Generator) -> None:
        self.generator = generator

    def __call__(
        self, method: str, *parameters: Any, size: tuple[int, ...], where: Any = True
    ) -> NDArray[Any]:
        """Numbers of shape ``size``; only those of the episodes in ``where`` are used."""
        if not np.any(where):
            return np.zeros(size, dtype=int)
        return np.asarray(getattr(self, method)(*parameters, size=size))

    def normal(self, mean: Any, deviation: Any, size: tuple[int, ...]) -> Any:
        """Normal numbers."""
        return self.generator.normal(mean, within(deviation, 0, np.inf), size)

    def lognormal(self, mean: Any, deviation: Any, size: tuple[int, ...]) -> Any:
        """Numbers with a normal logarithm."""
        return self.generator.lognormal(mean, within(deviation, 0, np.inf), size)

    def exponential(self, mean: Any, size: tuple[int, ...]) -> Any:
        """Exponential numbers."""
        return self.generator.exponential(within(mean, 0, np.inf), size)

    def uniform(self, low: Any, high: Any, size: tuple[int, ...]) -> Any:
        """Even numbers, as numpy makes them from those between 0 and 1."""
        return low + (high - low) * self.generator.random(size)

    def integers(self, low: Any, high: Any, size: tuple[int, ...]) -> Any:
        """Whole numbers, ``high`` among them."""
        return self.generator.integers(low, np.maximum(low, high), size, endpoint=True)

    def poisson(self, mean: Any, size: tuple[int, ...]) -> Any:
        """Counts of independent events."""
        return self.generator.poisson(within(mean, 0, 1e18), size)

    def binomial(self, trials: Any, probability: Any, size: tuple[int, ...]) -> Any:
        """Counts of successes."""
        return self.generator.binomial(
            within(trials, 0, 2**62), within(probability, 0.0, 1.0), size
        )

    def choice(self, values: Any, weights: Any = None, *, size: tuple[int, ...]) -> Any:
        """One of ``values``, or a position below it where it is a number."""
        count = values if isinstance(values, int) else len(values)
        if weights is None:
            position = self.generator.integers(0, count, size)
        else:
            sums = np.cumsum(weights, axis=0)
            # A uniform number has passed as many sums as there are positions before its own.
            sums = (sums / sums[-1]).reshape(count, *[1] * (len(size) - 1), sums.shape[-1])
            passed = np.sum(sums <= self.generator.random(size), axis=0)
            position = np.minimum(passed, count - 1)
        return position if isinstance(values, int) else element(values, position)
