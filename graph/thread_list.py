"""What threads there are: one line each, or one object each with ``--json``."""

import json
from typing import Literal

from langchain_core.runnables import RunnableConfig
from pydantic import BaseModel

from graph.arguments import Arguments, UsageError
from graph.checkpoint import store_at
from graph.outcome import Status, finished_status
from graph.store import Extent, OpenStore, ThreadBusy
from graph.stored import StoredThread, config_of, read_thread

ThreadStatus = Status | Literal["running", "stopped", "unreadable"]
LONGEST_TITLE = 40


class ThreadLine(BaseModel):
    """A thread in the list. Times are ISO 8601 with their zone; ``step`` counts from the begin."""

    thread_id: str
    title: str = ""
    task: str | None = None
    status: ThreadStatus
    begun: str = ""
    active: str = ""
    step: int | None = None
    last_node: str = ""
    next_nodes: list[str] = []
    run_folder: str = ""


def list_threads(arguments: Arguments) -> str:
    """All threads, the one that was active last first, as text or as JSON.

    Raises:
        UsageError: the place where they are kept cannot be used.
    """
    store = store_at(arguments.checkpoint_db)
    lines: list[ThreadLine] = []
    if store.is_there():
        with store.open() as opened:
            lines = [line_of(opened, extent) for extent in opened.extents()]
    if arguments.json:
        return json.dumps({"threads": [line.model_dump() for line in lines]})
    if not lines:
        return f"no threads are kept in {store}"
    return "\n".join(_shown(line) for line in lines)


def line_of(store: OpenStore, extent: Extent) -> ThreadLine:
    """The line of one thread; one that cannot be read has its id only."""
    try:
        stored = read_thread(store, extent.thread_id)
        first = store.saver.get_tuple(_at(extent.thread_id, extent.first))
    except UsageError:
        return ThreadLine(thread_id=extent.thread_id, status="unreadable")
    state, snapshot, settings = stored.state, stored.snapshot, stored.fingerprint
    return ThreadLine(
        thread_id=stored.thread_id,
        title=state.title,
        task=settings.settings.get("task") if settings else None,
        status=status_of(store, stored),
        begun=str(first.checkpoint["ts"]) if first else "",
        active=snapshot.created_at or "",
        step=(snapshot.metadata or {}).get("step"),
        last_node=state.stages[-1].name if state.stages else "",
        next_nodes=stored.following,
        run_folder=state.run_folder,
    )


def status_of(store: OpenStore, stored: StoredThread) -> ThreadStatus:
    """How the thread stands: finished in some way, or running, waiting for a person, stopped."""
    try:
        with store.lock(stored.thread_id):
            pass
    except ThreadBusy:
        return "running"
    if not stored.following:
        return finished_status(stored.state)
    return "waiting" if stored.snapshot.interrupts else "stopped"


def _at(thread_id: str, checkpoint_id: str) -> RunnableConfig:
    config = config_of(thread_id)
    config["configurable"]["checkpoint_id"] = checkpoint_id
    return config


def _shown(line: ThreadLine) -> str:
    title = line.task or line.title
    short = title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1] + "…"
    stands = f"before {', '.join(line.next_nodes)}" if line.next_nodes else "finished"
    last = f"step {line.step}, {stands}" if line.step is not None else "cannot be read"
    return (
        f"{line.thread_id}  {line.begun[:16].replace('T', ' '):<16}  "
        f"{line.status.replace('_', ' '):<16}  {short:<{LONGEST_TITLE}}  {last}  {line.run_folder}"
    ).rstrip()
