"""A change of one statement of a function, which a model gives where it would copy the whole."""

import ast
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import dedent, indent

from pydantic import Field

from nodes.body_rules import parsed
from state.piece import Piece
from state.python_source import tree_of

BLANK = "...  # this line is missing"
LONGEST = 1500
"""Characters of a change."""


class LineChange(Piece):
    """What is to stand in the place of a statement: one line or several."""

    instead: str = Field(max_length=LONGEST)


@dataclass(frozen=True)
class Place:
    """A simple statement, or the head of one with a block: lines from 1, both ends included."""

    first: int
    last: int

    def within(self, source: str) -> str:
        """What stands there, on one line and without remarks."""
        lines = _without_remarks(_lines(source)[self.first - 1 : self.last])
        return " ".join(line.strip() for line in lines if line.strip())


def _lines(source: str) -> list[str]:
    """Lines as Python counts them: some characters that end a line elsewhere do not here."""
    return source.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")


def _without_remarks(lines: list[str]) -> list[str]:
    text = "\n".join(lines) + "\n"
    kept = list(lines)
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                row, column = token.start
                kept[row - 1] = kept[row - 1][:column]
    except (tokenize.TokenError, SyntaxError):
        return lines
    return kept


def places_in(source: str) -> dict[Place, ast.stmt]:
    """All statements below the first line of the function ``source``, from above.

    Empty if it is no Python. What only tells the reader something is left out.
    """
    tree = tree_of(source)
    if tree is None:
        return {}
    heads = {node.lineno for node in tree.body}
    found = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt) or node.lineno in heads or _only_tells(node):
            continue
        block = getattr(node, "body", None)
        last = block[0].lineno - 1 if block else node.end_lineno or node.lineno
        found[Place(node.lineno, max(last, node.lineno))] = node
    return dict(sorted(found.items(), key=lambda item: item[0].first))


def _only_tells(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def with_blank(source: str, place: Place) -> str:
    """``source`` with nothing at ``place``."""
    return with_change(source, place, BLANK)


def around(source: str, place: Place) -> tuple[str, str]:
    """What stands before ``place``, its indentation included, and what stands behind."""
    lines = _lines(source)
    old = lines[place.first - 1]
    before = [*lines[: place.first - 1], old[: len(old) - len(old.lstrip())]]
    return "\n".join(before), "\n" + "\n".join(lines[place.last :]) + "\n"


def with_change(source: str, place: Place, instead: str) -> str:
    """``source`` with ``instead`` at ``place``, indented as what stood there."""
    lines = _lines(source)
    old = lines[place.first - 1]
    indentation = old[: len(old) - len(old.lstrip())]
    changed = [
        "\n".join([*lines[: place.first - 1], *new, *lines[place.last :]]) + "\n"
        for new in _ways_to_indent(instead, indentation)
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
