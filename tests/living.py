"""Processes that are alive."""

import os
from pathlib import Path


def processes_with(mark: str) -> list[int]:
    """Living processes that have the mark among their words."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
            dead = words and (entry / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except (FileNotFoundError, ProcessLookupError):
            continue
        if mark.encode() in words and not dead and int(entry.name) != os.getpid():
            found.append(int(entry.name))
    return found
