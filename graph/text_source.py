"""Reading a text that somebody names: a file, or standard input."""

import sys
from pathlib import Path

from graph.arguments import UsageError


def read_text(place: str, what: str, most_characters: int, advice: str) -> str:
    """The UTF-8 text in the file ``place``, or on standard input where ``place`` is ``-``.

    Args:
        place: name of the file, or ``-``.
        what: what the text is, such as "the description".
        most_characters: a text that is longer for certain is refused; one that is so short may
            still have up to four times as many characters as this.
        advice: what to do about a text that is too long.

    Raises:
        UsageError: it cannot be read, is no UTF-8 text, or is far too long.
    """
    # UTF-8 takes at most four bytes a character; one more shows that there is too much.
    most_bytes = 4 * most_characters + 1
    content = _bytes_of(place, what, most_bytes)
    name = "standard input" if place == "-" else place
    if b"\0" in content:
        raise UsageError(f"{name} is not a text file; give {what} as UTF-8 text")
    if len(content) == most_bytes:
        raise UsageError(
            f"{name} is far too long: more than {most_characters:,} characters; {advice}"
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{name} is not UTF-8 text (byte {error.start + 1} does not fit); save {what} as UTF-8"
        ) from error


def _bytes_of(place: str, what: str, most_bytes: int) -> bytes:
    if place == "-":
        return sys.stdin.buffer.read(most_bytes)
    try:
        with Path(place).open("rb") as file:
            return file.read(most_bytes)
    except IsADirectoryError as error:
        raise UsageError(f"{place} is a folder; name the file with {what}") from error
    except OSError as error:
        raise UsageError(f"cannot read {place}: {error.strerror or error}") from error
