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
    if "\n" in source.strip() or _is_python(source):
        return source
    broken = _GAP.sub(r"\n\1", source)
    return broken if _is_python(broken) else source


def _is_python(source: str) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


PythonSource = Annotated[str, AfterValidator(with_line_breaks)]
