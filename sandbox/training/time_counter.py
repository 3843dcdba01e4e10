"""A count of steps that tells whether anything but the time limit depends on it."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray


class TimeCounter:
    """Stands in for an environment's whole number that counts the steps of an episode.

    Adding one and comparing with the horizon is what every time limit does; the comparison says
    that the limit is not reached. Any other use calls ``note_use``: then time is part of the
    state.
    """

    def __init__(self, value: int, horizon: int | None, note_use: Callable[[], None]) -> None:
        self.value = value
        self.horizon = horizon
        self.note_use = note_use

    def __add__(self, other: Any) -> Any:
        if type(other) is int and other == 1:
            return TimeCounter(self.value + 1, self.horizon, self.note_use)
        return self._used() + other

    def __ge__(self, other: Any) -> Any:
        return False if self._is_limit(other) else self._used() >= other

    def __eq__(self, other: Any) -> Any:
        return False if self._is_limit(other) else self._used() == other

    def __hash__(self) -> int:
        return hash(self._used())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self._used(), dtype=dtype)

    def _is_limit(self, other: Any) -> bool:
        return type(other) is int and other == self.horizon

    def _used(self) -> int:
        self.note_use()
        return self.value


def _through(name: str) -> Any:
    def operation(self: TimeCounter, *others: Any) -> Any:
        return getattr(self._used(), name)(*others)

    return operation


for _name in (
    "radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod divmod rdivmod pow rpow "
    "neg pos abs round floor ceil trunc int float index bool lt le gt ne str format"
).split():
    setattr(TimeCounter, f"__{_name}__", _through(f"__{_name}__"))
