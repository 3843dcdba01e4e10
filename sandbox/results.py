"""Bringing results back from a folder that code nobody trusts has written to."""

import json
import os
import stat
from pathlib import Path
from typing import NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from sandbox import folder as run_folder

Schema = TypeVar("Schema", bound=BaseModel)

MAXIMUM_BYTES = 4 * 1024 * 1024


class ResultInvalid(ValueError):
    """A result that is missing, is not what it should be, or cannot be trusted; one sentence."""


def read_bytes(folder: Path, name: str, max_bytes: int = MAXIMUM_BYTES) -> bytes:
    """The content of a regular file lying directly in the folder, never through a link.

    Raises ResultInvalid, also if the file is longer than `max_bytes`.
    """
    if name in ("", ".", "..") or "/" in name or "\0" in name:
        raise ResultInvalid(f"the result's name {name!r} is not a plain file name")
    try:
        # Not to wait on a pipe put there instead.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(folder / name, flags)
    except FileNotFoundError as error:
        raise ResultInvalid(f"the program left no result {name}") from error
    except OSError as error:
        raise ResultInvalid(
            f"the result {name} cannot be read: {error.strerror} (links are not followed)"
        ) from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
            raise ResultInvalid(f"the result {name} is not a regular file of one name")
        with open(descriptor, "rb", closefd=False) as file:
            content = file.read(max_bytes + 1)
    finally:
        os.close(descriptor)
    if len(content) > max_bytes:
        raise ResultInvalid(f"the result {name} is longer than {max_bytes} bytes")
    return content


def read_result(
    folder: Path, name: str, schema: type[Schema], max_bytes: int = MAXIMUM_BYTES
) -> Schema:
    """Reads a JSON result and validates it.

    NaN and infinities, which JSON does not have and Python's writer writes, are refused, as are
    numbers too large for a float, repeated keys and nesting deeper than the parser can follow.

    Raises ResultInvalid.
    """
    content = read_bytes(folder, name, max_bytes)
    try:
        value = json.loads(
            content.decode("utf-8"),
            parse_constant=_refuse_constant,
            parse_float=_finite,
            object_pairs_hook=_without_repeats,
        )
        return schema.model_validate_json(json.dumps(value, allow_nan=False))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        # Keys are the program's own words, of any length and on any number of lines.
        place = repr(".".join(map(str, first["loc"])))[:100] if first["loc"] else "the whole"
        raise ResultInvalid(
            f"the result {name} is not a {schema.__name__}: {place}: {first['msg']}"
        ) from error
    except (ValueError, RecursionError) as error:
        raise ResultInvalid(f"the result {name} is not valid JSON: {error}") from error


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number")


def _finite(word: str) -> float:
    number = float(word)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{word[:40]} is too large a number")
    return number


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object has the same key twice")
    return found


def check_files(folder: Path) -> None:
    """Makes sure that a folder holds nothing but plain files and folders.

    Raises ResultInvalid, naming the first link, device, pipe, socket, file with a second name or
    file that runs as another user.
    """
    try:
        for entry in run_folder.entries(folder):
            mode, problem = entry.status.st_mode, None
            if mode & (stat.S_ISUID | stat.S_ISGID):
                problem = "would run as another user"
            elif not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
                problem = "is not a plain file or folder"
            elif stat.S_ISREG(mode) and entry.status.st_nlink > 1:
                problem = "has another name elsewhere"
            if problem is not None:
                raise ResultInvalid(f"the program left {entry.path!r}, which {problem}")
    except run_folder.UnmeasurableFolder as error:
        raise ResultInvalid(f"what the program left cannot be checked: {error}") from error
