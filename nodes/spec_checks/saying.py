"""Findings of the checks on a specification, kept short enough for a prompt."""

from sandbox.programs.findings import shorten
from state.findings import Finding, Owner

LONGEST = {"place": 120, "expected": 260, "found": 320, "message": 300}


def finding(
    check: str,
    owner: Owner,
    place: str,
    message: str,
    *,
    expected: str = "",
    found: str = "",
    blocking: bool = True,
) -> Finding:
    """A finding whose texts together stay under 1,200 characters."""
    texts = {"place": place, "expected": expected, "found": found, "message": message}
    short = {name: shorten(text, LONGEST[name]) for name, text in texts.items()}
    return Finding(check=check, owner=owner, blocking=blocking, **short)
