"""Python source as it stands in an answer."""

import ast
import re
from typing import Annotated

from pydantic import AfterValidator

_GAP = re.compile(r"(?<=\S)( {4,})(?=\S)")


def with_line_breaks(source: str) -> str:
    """``source``; where it lost its line breaks and kept its indentation, with them put back.

    Small models write a function into a JSON string in that way.
    """
    if "\n" in source.strip() or tree_of(source) is not None:
        return source
    broken = _GAP.sub(r"\n\1", source)
    return broken if tree_of(broken) is not None else source


def tree_of(source: str) -> ast.Module | None:
    """The syntax of ``source``; None if it is no Python, or nested too deeply to be read."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


PythonSource = Annotated[str, AfterValidator(with_line_breaks)]
