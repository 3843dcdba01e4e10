"""What the command line asks of the place where threads are kept."""

from abc import ABC, abstractmethod
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver

from graph.arguments import UsageError


class StoreFailure(UsageError):
    """The place cannot be used; the message is one sentence with what to do."""


class ThreadBusy(UsageError):
    """Another process runs the thread; the message is one sentence."""

    def __init__(self, thread_id: str) -> None:
        super().__init__(
            f"thread {thread_id} is being run by another process; wait for it or end it first"
        )


@dataclass(frozen=True)
class Extent:
    """The first and the last checkpoint of a thread, by their ids."""

    thread_id: str
    first: str
    last: str


THREADS_SQL = """
    SELECT thread_id, MIN(checkpoint_id), MAX(checkpoint_id) FROM checkpoints
    WHERE checkpoint_ns = '' GROUP BY thread_id ORDER BY 3 DESC
"""


class OpenStore(ABC):
    """A place that is open: its saver, its threads and their locks."""

    saver: BaseCheckpointSaver[Any]

    @abstractmethod
    def extents(self) -> list[Extent]:
        """All threads, the one that was active last first."""

    @abstractmethod
    def lock(self, thread_id: str) -> AbstractContextManager[None]:
        """Hold the thread for this process, which lets go of it even when it is killed.

        Raises:
            ThreadBusy: another process holds it.
        """


class Store(ABC):
    """A place where threads are kept; ``str()`` names it without any password."""

    @abstractmethod
    def is_there(self) -> bool:
        """Whether anything was ever kept there."""

    @abstractmethod
    def open(self) -> AbstractContextManager[OpenStore]:
        """Open the place, and prepare it where nothing was kept there before.

        Raises:
            StoreFailure: it cannot be opened or holds something else.
        """

    @abstractmethod
    def async_saver(self) -> AbstractAsyncContextManager[BaseCheckpointSaver[Any]]:
        """The saver as a server needs it."""
