"""A uniform random number that is only ever compared: which side it falls on is the outcome."""

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray


class NotEnumerable(Exception):
    """The problem has no finite list of states and outcomes that could be gone through."""


class ContinuousDraw(NotEnumerable):
    """A draw that can come out in endlessly many ways, each of which may matter."""


class UniformDraw:
    """A number between ``low`` and ``high``, known only as closely as comparisons told.

    A comparison with thresholds cuts the interval into pieces; ``pick`` says in which of them
    (given their probabilities) the number lies, and later comparisons agree with that.
    """

    # numpy leaves comparisons between its arrays and this number to the methods below.
    __array_ufunc__ = None

    def __init__(self, pick: Callable[[NDArray[np.float64]], int], low: float, high: float) -> None:
        self._pick = pick
        self._low = low
        self._high = high

    def _below(self, other: Any) -> Any:
        if isinstance(other, UniformDraw):
            self._refuse()
        thresholds = np.asarray(other, dtype=np.float64)
        inside = np.unique(thresholds[(thresholds > self._low) & (thresholds < self._high)])
        if inside.size:
            cuts = np.concatenate([[self._low], inside, [self._high]])
            piece = self._pick(np.diff(cuts) / (self._high - self._low))
            self._low, self._high = float(cuts[piece]), float(cuts[piece + 1])
        below = thresholds >= self._high
        return bool(below) if below.ndim == 0 else below

    def __lt__(self, other: Any) -> Any:
        return self._below(other)

    def __le__(self, other: Any) -> Any:
        return self._below(other)

    def __gt__(self, other: Any) -> Any:
        return np.logical_not(self._below(other))

    def __ge__(self, other: Any) -> Any:
        return np.logical_not(self._below(other))

    def _refuse(self, *_: Any) -> NoReturn:
        raise ContinuousDraw(
            "np_random.random() or uniform() draws from a continuous distribution, and the "
            "number is used for more than comparisons"
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _refuse
    __pow__ = __rpow__ = __neg__ = __abs__ = __round__ = __bool__ = _refuse
    __float__ = __int__ = __index__ = __complex__ = __floor__ = __ceil__ = _refuse
    __deepcopy__ = __reduce_ex__ = _refuse
