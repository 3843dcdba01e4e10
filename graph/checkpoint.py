"""Where threads are kept: one SQLite file, read and written by one serializer.

The file is ``runs/checkpoints.sqlite`` in the current folder, or the one that the environment
variable ``A_LAMP_CHECKPOINTS`` names. The command line and the development server use the same,
so that a run begun in one can go on in the other.
"""

import os
import pkgutil
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from enum import Enum
from importlib import import_module
from pathlib import Path

import aiosqlite
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from pydantic import BaseModel

import state

LOCK_SECONDS = 30.0


def checkpoint_file() -> Path:
    """The file that holds all threads."""
    return Path(os.environ.get("A_LAMP_CHECKPOINTS") or "runs/checkpoints.sqlite")


def state_types() -> list[tuple[str, str]]:
    """Module and name of every type that the state may carry, from the ``state`` package."""
    modules = [
        import_module(f"state.{found.name}") for found in pkgutil.iter_modules(state.__path__)
    ]
    return sorted(
        (module.__name__, name)
        for module in modules
        for name, kind in vars(module).items()
        if isinstance(kind, type)
        and issubclass(kind, (BaseModel, Enum))
        and kind.__module__ == module.__name__
    )


def serializer() -> JsonPlusSerializer:
    """Serializer that restores the state's own types and nothing else that it does not know."""
    return JsonPlusSerializer(allowed_msgpack_modules=state_types())


@contextmanager
def sync_saver(path: Path) -> Iterator[SqliteSaver]:
    """Saver for the command line; makes the file and its folder where they are missing.

    Raises:
        OSError: the folder cannot be made.
        sqlite3.Error: the file cannot be opened or holds something else.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(
        sqlite3.connect(path, timeout=LOCK_SECONDS, check_same_thread=False)
    ) as connection:
        saver = SqliteSaver(connection, serde=serializer())
        saver.setup()
        yield saver


@asynccontextmanager
async def async_saver() -> AsyncIterator[AsyncSqliteSaver]:
    """Saver for the development server, named in ``langgraph.json``."""
    path = checkpoint_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    async with aiosqlite.connect(path, timeout=LOCK_SECONDS) as connection:
        saver = AsyncSqliteSaver(connection, serde=serializer())
        await saver.setup()
        yield saver
