"""Plain data over a socket, between a program that judges and one in which foreign code runs.

Either side may be lied to, so nothing is ever unpickled: a message is its length (as
``multiprocessing.connection`` frames it), JSON, a zero byte, and the bytes of the arrays that the
JSON refers to. What is neither a number, a text, a list, a mapping nor an array of numbers arrives
as ``Opaque``.
"""

import json
import math
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

LARGEST_MESSAGE = 64 * 1024 * 1024
MOST_DIMENSIONS = 8
LONGEST_REPR = 300
_TAG = "~"
_KINDS = "biuf"
_SEPARATOR = b"\0"


class Garbled(ValueError):
    """What came over the wire is not a message; one sentence."""


class OtherSideEnded(EOFError):
    """There is nobody at the other end any more."""


@dataclass(frozen=True)
class Opaque:
    """Stands for an object that is no plain data: the name of its type, and how it shows itself."""

    type_name: str
    shown: str

    def __str__(self) -> str:
        return self.shown or f"an object of type {self.type_name}"


class Wire:
    """One end of a connection. ``descriptor`` is closed with it."""

    def __init__(self, descriptor: int) -> None:
        self._connection = Connection(descriptor)

    def send_message(self, message: bytes) -> None:
        """Send what ``encode`` made. Raises ``OtherSideEnded``."""
        try:
            self._connection.send_bytes(message)
        except OSError as error:
            raise OtherSideEnded("the other side ended") from error

    def receive(self) -> Any:
        """The next message. Raises ``OtherSideEnded``, ``Garbled``."""
        try:
            message = self._connection.recv_bytes(LARGEST_MESSAGE)
        except (EOFError, ConnectionError) as error:
            raise OtherSideEnded("the other side ended") from error
        except (OSError, ValueError) as error:  # a length below zero, or above what is read
            raise Garbled("a message has no sensible length") from error
        return decode(message)

    def close(self) -> None:
        """Let the other side know that nothing more will come."""
        self._connection.close()


def encode(value: Any) -> bytes:
    """The message that says ``value``."""
    arrays: list[bytes] = []
    text = json.dumps(_plain(value, arrays), allow_nan=True)
    return b"".join([text.encode("utf-8", "replace"), _SEPARATOR, *arrays])


def _plain(value: Any, arrays: list[bytes]) -> Any:
    kind = type(value)
    if value is None or kind in (bool, float, str):
        return value
    if kind is int:
        # Python writes no number of thousands of digits.
        return value if value.bit_length() < 4096 else _opaque(value)
    if kind in (list, tuple):
        return [_plain(item, arrays) for item in value]
    if kind is dict and all(type(key) is str and key != _TAG for key in value):
        return {key: _plain(item, arrays) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in _KINDS:
        array = np.asarray(value)
        if array.dtype.itemsize <= 8 and array.ndim <= MOST_DIMENSIONS:
            array = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).reshape(array.shape)
            arrays.append(array.tobytes())
            scalar = isinstance(value, np.generic)
            return {_TAG: ["scalar" if scalar else "array", array.dtype.str, list(array.shape)]}
    if isinstance(value, Opaque):
        return {_TAG: ["opaque", value.type_name, value.shown]}
    return _opaque(value)


def _opaque(value: Any) -> dict[str, list[str]]:
    try:
        shown = repr(value)[:LONGEST_REPR]
    except Exception as error:  # whatever a foreign object raises
        shown = f"its repr raises {type(error).__name__}"
    return {_TAG: ["opaque", str(type(value).__name__), shown]}


def decode(message: bytes) -> Any:
    """What a message says. Raises ``Garbled``."""
    text, separator, rest = message.partition(_SEPARATOR)
    if not separator:
        raise Garbled("a message has no end of its text")
    reader = _Reader(memoryview(rest))
    try:
        value = reader.value(json.loads(text))
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError) as error:
        raise Garbled(f"a message cannot be read: {type(error).__name__}") from error
    if reader.place != len(rest):
        raise Garbled("a message holds bytes that belong to nothing")
    return value


class _Reader:
    """Puts the arrays in their places, in the order in which they were written."""

    def __init__(self, rest: memoryview) -> None:
        self.rest = rest
        self.place = 0

    def value(self, plain: Any) -> Any:
        if isinstance(plain, list):
            return [self.value(item) for item in plain]
        if not isinstance(plain, dict):
            return plain
        if _TAG not in plain:
            return {key: self.value(item) for key, item in plain.items()}
        what, first, second = plain[_TAG]
        if what == "opaque":
            return Opaque(printable(str(first)), printable(str(second))[:LONGEST_REPR])
        array = self._array(str(first), second)
        return array[()] if what == "scalar" and array.ndim == 0 else array

    def _array(self, name: str, shape: Any) -> Any:
        dtype = np.dtype(name)
        if dtype.kind not in _KINDS or dtype.itemsize > 8 or dtype.str != name:
            raise ValueError(name)
        if not isinstance(shape, list) or len(shape) > MOST_DIMENSIONS:
            raise ValueError("shape")
        if not all(type(length) is int and 0 <= length <= LARGEST_MESSAGE for length in shape):
            raise ValueError("shape")
        size = math.prod(shape) * dtype.itemsize
        taken = self.rest[self.place : self.place + size]
        if len(taken) != size:
            raise ValueError("too few bytes")
        self.place += size
        array = np.frombuffer(taken, dtype).reshape(shape).copy()
        if dtype.kind == "b":  # a byte that is neither 0 nor 1 is no truth value
            array = np.asarray(array.view(np.uint8) != 0)
        return array


def printable(text: str) -> str:
    """``text`` without what could move the cursor of a terminal."""
    return "".join(c if c.isprintable() else " " for c in text)
