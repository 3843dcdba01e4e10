"""Threads in a PostgreSQL database, each locked by an advisory lock of its session."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit
from uuid import UUID

from graph.serialization import serializer
from graph.store import THREADS_SQL, Extent, OpenStore, Store, StoreFailure, ThreadBusy
from nodes.models.redact import one_line

if TYPE_CHECKING:
    from langgraph.checkpoint.postgres import PostgresSaver
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
    from psycopg import Connection

CONNECT_SECONDS = 10
SETTING_UP = 0x5E77196
"""Advisory lock of whoever prepares the tables, so that two processes do not do it at once."""


class PostgresStore(Store):
    """The database at ``url``, as libpq reads it."""

    def __init__(self, url: str) -> None:
        self.url = url
        try:
            parts = urlsplit(url)
        except ValueError as error:
            raise StoreFailure(f"--checkpoint-db is no address of a database: {error}") from error
        user, _, place = parts.netloc.rpartition("@")
        named = f"{user.partition(':')[0]}@{place}" if user else place
        self._shown = urlunsplit(parts._replace(netloc=named, query="", fragment=""))

    def __str__(self) -> str:
        return self._shown

    def is_there(self) -> bool:
        """True: a database is made by whoever runs it."""
        return True

    @contextmanager
    def open(self) -> Iterator["OpenPostgres"]:
        """Open the database, see :meth:`Store.open`."""
        psycopg = self._driver()
        from psycopg.rows import dict_row

        try:
            connection = psycopg.connect(
                self.url,
                autocommit=True,
                prepare_threshold=0,
                row_factory=dict_row,
                connect_timeout=CONNECT_SECONDS,
            )
        except psycopg.Error as error:
            raise self._failure(error) from error
        with connection:
            opened = OpenPostgres(connection)
            try:
                with opened.held(SETTING_UP):
                    opened.saver.setup()
            except psycopg.Error as error:
                raise self._failure(error) from error
            yield opened

    @asynccontextmanager
    async def async_saver(self) -> AsyncIterator["AsyncPostgresSaver"]:
        """The saver as a server needs it."""
        self._driver()
        from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

        async with AsyncPostgresSaver.from_conn_string(self.url, serde=serializer()) as saver:
            await saver.setup()
            yield saver

    def _driver(self) -> Any:
        """The module that speaks to PostgreSQL.

        Raises:
            StoreFailure: it, or LangGraph's saver, is not installed.
        """
        try:
            import_module("langgraph.checkpoint.postgres")
            return import_module("psycopg")
        except ImportError as error:
            raise StoreFailure(
                f"threads cannot be kept in PostgreSQL: {one_line(str(error))}; install what is "
                "missing with: pip install 'a-lamp[postgres]'"
            ) from error

    def _failure(self, error: Exception) -> StoreFailure:
        told = one_line(str(error).replace(self.url, str(self)))
        return StoreFailure(
            f"cannot keep threads in {self}: {told}; start the server, mend the address, or name "
            "another place with --checkpoint-db"
        )


class OpenPostgres(OpenStore):
    """The open database."""

    saver: "PostgresSaver"

    def __init__(self, connection: "Connection[dict[str, Any]]") -> None:
        from langgraph.checkpoint.postgres import PostgresSaver

        self.connection = connection
        self.saver = PostgresSaver(connection, serde=serializer())

    def extents(self) -> list[Extent]:
        """All threads, the one that was active last first."""
        return [Extent(*row.values()) for row in self.connection.execute(THREADS_SQL)]

    @contextmanager
    def lock(self, thread_id: str) -> Iterator[None]:
        """Hold the thread, see :meth:`OpenStore.lock`; the server lets go with the session."""
        key = UUID(thread_id).int % 2**63
        row = self.connection.execute("SELECT pg_try_advisory_lock(%s) AS held", (key,)).fetchone()
        if row is None or not row["held"]:
            raise ThreadBusy(thread_id)
        try:
            yield
        finally:
            if not self.connection.closed:
                self.connection.execute("SELECT pg_advisory_unlock(%s)", (key,))

    @contextmanager
    def held(self, key: int) -> Iterator[None]:
        """Wait for an advisory lock of the database and hold it."""
        self.connection.execute("SELECT pg_advisory_lock(%s)", (key,))
        yield
        self.connection.execute("SELECT pg_advisory_unlock(%s)", (key,))
