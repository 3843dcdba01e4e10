"""Where threads are kept: one SQLite file or one PostgreSQL database, behind one serializer.

The place is ``runs/checkpoints.sqlite`` in the current folder, or the one that the environment
variable ``A_LAMP_CHECKPOINTS`` or the option ``--checkpoint-db`` names: a path,
``sqlite:///path`` or ``postgresql://...``. The command line and the development server use the
same, so that a run begun in one can go on in the other.
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver

from graph.postgres_store import PostgresStore
from graph.sqlite_store import SqliteStore
from graph.store import Store, StoreFailure

DEFAULT_PLACE = "runs/checkpoints.sqlite"
VARIABLE = "A_LAMP_CHECKPOINTS"


def store_at(place: str | None = None) -> Store:
    """The store that ``place`` names, or the environment, or else the usual file.

    Raises:
        StoreFailure: it is an address of some other kind.
    """
    wanted = place or os.environ.get(VARIABLE) or DEFAULT_PLACE
    scheme, separator, rest = wanted.partition("://")
    if not separator:
        return SqliteStore(Path(wanted))
    if scheme in ("postgresql", "postgres"):
        return PostgresStore(wanted)
    if scheme == "sqlite" and rest.startswith("/") and len(rest) > 1:
        return SqliteStore(Path(rest[1:]))
    raise StoreFailure(
        f"threads cannot be kept at {scheme}://...; give a path, sqlite:///path or "
        "postgresql://user@host/database"
    )


@asynccontextmanager
async def async_saver() -> AsyncIterator[BaseCheckpointSaver[Any]]:
    """Saver for the development server, named in ``langgraph.json``."""
    async with store_at().async_saver() as saver:
        yield saver
