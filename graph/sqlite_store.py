"""Threads in an SQLite file, each locked by a byte of a file beside it."""

import fcntl
import os
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from uuid import UUID

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from graph.serialization import serializer
from graph.store import THREADS_SQL, Extent, OpenStore, Store, StoreFailure, ThreadBusy

LOCK_SECONDS = 30.0
OFFSETS = 2**62
PAGE_BYTES = 1024
"""Of a new file: checkpoints take some thousand bytes, and begin on a page each."""


class SqliteStore(Store):
    """The file at ``path``; it and its folder are made where they are missing."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __str__(self) -> str:
        return str(self.path)

    def is_there(self) -> bool:
        """Whether there is such a file."""
        return self.path.is_file()

    @contextmanager
    def open(self) -> Iterator["OpenSqlite"]:
        """Open the file, see :meth:`Store.open`."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(self.path, timeout=LOCK_SECONDS, check_same_thread=False)
        except (OSError, sqlite3.Error) as error:
            raise self._failure(error) from error
        with closing(connection):
            opened = OpenSqlite(self.path, connection)
            try:
                connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
                opened.saver.setup()
            except sqlite3.Error as error:
                raise self._failure(error) from error
            yield opened

    @asynccontextmanager
    async def async_saver(self) -> AsyncIterator[AsyncSqliteSaver]:
        """The saver as a server needs it."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        async with aiosqlite.connect(self.path, timeout=LOCK_SECONDS) as connection:
            saver = AsyncSqliteSaver(connection, serde=serializer())
            await saver.setup()
            yield saver

    def _failure(self, error: Exception) -> StoreFailure:
        return StoreFailure(
            f"cannot keep threads in {self.path}: {error}; name another place with --checkpoint-db"
        )


class LeanSaver(SqliteSaver):
    """Keeps of each step what is needed, and no more.

    What a node returned lets a killed run go on without running it again, until the next
    checkpoint holds it. What a thread was begun with, the same for all of its checkpoints, is
    kept with the first that this process writes.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection, serde=serializer())
        self._known: dict[str, object] = {}

    def get_next_version(self, current: str | None, channel: None) -> str:
        """The version after ``current``: its number, without the random digits behind it."""
        return f"{int((current or '0').split('.')[0]) + 1:032}."

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint, see ``BaseCheckpointSaver.put``."""
        before, told = config["configurable"], dict(config.get("metadata", {}))
        if "fingerprint" in told:
            begun_with = told.pop("fingerprint")
            if self._known.get(before["thread_id"]) != begun_with:
                self._known[before["thread_id"]] = told["fingerprint"] = begun_with
        saved = super().put({**config, "metadata": told}, checkpoint, metadata, new_versions)
        with self.cursor() as cursor:
            cursor.execute(
                "DELETE FROM writes WHERE thread_id = ? AND checkpoint_ns = ? "
                "AND checkpoint_id = ?",
                (before["thread_id"], before["checkpoint_ns"], before.get("checkpoint_id")),
            )
        return saved


class OpenSqlite(OpenStore):
    """The open file."""

    saver: SqliteSaver

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.saver = LeanSaver(connection)

    def extents(self) -> list[Extent]:
        """All threads, the one that was active last first."""
        with self.saver.cursor(transaction=False) as cursor:
            return [Extent(*row) for row in cursor.execute(THREADS_SQL)]

    @contextmanager
    def lock(self, thread_id: str) -> Iterator[None]:
        """Hold the thread, see :meth:`OpenStore.lock`."""
        with thread_lock(self.path, thread_id):
            yield


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
            raise ThreadBusy(thread_id) from error
        yield
    finally:
        os.close(descriptor)
