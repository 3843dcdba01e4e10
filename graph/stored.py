"""Finding a kept thread by the beginning of its id, and reading what it holds."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from langchain_core.runnables import RunnableConfig
from langgraph.types import StateSnapshot

from graph.arguments import UsageError
from graph.build import builder
from graph.checkpoint import store_at
from graph.fingerprint import Fingerprint
from graph.store import OpenStore
from state.run_state import RunState


@dataclass(frozen=True)
class StoredThread:
    """A thread as it was left; without a fingerprint where nothing tells what it began with."""

    thread_id: str
    snapshot: StateSnapshot
    state: RunState
    fingerprint: Fingerprint | None

    @property
    def following(self) -> list[str]:
        """The nodes that run next; none where the thread is finished."""
        return following(self.snapshot)

    @property
    def begun_with(self) -> Fingerprint:
        """What it was begun with.

        Raises:
            UsageError: nothing tells what that was.
        """
        if self.fingerprint is None:
            raise UsageError(
                f"thread {self.thread_id} was not begun by this command; go on where it was"
            )
        return self.fingerprint


def following(snapshot: StateSnapshot) -> list[str]:
    """The nodes that run next; with a node that has run and whose result is not taken over yet.

    ``snapshot.next`` leaves such a node out, so that a thread whose process was killed just then
    would seem to be finished.
    """
    return [task.name for task in snapshot.tasks]


def config_of(thread_id: str) -> RunnableConfig:
    """What the graph and its saver call the thread by."""
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}}


@contextmanager
def kept_threads(place: str | None) -> Iterator[OpenStore]:
    """The store at ``place``, open, if anything was ever kept there.

    Raises:
        UsageError: there is nothing, or it cannot be opened.
    """
    store = store_at(place)
    if not store.is_there():
        raise UsageError(f"there is no thread: {store} does not exist")
    with store.open() as opened:
        yield opened


def full_id(store: OpenStore, given: str) -> str:
    """The id of the one thread that ``given`` is the beginning of.

    Raises:
        UsageError: there is none, or more than one.
    """
    wanted = given.strip().lower()
    found = [e.thread_id for e in store.extents() if e.thread_id.startswith(wanted)]
    if not found:
        raise UsageError(f"there is no thread {given}; --runs lists those that there are")
    if len(found) > 1:
        raise UsageError(f"several threads begin with {given}: {', '.join(found[:5])}; give more")
    return found[0]


def read_thread(store: OpenStore, thread_id: str) -> StoredThread:
    """What the thread holds now.

    Raises:
        UsageError: what is kept cannot be read.
    """
    try:
        return _read(store, thread_id)
    except Exception as error:  # whatever broken or foreign bytes make of the readers
        raise UsageError(
            f"thread {thread_id} cannot be read ({type(error).__name__}); begin a new run"
        ) from error


def _read(store: OpenStore, thread_id: str) -> StoredThread:
    config = config_of(thread_id)
    snapshot = builder.compile(checkpointer=store.saver).get_state(config)
    state = RunState.model_validate(snapshot.values or _input(store, config))
    begun_with = _fingerprint(store, config, state.description)
    return StoredThread(thread_id, snapshot, state, begun_with)


def _input(store: OpenStore, config: RunnableConfig) -> object:
    """What the graph was given, where it was stopped before it had taken it over."""
    found = store.saver.get_tuple(config)
    return found.checkpoint["channel_values"]["__start__"] if found else None


def _fingerprint(store: OpenStore, config: RunnableConfig, description: str) -> Fingerprint | None:
    """That of the latest checkpoint which has one."""
    latest = store.saver.get_tuple(config)
    for kept in [*([latest] if latest else []), *store.saver.list(config)]:
        fingerprint = Fingerprint.kept_with(kept.metadata, description)
        if fingerprint is not None:
            return fingerprint
    return None
