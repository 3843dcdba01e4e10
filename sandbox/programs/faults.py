"""Exceptions of generated code, as plain data that can cross from one process to another."""

import linecache
import re
import traceback
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Self

import numpy as np

GENERATED = ("environment.py", "spec_functions.py", "heuristic.py")
LONGEST_SAID = 2000
LONGEST_LINE = 400
MOST_LINES = 20
LONGEST_VALUES = 240
FEW = 8
"""Numbers of an array that are told one by one."""


class AnswerInvalid(ValueError):
    """Generated code, or whoever speaks for it, gave an answer of another form than was asked."""


@dataclass(frozen=True)
class Line:
    """A line of a generated file that was being run, and the function that it belongs to."""

    file: str
    number: int
    function: str
    text: str


@dataclass(frozen=True)
class Fault:
    """An exception: its kind, its kind and words, and the generated lines, outermost first.

    ``values`` tells what the names in the last of these lines stood for.
    """

    kind: str
    said: str
    lines: tuple[Line, ...] = ()
    values: str = ""

    @classmethod
    def of(cls, error: BaseException) -> Self:
        """What can be told of ``error``, whose own words may themselves raise."""
        kind = type(error).__name__
        try:
            said = f"{kind}: {error}"
        except Exception as second:  # whatever a foreign object raises
            said = f"{kind}, whose words raise {type(second).__name__}"
        frames = [
            (frame, number)
            for frame, number in traceback.walk_tb(error.__traceback__)
            if Path(frame.f_code.co_filename).name in GENERATED
        ]
        lines = [
            Line(
                Path(frame.f_code.co_filename).name,
                number,
                frame.f_code.co_name,
                linecache.getline(frame.f_code.co_filename, number).strip()[:LONGEST_LINE],
            )
            for frame, number in frames[-MOST_LINES:]
        ]
        values = _values(frames[-1][0], lines[-1].text) if lines else ""
        return cls(kind, said[:LONGEST_SAID], tuple(lines), values)

    def as_plain(self) -> dict[str, Any]:
        """The fields as plain data."""
        return {**asdict(self), "lines": [asdict(line) for line in self.lines]}

    @classmethod
    def from_plain(cls, fields: Any) -> Self:
        """The way back. Raises ``AnswerInvalid``."""
        try:
            lines = [
                Line(str(f["file"]), int(f["number"]), str(f["function"]), str(f["text"]))
                for f in fields["lines"][-MOST_LINES:]
            ]
            said, values = str(fields["said"]), str(fields.get("values", ""))
            return cls(
                str(fields["kind"]), said[:LONGEST_SAID], tuple(lines), values[:LONGEST_VALUES]
            )
        except (KeyError, TypeError, ValueError) as error:
            raise AnswerInvalid("an account of an exception cannot be read") from error


def _values(frame: FrameType, text: str) -> str:
    """What the local names in ``text`` are, as far as they are numbers or hold numbers."""
    held = dict(frame.f_locals)
    if "self" in held:
        attributes = object.__getattribute__(held.pop("self"), "__dict__")
        held |= {f"self.{name}": value for name, value in attributes.items()}
    named = dict.fromkeys(re.findall(r"(?:self\.)?[A-Za-z_]\w*", text))
    told = [_value(name, held[name]) for name in named if name in held]
    return ", ".join(filter(None, told))[:LONGEST_VALUES]


def _value(name: str, value: Any) -> str:
    # Nothing else is asked for its words, which a foreign object makes up itself.
    if type(value) in (bool, int, float):
        return f"{name} = {value:.6g}"
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        return f"{name} = {float(value):.6g}"
    if type(value) is np.ndarray and value.dtype.kind in "biuf":
        numbers = f" = {np.round(value, 4).tolist()}" if value.size <= FEW else ""
        return f"{name}{numbers} of shape {value.shape}"
    if type(value) in (list, tuple, dict, str):
        return f"{name} is a {type(value).__name__} of length {len(value)}"
    return ""


class ForeignCodeRaised(Exception):
    """Generated code raised an exception in its own process."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.said)
        self.fault = fault


def mapping(value: Any) -> Mapping[str, Any]:
    """``value``, which must be a mapping. Raises ``AnswerInvalid``."""
    if not isinstance(value, dict):
        raise AnswerInvalid(f"an answer is a {type(value).__name__} instead of a mapping")
    return value
