"""Watching a running tree of processes: its time, memory, files and output; and ending it."""

import codecs
import contextlib
import os
import select
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

from sandbox import folder as run_folder
from sandbox import processes
from sandbox.outcome import Limits, Reason

_POLL_SECONDS = 0.05
_DISK_POLL_SECONDS = 0.25
_BLOCK = 1 << 16
_GRACE_SECONDS = 10.0


class Capture:
    """Keeps the first bytes of one stream and notes whether there were more."""

    def __init__(self, stream: IO[bytes], limit: int, on_line: Callable[[str], None] | None):
        self._stream = stream
        self._limit = limit
        self._on_line = on_line
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pending = ""
        self._kept = bytearray()
        self.exceeded = False
        self.ended = False
        os.set_blocking(stream.fileno(), False)

    def fileno(self) -> int:
        """The descriptor to wait on."""
        return self._stream.fileno()

    def read(self) -> bool:
        """Takes one block; false if there is none, now or (see `ended`) ever again."""
        try:
            block = os.read(self._stream.fileno(), _BLOCK)
        except BlockingIOError:
            return False
        self.ended = not block
        room = self._limit - len(self._kept)
        self._kept += block[:room]
        self.exceeded = self.exceeded or len(block) > room
        if self._on_line is not None:
            self._pending += self._decoder.decode(block[:room])
            *lines, self._pending = self._pending.split("\n")
            for line in lines:
                self._on_line(line)
        return bool(block)

    def text(self) -> str:
        """What was kept; bytes that are not UTF-8 are replaced."""
        return self._kept.decode(errors="replace")


class Watchdog:
    """Compares a tree's use with its limits.

    Of a `supervised` tree the root is ours and does not count. `scratch` is a temporary folder
    that takes room on this machine's disk.
    """

    def __init__(
        self,
        root: int,
        folder: Path,
        limits: Limits,
        *,
        scratch: Path | None = None,
        supervised: bool = False,
    ):
        self._root = root
        self._supervised = supervised
        self._folder = folder
        self._scratch = scratch
        self._limits = limits
        self._before = run_folder.measure(folder)
        self._next_disk = 0.0
        self.cpu_seconds = 0.0
        self.peak_memory_bytes = 0

    def violation(self) -> Reason | None:
        """The limit that is passed now, if one is."""
        usage = processes.tree_usage(self._root, without_root=self._supervised)
        memory = usage.memory_bytes
        if memory > self._limits.memory_bytes:
            memory = processes.exact_memory_bytes(self._root, without_root=self._supervised)
        self.peak_memory_bytes = max(self.peak_memory_bytes, memory)
        self.cpu_seconds = max(self.cpu_seconds, usage.cpu_seconds)
        if memory > self._limits.memory_bytes:
            return "memory"
        if self.cpu_seconds > self._limits.cpu_seconds:
            return "cpu_time"
        # The kernel refuses more, where it counts; bubblewrap's own two come on top.
        if usage.tasks > self._limits.processes + 2:
            return "processes"
        return self._disk_violation_in_time()

    def _disk_violation_in_time(self) -> Reason | None:
        started = time.monotonic()
        if started < self._next_disk:
            return None
        reason = self.disk_violation(processes.unlinked_bytes(self._root))
        ended = time.monotonic()
        # A folder of many files takes long to measure; it may not take all of our time.
        self._next_disk = ended + max(_DISK_POLL_SECONDS, 4 * (ended - started))
        return reason

    def disk_violation(self, unlinked_bytes: int = 0) -> Reason | None:
        """Whether the run folder, or the scratch folder, has grown by more than it may."""
        try:
            size = run_folder.measure(self._folder)
        except (run_folder.UnmeasurableFolder, FileNotFoundError):
            return "disk"
        added = size.bytes - self._before.bytes + unlinked_bytes
        if self._scratch is not None and self._scratch.exists() and self._overfilled():
            return "disk"
        too_many = size.entries - self._before.entries > self._limits.total_files
        return "disk" if too_many or added > self._limits.total_bytes else None

    def _overfilled(self) -> bool:
        assert self._scratch is not None
        try:
            return run_folder.measure(self._scratch).bytes > self._limits.scratch_bytes
        except run_folder.UnmeasurableFolder:
            return True
        except FileNotFoundError:  # the program removed it, though it can make no other
            return False


def supervise(
    process: subprocess.Popen[bytes],
    watchdog: Watchdog,
    captures: list[Capture],
    limits: Limits,
    stop: threading.Event | None,
) -> Reason | None:
    """Waits for a process to end. Returns why it has to be ended by us, or none if it ended.

    The process is left as it is, not waited for: a zombie, or still running.
    """
    deadline = time.monotonic() + limits.wall_seconds
    next_poll = 0.0
    handle = os.pidfd_open(process.pid)
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(handle, selectors.EVENT_READ)
            for capture in captures:
                selector.register(capture, selectors.EVENT_READ)
            while True:
                ready = [key.fileobj for key, _ in selector.select(_POLL_SECONDS)]
                for capture in captures:
                    if capture in ready:
                        capture.read()
                        if capture.ended:
                            selector.unregister(capture)
                if any(capture.exceeded for capture in captures):
                    return "output"
                if handle in ready:
                    return None
                now = time.monotonic()
                if now >= deadline:
                    return "wall_time"
                if stop is not None and stop.is_set():
                    return "stopped"
                if now >= next_poll:
                    reason = watchdog.violation()
                    if reason is not None:
                        return reason
                    next_poll = time.monotonic() + _POLL_SECONDS
    finally:
        os.close(handle)


def end_contained(process: subprocess.Popen[bytes], first: int | None) -> None:
    """Ends a contained tree, whatever it does against it.

    `first` is a pidfd of the first process of its namespace, with which the kernel ends all
    others; that it is gone means that they are.
    """
    if first is not None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(first, signal.SIGKILL)
        gone = select.poll()
        gone.register(first, select.POLLIN)
        gone.poll(_GRACE_SECONDS * 1000)
    # Not yet waited for, so that the number is still its own.
    os.kill(process.pid, signal.SIGKILL)


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Ends a tree that is not contained: its process group and all descendants.

    What has left both, by ending its parent in a session of its own, escapes.
    """
    processes.end_tree(process.pid)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
