"""A way to contain programs, and what every way has in common."""

import json
import os
import secrets
from pathlib import Path
from typing import NamedTuple

from sandbox import bubblewrap, interpreter
from sandbox.bubblewrap import Bubblewrap, Mount, View
from sandbox.sandlock_backend import Sandlock

LAUNCHER = Path(__file__).with_name("launch.py")
LAUNCHER_PLACE = "/launch.py"
_FIRST_SPARE, _SPARE = 1 << 30, 1 << 24


class Isolation(NamedTuple):
    """A way to contain programs that was seen to work here."""

    tool: Bubblewrap | Sandlock
    drops_user: bool
    """Whether the program becomes a user of its own; we are root then."""
    seccomp_filter: bytes | None

    @property
    def description(self) -> str:
        """Names what is in force, for people."""
        parts = [f"{type(self.tool).__name__.lower()} {self.tool.version}"]
        parts.append("no seccomp filter" if self.seccomp_filter is None else "seccomp")
        return " + ".join(parts)


def descriptor_of(content: bytes) -> int:
    """An open descriptor from which `content`, of at most 64 KiB, can be read once."""
    reading, writing = os.pipe()
    try:
        os.write(writing, content)
    finally:
        os.close(writing)
    return reading


def may_change_user() -> bool:
    """Whether we may become another user and give files to one: root often may not in containers.

    Source: capabilities(7), proc_pid_status(5).
    """
    status = Path("/proc/self/status").read_text(encoding="utf-8", errors="replace")
    effective = next(int(line.split()[1], 16) for line in status.splitlines() if "CapEff" in line)
    chown, set_group, set_user = 1 << 0, 1 << 6, 1 << 7
    needed = chown | set_group | set_user
    return os.geteuid() == 0 and effective & needed == needed


def spare_user() -> int:
    """A user id that nobody on this machine has, or nobody's own where there are few ids.

    A user of its own keeps the count of one run's processes apart from all others'.
    """
    highest = 0
    for line in Path("/proc/self/uid_map").read_text(encoding="ascii").splitlines():
        first, _, count = map(int, line.split())
        highest = max(highest, first + count)
    if highest < _FIRST_SPARE + _SPARE:
        return bubblewrap.NOBODY
    return _FIRST_SPARE + secrets.randbelow(_SPARE)


def is_spare_user(user: int) -> bool:
    """Whether a user may be one that a program became, in a run that was killed."""
    return user == bubblewrap.NOBODY or _FIRST_SPARE <= user < _FIRST_SPARE + _SPARE


def launcher_plan(
    folder: str,
    *,
    program: str | None = None,
    module: str | None = None,
    user: int | None = None,
    limits: dict[str, int] | None = None,
    path_first: list[str] | None = None,
    path_last: list[str] | None = None,
    die_with_parent: bool = False,
    descriptors: list[int] | None = None,
    seccomp_filter: bytes | None = None,
) -> str:
    """The launcher's first argument.

    `descriptors` are the numbers of open files that wait in standard input, which is a socket
    then; `seccomp_filter` is one that nothing else puts into force.
    """
    return json.dumps(
        {
            "folder": folder,
            "program": program,
            "module": module,
            "user": user,
            "limits": limits or {},
            "path_first": path_first or [],
            "path_last": path_last or [],
            "die_with_parent": die_with_parent,
            "descriptors": descriptors,
            "seccomp_filter": None if seccomp_filter is None else seccomp_filter.hex(),
        }
    )


def view(read_only: list[Mount], empty_files: list[tuple[int, str]]) -> View:
    """The interpreter, the launcher, and what else is given."""
    mounts = [*interpreter.read_only_mounts(), Mount(LAUNCHER, LAUNCHER_PLACE), *read_only]
    return View(mounts, interpreter.links(), empty_files)
