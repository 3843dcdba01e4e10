"""Which attributes of an environment its future depends on, with copies and keys of them.

An attribute that every step sets before it reads it is no state: whatever it held before, what
follows is the same. So reads and writes are watched, and of the attributes that change only those
which a step reads first are kept apart, restored, and compared.
"""

import collections
import copy
import math
import pickle
import random
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandbox.training.environments import Environment
from sandbox.training.uniform_draw import NotEnumerable

Snapshot = dict[str, Any]

_NEVER_STATE = frozenset({"_np_random", "_np_random_seed", "__dict__", "__class__"})
_PLAIN = (int, float, complex, str, bytes, type(None), np.generic)
_GENERATORS = (np.random.Generator, np.random.RandomState, np.random.BitGenerator, random.Random)


class WatchedAttributes:
    """Watches the attributes of one environment, whose class becomes a subclass of its own.

    Raises:
        NotEnumerable: the environment keeps its state elsewhere.
    """

    def __init__(self, environment: Environment) -> None:
        self.values: Snapshot = vars(environment)
        self.written: set[str] = set()
        self.read_first: set[str] = set()
        self.everything_read = False
        self.counting = False
        self._now: set[str] = set()
        try:
            environment.__class__ = self._subclass_of(type(environment))
        except TypeError as error:
            raise NotEnumerable("the environment does not keep its state in attributes") from error
        self._contents = {name: _content(value) for name, value in self.values.items()}

    def begin(self, *, step: bool) -> None:
        """From here on, reading what has not been written counts (if this is a step)."""
        self._now = set()
        self.counting = step

    def note_changes_in_place(self) -> bool:
        """Find attributes that changed without an assignment; True if there are any."""
        changed = {
            name
            for name, value in self.values.items()
            if name not in self.written
            and not isinstance(value, _PLAIN)
            and _content(value) != self._contents.get(name)
        }
        self.written |= changed
        return bool(changed)

    def check_generators(self) -> None:
        """Raise ``NotEnumerable`` where there is a generator besides ``np_random``."""
        own = self.values.get("_np_random")
        for name, value in self.values.items():
            if isinstance(value, _GENERATORS) and value is not own:
                raise NotEnumerable(f"the environment draws from a generator of its own ({name})")

    def state_names(self) -> list[str]:
        """The attributes that make up the state, as far as known."""
        live = self.written if self.everything_read else self.written & self.read_first
        return sorted(live - _NEVER_STATE)

    def snapshot(self, names: list[str]) -> Snapshot:
        """Copies of these attributes."""
        return _copies({name: self.values[name] for name in names if name in self.values})

    def restore(self, kept: Snapshot) -> None:
        """Put copies of what was kept in place."""
        self.values.update(_copies(kept))

    def key(self, names: list[str]) -> tuple[Any, ...]:
        """Equal for equal values of these attributes (up to nine digits of real numbers)."""
        values = self.values
        return tuple(identity(values[name]) if name in values else ("absent",) for name in names)

    def _subclass_of(self, own: type[Any]) -> type[Any]:
        watch = self
        read: Callable[..., Any] = own.__getattribute__
        write: Callable[..., Any] = own.__setattr__

        def get(environment: Any, name: str) -> Any:
            if name not in watch._now:
                watch._now.add(name)
                if watch.counting:
                    watch.read_first.add(name)
                    watch.everything_read |= name == "__dict__"
            return read(environment, name)

        def put(environment: Any, name: str, value: Any) -> None:
            watch._now.add(name)
            watch.written.add(name)
            write(environment, name, value)

        methods = {"__getattribute__": get, "__setattr__": put, "__module__": own.__module__}
        return type(own.__name__, (own,), methods)


def identity(value: Any) -> Any:
    """Something that can be a key, equal for equal values."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        if not math.isfinite(value):
            return repr(value)
        if value.is_integer():
            return int(value)
        mantissa, exponent = math.frexp(value)
        return round(mantissa * 2**31), exponent
    if value is None or isinstance(value, (int, str, bytes)):
        return value
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value.shape, _rounded(value).tobytes()
    if isinstance(value, (list, tuple, collections.deque)):
        return type(value).__name__, *map(identity, value)
    if isinstance(value, dict):
        return "dict", *((identity(k), identity(v)) for k, v in value.items())
    if isinstance(value, (set, frozenset)):
        return "set", frozenset(map(identity, value))
    return _content(value)


def _rounded(array: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers as they are; of real ones, the leading 32 bits of the mantissa."""
    if array.dtype.kind != "f":
        return array.astype(np.int64) if array.dtype.kind in "iub" else array
    # Adding zero makes -0.0 the same as 0.0.
    bits = (array.astype(np.float64) + 0.0).view(np.int64)
    return (bits + (1 << 19)) >> 20


def _content(value: Any) -> bytes | None:
    """What a value holds; None where that cannot be told (a function, an open window)."""
    if isinstance(value, _PLAIN):
        return None
    try:
        return pickle.dumps(value)
    except (pickle.PicklingError, TypeError, AttributeError):
        return None


def _copies(values: Snapshot) -> Snapshot:
    """Copies that share nothing with the originals."""
    copied: Snapshot = {}
    copies: set[int] = set()
    for name, value in values.items():
        if isinstance(value, _PLAIN):
            copied[name] = value
        elif (type(value) is np.ndarray and value.dtype != object and id(value) not in copies) or (
            type(value) is list and id(value) not in copies and _all_plain(value)
        ):
            copies.add(id(value))
            copied[name] = value.copy()
        else:
            # Together, so that attributes which share an object go on sharing it.
            return copy.deepcopy(values)
    return copied


def _all_plain(values: list[Any]) -> bool:
    return all(isinstance(value, _PLAIN) for value in values)
