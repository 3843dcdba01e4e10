"""The ways to contain a program on which every attack is made."""

import pytest

from sandbox import isolation
from sandbox.bubblewrap import Bubblewrap
from sandbox.containment import Isolation, may_change_user

SANDLOCK = "in sandlock"


def _ways() -> list[str]:
    try:
        strongest = isolation.choose()
    except isolation.SandboxUnavailable:
        return [SANDLOCK]
    if not isinstance(strongest.tool, Bubblewrap):
        return [SANDLOCK]
    if may_change_user():
        return ["as a user of its own", "in a user namespace", SANDLOCK]
    return ["not as root", SANDLOCK]


WAYS = _ways()


def in_sandlock() -> Isolation:
    """The fall-back, which does not need what the others do."""
    way = isolation.candidates()[-1]
    if isinstance(way, str):
        pytest.skip(f"attacks are not made on the fall-back here: {way}")
    return way
