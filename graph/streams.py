"""Standard output and error, which the caller may have closed or may stop reading."""

import os
import sys
from typing import TextIO

from graph.arguments import UsageError


def open_closed_streams() -> None:
    """Open standard streams that the caller closed, on nothing.

    Otherwise the next file that is opened, such as that of the checkpoints, would take their
    number, and whatever writes to standard error would write into it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdin = sys.stdin or os.fdopen(0)
    sys.stdout = sys.stdout or os.fdopen(1, "w")
    sys.stderr = sys.stderr or os.fdopen(2, "w")


def say(line: str, stream: TextIO) -> bool:
    """Print ``line``; False, and nothing more is printed there, if it cannot be.

    Characters that the stream's encoding does not have are printed as their numbers.
    """
    encoding = stream.encoding or "utf-8"
    printable = line.encode(encoding, "backslashreplace").decode(encoding)
    try:
        print(printable, file=stream, flush=True)
    except OSError:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)
        return False
    return True


def give(text: str) -> None:
    """Print what was asked for on standard output.

    Raises:
        UsageError: it cannot be written to.
    """
    if not say(text, sys.stdout):
        raise UsageError("standard output is closed or full: nobody gets what was asked for")
