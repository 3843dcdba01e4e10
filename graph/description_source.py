"""Where a description comes from: a built-in task, a file, or standard input."""

import sys
from pathlib import Path

from benchmarks.catalogue import task_description
from graph.arguments import Arguments, UsageError
from nodes.description import MOST_CHARACTERS, description_problem

# UTF-8 takes at most four bytes a character; one more shows that there is too much.
MOST_BYTES = 4 * MOST_CHARACTERS + 1


def read_description(arguments: Arguments) -> str:
    """The description that ``arguments`` name.

    Raises:
        UsageError: there is no such task, the file cannot be read, or it is no description.
    """
    if arguments.task is not None:
        try:
            return task_description(arguments.task)
        except KeyError as error:
            raise UsageError(str(error.args[0])) from error
    assert arguments.describe is not None
    text = _decoded(_bytes_of(arguments.describe), arguments.describe)
    problem = description_problem(text)
    if problem:
        raise UsageError(problem)
    return text


def _bytes_of(place: str) -> bytes:
    if place == "-":
        return sys.stdin.buffer.read(MOST_BYTES)
    try:
        with Path(place).open("rb") as file:
            return file.read(MOST_BYTES)
    except IsADirectoryError as error:
        raise UsageError(f"{place} is a folder; name the file with the description") from error
    except OSError as error:
        raise UsageError(f"cannot read {place}: {error.strerror or error}") from error


def _decoded(content: bytes, place: str) -> str:
    name = "standard input" if place == "-" else place
    if b"\0" in content:
        raise UsageError(f"{name} is not a text file; give the description as UTF-8 text")
    if len(content) == MOST_BYTES:
        raise UsageError(
            f"{name} is far too long: more than {MOST_CHARACTERS:,} characters; leave out what "
            "the decisions do not depend on"
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{name} is not UTF-8 text (byte {error.start + 1} does not fit); "
            "save the description as UTF-8"
        ) from error
