"""Exceptions of generated code, as plain data that can cross from one process to another."""

import linecache
import traceback
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

GENERATED = ("environment.py", "spec_functions.py", "heuristic.py")
LONGEST_SAID = 2000
LONGEST_LINE = 400
MOST_LINES = 20


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
    """An exception: its kind, its kind and words, and the generated lines, outermost first."""

    kind: str
    said: str
    lines: tuple[Line, ...] = ()

    @classmethod
    def of(cls, error: BaseException) -> Self:
        """What can be told of ``error``, whose own words may themselves raise."""
        kind = type(error).__name__
        try:
            said = f"{kind}: {error}"
        except Exception as second:  # whatever a foreign object raises
            said = f"{kind}, whose words raise {type(second).__name__}"
        frames = [
            frame
            for frame in traceback.extract_tb(error.__traceback__)
            if Path(frame.filename).name in GENERATED
        ]
        lines = [
            Line(
                Path(frame.filename).name,
                frame.lineno or 0,
                frame.name,
                linecache.getline(frame.filename, frame.lineno or 0).strip()[:LONGEST_LINE],
            )
            for frame in frames[-MOST_LINES:]
        ]
        return cls(kind, said[:LONGEST_SAID], tuple(lines))

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
            return cls(str(fields["kind"]), str(fields["said"])[:LONGEST_SAID], tuple(lines))
        except (KeyError, TypeError, ValueError) as error:
            raise AnswerInvalid("an account of an exception cannot be read") from error


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
