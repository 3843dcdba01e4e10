"""The steps that led to where a thread stands, from its beginning on."""

import json
from typing import Any

from langgraph.types import StateSnapshot
from pydantic import BaseModel

from graph.arguments import Arguments, UsageError
from graph.build import builder
from graph.store import OpenStore
from graph.stored import config_of, following, full_id, kept_threads, read_thread

ACCOUNTS = ("calls", "stages")
"""Fields that most steps lengthen and that say nothing of what was decided."""
LONGEST_VALUE = 60


class Step(BaseModel):
    """The state after ``node`` had run. Time is ISO 8601 with its zone."""

    step: int
    node: str
    time: str
    status: str = ""
    note: str = ""
    changed: dict[str, str]
    next_nodes: list[str]


def show_history(arguments: Arguments) -> str:
    """The steps of the thread, as text or as JSON.

    Raises:
        UsageError: there is no such thread, or it cannot be read.
    """
    assert arguments.history is not None
    with kept_threads(arguments.checkpoint_db) as store:
        thread_id = full_id(store, arguments.history)
        read_thread(store, thread_id)
        steps = steps_of(lineage(store, thread_id))
    if arguments.json:
        told = {"thread_id": thread_id, "steps": [step.model_dump() for step in steps]}
        return json.dumps(told)
    return "\n".join(_shown(step) for step in steps)


def lineage(store: OpenStore, thread_id: str) -> list[StateSnapshot]:
    """The checkpoints from the thread's beginning to where it stands.

    Other branches of a thread, which a server can make, are left out, so that the number of the
    step, ``metadata["step"]``, names one checkpoint.

    Raises:
        UsageError: one of them cannot be read.
    """
    app = builder.compile(checkpointer=store.saver)
    try:
        snapshots = list(app.get_state_history(config_of(thread_id)))
    except Exception as error:  # whatever broken or foreign bytes make of the readers
        raise UsageError(
            f"a step of thread {thread_id} cannot be read ({type(error).__name__})"
        ) from error
    by_id = {_checkpoint_id(snapshot.config): snapshot for snapshot in snapshots}
    found: list[StateSnapshot] = []
    current = snapshots[0] if snapshots else None
    while current is not None:
        found.append(current)
        current = by_id.get(_checkpoint_id(current.parent_config))
    return [snapshot for snapshot in reversed(found) if snapshot.values]


def number_of(snapshot: StateSnapshot) -> int:
    """The step that left the state as it is in ``snapshot``."""
    return int((snapshot.metadata or {}).get("step", 0))


def steps_of(snapshots: list[StateSnapshot]) -> list[Step]:
    """What each of the consecutive checkpoints tells of the step that led to it."""
    steps = []
    before: dict[str, Any] = {}
    ran = "(begin)"
    for snapshot in snapshots:
        values = snapshot.values
        edited = (snapshot.metadata or {}).get("source") == "update"
        stages = values.get("stages", [])
        new = stages[-1] if len(stages) > len(before.get("stages", [])) else None
        steps.append(
            Step(
                step=number_of(snapshot),
                node="(edit)" if edited else ran,
                time=snapshot.created_at or "",
                status=new.status if new else "",
                note=new.note if new else "",
                changed=_changes(before, values),
                next_nodes=following(snapshot),
            )
        )
        before, ran = values, ", ".join(following(snapshot))
    return steps


def _checkpoint_id(config: Any) -> str:
    return str(config["configurable"].get("checkpoint_id", "")) if config else ""


def _changes(before: dict[str, Any], after: dict[str, Any]) -> dict[str, str]:
    """Names of the fields that differ, with what they are now."""
    return {
        name: told
        for name, value in after.items()
        if name not in ACCOUNTS and (told := _told(before.get(name), value))
    }


def _told(before: Any, after: Any) -> str:
    if before == after or (before is None and after in ([], "", 0)):
        return ""
    if isinstance(after, list):
        return f"{len(after)} (before: {len(before)})" if before else str(len(after))
    if isinstance(after, (str, int)):
        line = " ".join(str(after).split())
        return line if len(line) <= LONGEST_VALUE else line[: LONGEST_VALUE - 1] + "…"
    if after is None:
        return "dropped"
    return "made" if before is None else "changed"


def _shown(step: Step) -> str:
    note = f" ({step.note})" if step.note else ""
    changed = "; ".join(f"{name}: {told}" for name, told in step.changed.items())
    return f"{step.step:>4}  {step.node:<18} {step.status:<9} {changed}{note}".rstrip()
