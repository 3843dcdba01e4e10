"""One process a thread: a lock that a dead process cannot keep."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

OFFSETS = 2**62


class ThreadBusy(RuntimeError):
    """Another process runs the thread; the message is one sentence."""


@contextmanager
def thread_lock(checkpoints: Path, thread_id: str) -> Iterator[None]:
    """Hold the lock of ``thread_id`` in the lock file beside ``checkpoints``.

    Each thread has a byte of that file to itself; the kernel lets go of it with the process.

    Raises:
        ThreadBusy: another process holds it.
        OSError: the lock file cannot be opened.
    """
    descriptor = os.open(f"{checkpoints}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        offset = UUID(thread_id).int % OFFSETS
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, offset)
        except OSError as error:
            raise ThreadBusy(
                f"thread {thread_id} is being run by another process; wait for it or end it first"
            ) from error
        yield
    finally:
        os.close(descriptor)
