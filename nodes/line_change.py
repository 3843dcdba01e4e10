"""A correction of one line, which a model gives where it would only copy the whole code."""

from collections.abc import Iterator
from textwrap import dedent, indent
from typing import Any, Literal

from pydantic import Field, create_model

from nodes.body_rules import parsed
from state.piece import Piece


class LineChange(Piece):
    """One line of a function and what stands there instead, one line or several."""

    line: str
    instead: str = Field(max_length=1500)


def line_change_schema(source: str) -> type[LineChange]:
    """A change of one of the lines of ``source`` below its first."""
    below = (line.strip() for line in source.strip().splitlines()[1:])
    lines = tuple(dict.fromkeys(line for line in below if line))
    line: Any = (Literal[lines], ...) if lines else (str, ...)
    return create_model("LineChange", __base__=LineChange, line=line)


def with_change(source: str, change: LineChange) -> str:
    """``source`` with the first line that is ``change.line`` replaced, indented as that was.

    A line that is not there leaves all as it was.
    """
    lines = source.splitlines()
    places = [n for n, line in enumerate(lines) if line.strip() == change.line.strip()]
    if not places:
        return source
    place = places[0]
    indentation = lines[place][: len(lines[place]) - len(lines[place].lstrip())]
    changed = [
        "\n".join([*lines[:place], *instead, *lines[place + 1 :]]) + "\n"
        for instead in _ways_to_indent(change.instead, indentation)
    ]
    return next(
        (text for text in changed if not isinstance(parsed(text, len(text)), str)), changed[0]
    )


def _ways_to_indent(text: str, indentation: str) -> Iterator[list[str]]:
    """``text`` as lines: moved in as a whole, then with all but the first taken as they are."""
    cleaned = text.strip("\n").expandtabs(4)
    yield indent(dedent(cleaned), indentation).splitlines()
    first, *others = cleaned.splitlines() or [""]
    yield [indentation + first.strip(), *others]
