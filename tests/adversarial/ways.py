"""The ways to contain a program on which every attack is made."""

from sandbox import isolation
from sandbox.containment import Isolation, may_change_user

SANDLOCK = "in sandlock"
WAYS = (
    ["as a user of its own", "in a user namespace", SANDLOCK]
    if may_change_user()
    else ["not as root", SANDLOCK]
)


def in_sandlock() -> Isolation:
    """The fall-back, which does not need what the others do."""
    way = isolation.candidates()[-1]
    assert isinstance(way, Isolation), way
    return way
