"""A tree of processes as /proc shows it: who is in it, and what it uses.

Every reader here takes a process that is already gone as having nothing to report: the tree
changes while it is read.
"""

import contextlib
import os
import signal
import time
from typing import NamedTuple

_GRACE_SECONDS = 10.0
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


class TreeUsage(NamedTuple):
    """Sums over a tree: bytes, seconds (children already waited for included), tasks."""

    memory_bytes: int
    cpu_seconds: float
    tasks: int


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return ""


def _tasks(process: int) -> list[str]:
    try:
        return os.listdir(f"/proc/{process}/task")
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return []


def children(process: int) -> list[int]:
    """Direct children of a process, whichever of its threads started them."""
    found: list[int] = []
    for task in _tasks(process):
        found += map(int, _read(f"/proc/{process}/task/{task}/children").split())
    return found


def tree(root: int) -> list[int]:
    """The process and all its descendants, parents first."""
    found, seen = [root], {root}
    for process in found:
        for child in children(process):
            if child not in seen:
                seen.add(child)
                found.append(child)
    return found


def _cpu_seconds(process: int) -> float:
    # The command name, in parentheses, may itself hold spaces and parentheses.
    fields = _read(f"/proc/{process}/stat").rpartition(")")[2].split()
    # utime, stime and those of children waited for: fields 14 to 17 of proc_pid_stat(5).
    return sum(map(int, fields[11:15])) / _TICKS_PER_SECOND


def _kilobytes(text: str, names: tuple[str, ...]) -> int:
    total = 0
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name in names:
            total += int(value.split()[0])
    return total


def tree_usage(root: int, *, without_root: bool = False) -> TreeUsage:
    """What a tree uses now. Memory shared between its processes is counted once for each."""
    memory, cpu, tasks = 0, 0.0, 0
    for process in tree(root)[without_root:]:
        status = _read(f"/proc/{process}/status")
        memory += 1024 * _kilobytes(status, ("RssAnon", "RssShmem", "VmSwap"))
        tasks += _kilobytes(status, ("Threads",))
        cpu += _cpu_seconds(process)
    return TreeUsage(memory, cpu, tasks)


def exact_memory_bytes(root: int, *, without_root: bool = False) -> int:
    """Memory of a tree with shared pages counted once (proportional set size); slower.

    A process that hides the figure from us is counted by what it cannot hide.
    """
    total = 0
    for process in tree(root)[without_root:]:
        rollup = _read(f"/proc/{process}/smaps_rollup")
        names: tuple[str, ...] = ("Pss_Anon", "Pss_Shmem", "SwapPss")
        if not rollup:
            rollup = _read(f"/proc/{process}/status")
            names = ("RssAnon", "RssShmem", "VmSwap")
        total += 1024 * _kilobytes(rollup, names)
    return total


def unlinked_bytes(root: int) -> int:
    """Bytes of files that a tree holds open though they have no name any more."""
    sizes: dict[tuple[int, int], int] = {}
    for process in tree(root):
        try:
            descriptors = os.listdir(f"/proc/{process}/fd")
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
        for descriptor in descriptors:
            try:
                status = os.stat(f"/proc/{process}/fd/{descriptor}")
            except OSError:
                continue
            if status.st_nlink == 0:
                sizes[status.st_dev, status.st_ino] = status.st_blocks * 512
    return sum(sizes.values())


def end_tree(root: int, *, without_root: bool = False) -> None:
    """Ends a process and all its descendants, or these alone.

    What has left the tree, because its parent ended, escapes.
    """
    found: set[int] = set()
    deadline = time.monotonic() + _GRACE_SECONDS
    # Stopped first, so that nothing new is started meanwhile.
    while (new := set(tree(root)[without_root:]) - found) and time.monotonic() < deadline:
        _signal_all(new, signal.SIGSTOP)
        found |= new
    _signal_all(found, signal.SIGKILL)


def _signal_all(doomed: set[int], which: signal.Signals) -> None:
    for process in doomed:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, which)
