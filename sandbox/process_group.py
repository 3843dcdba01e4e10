"""A control group that bounds the number of processes, where this machine lets us make one.

It is for those whose processes the kernel counts in no other way that fits: root's, and what runs
without protection, which would be counted together with all else of its user.

Source: the kernel's documentation of control groups, version 1 (pids) and version 2.
"""

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_GRACE_SECONDS = 2.0
_PREFIX = "a-lamp-"


class ProcessGroup:
    """Holds processes, with all that they start, to a number of tasks."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, process: int) -> None:
        """Put a process in; what it starts from now on is in it too."""
        with suppress(ProcessLookupError):
            (self._folder / "cgroup.procs").write_text(str(process), encoding="ascii")


def _parents() -> list[Path]:
    """Control groups in which one of ours might be made, our own ones first."""
    found = [_ROOT / "pids"]
    for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
        number, controllers, path = line.split(":", 2)
        if controllers == "pids":
            found.insert(0, _ROOT / "pids" / path.lstrip("/"))
        elif number == "0":
            for root in (_ROOT, _ROOT / "unified"):
                found += [root / path.lstrip("/"), root]
    return found


def _made() -> Path | None:
    for parent in _parents():
        control = parent / "cgroup.subtree_control"  # version 2 only
        with suppress(OSError):
            if control.exists() and "pids" not in control.read_text(encoding="ascii").split():
                continue
            _remove_what_the_killed_left(parent)
            folder = parent / f"{_PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
            folder.mkdir()
            if (folder / "pids.max").exists():
                return folder
            folder.rmdir()
    return None


def _remove_what_the_killed_left(parent: Path) -> None:
    for left in parent.glob(f"{_PREFIX}*"):
        maker = left.name.removeprefix(_PREFIX).partition("-")[0]
        if not Path("/proc", maker).exists():
            with suppress(OSError):  # it is not empty, or was removed meanwhile
                left.rmdir()


@contextmanager
def process_group(most: int) -> Iterator[ProcessGroup | None]:
    """A group for at most so many tasks, none where none can be made; gone once it is empty."""
    folder = _made()
    if folder is None:
        yield None
        return
    try:
        (folder / "pids.max").write_text(str(most), encoding="ascii")
        yield ProcessGroup(folder)
    finally:
        deadline = time.monotonic() + _GRACE_SECONDS
        while folder.exists() and time.monotonic() < deadline:
            try:
                folder.rmdir()
            except OSError:  # the last process is not quite gone
                time.sleep(0.01)


def describe() -> str:
    """Whether such a group can be made here, in words."""
    with process_group(1) as group:
        return "can be made" if group is not None else "cannot be made; processes are watched"
