"""Time travel: a new thread that begins with a step of another, perhaps changed by a person."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from langgraph.checkpoint.base import CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.base.id import uuid6
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import StateSnapshot

from graph.arguments import Arguments, UsageError
from graph.build import WITHOUT_MODEL, builder
from graph.execution import Thread
from graph.outcome import RunOutcome
from graph.preparation import choose, new_folder, new_thread, same_graph
from graph.serialization import serializer
from graph.store import OpenStore
from graph.stored import config_of, following, full_id, kept_threads, read_thread
from graph.text_source import read_text
from graph.thread_history import lineage, number_of
from graph.threads import run_new
from nodes.approval.choice import NotUnderstood
from nodes.description import title_of
from nodes.run_copy import copy_journal, copy_run
from nodes.spec_edit import MADE_ANEW, edited_pieces
from state.run_state import RunState

MOST_CHARACTERS = 1_000_000
TRAINED_ANEW = {"training": None, "evaluation": None, "status": "running", "account": ""}


def fork(arguments: Arguments) -> RunOutcome:
    """Run on from a step of a thread in a new thread; the old one stays as it is.

    Raises:
        UsageError: there is no such thread or step, or the edit cannot be taken; nothing is left
            behind.
        ModelError: the model cannot serve; nothing is left behind.
    """
    assert arguments.fork is not None
    with kept_threads(arguments.checkpoint_db) as store:
        stored = read_thread(store, full_id(store, arguments.fork))
        same_graph(stored)
        snapshot = _step(store, stored.thread_id, arguments.at)
        state = RunState.model_validate(snapshot.values)
        edit = _edit(arguments, state)
        if not following(snapshot) and not edit:
            raise UsageError(
                f"step {arguments.at} is the end of the run; take an earlier one, or --edit"
            )
        asks = bool(edit) or not set(following(snapshot)) <= WITHOUT_MODEL
        thread = new_thread(arguments, stored, state.description, asks=asks)
        with new_folder(arguments, thread, title_of(state.description)) as folder:
            source = Path(state.run_folder)
            copy_journal(state, source, folder)
            gone = [] if edit and state.dynamics else copy_run(state, source, folder)
            note = f"begun from step {arguments.at} of run {stored.thread_id}"
            if edit:
                note += f" with another {', '.join(edit)}"
            values = {**edit, "run_folder": str(folder), "notes": [*state.notes, note]}
            goes_on = _goes_on_after(state, edit, gone)
            if goes_on and not asks:
                # What was overwritten is made again, and that takes a model after all.
                context, model = choose(thread.context, state.description)
                thread = replace(thread, context=context, model=model)
            begun = _begun(store, thread, snapshot, values, goes_on)
            with store.lock(thread.thread_id):
                config, versions = config_of(thread.thread_id), begun.checkpoint["channel_versions"]
                store.saver.put(config, begun.checkpoint, begun.metadata, versions)
                return run_new(arguments, thread, store, None)


def _step(store: OpenStore, thread_id: str, number: int | None) -> StateSnapshot:
    steps = {number_of(snapshot): snapshot for snapshot in lineage(store, thread_id)}
    if number not in steps:
        raise UsageError(
            f"thread {thread_id} has no step {number}; --history lists its steps, "
            f"{min(steps, default=0)} to {max(steps, default=0)}"
        )
    return steps[number]


def _edit(arguments: Arguments, state: RunState) -> dict[str, Any]:
    if arguments.edit is None:
        return {}
    text = read_text(arguments.edit, "the pieces", MOST_CHARACTERS, "leave out what stays")
    try:
        return edited_pieces(state, text)
    except NotUnderstood as error:
        raise UsageError(f"--edit {arguments.edit} cannot be taken. {error}") from error


def _goes_on_after(
    state: RunState, edit: dict[str, Any], gone: list[str]
) -> tuple[str, dict[str, Any]] | None:
    """The node behind which the new thread goes on and what no longer counts there.

    None where it goes on just as the step did. A changed specification is compiled anew, and so
    is one whose code was overwritten by a later step; a policy that was is trained again.
    """
    if (edit and state.dynamics is not None) or {"environment", "heuristic"} & set(gone):
        return "environment", MADE_ANEW
    return ("heuristic", TRAINED_ANEW) if gone else None


def _begun(
    store: OpenStore,
    thread: Thread,
    snapshot: StateSnapshot,
    values: dict[str, Any],
    goes_on: tuple[str, dict[str, Any]] | None,
) -> CheckpointTuple:
    """The first checkpoint of the new thread, made aside so that it is kept whole or not at all."""
    config = config_of(thread.thread_id)
    found = store.saver.get_tuple(snapshot.config)
    if found is None:
        raise UsageError("the step is no longer there")
    aside = InMemorySaver(serde=serializer())
    checkpoint = found.checkpoint.copy()
    checkpoint["id"], checkpoint["ts"] = str(uuid6()), datetime.now(UTC).isoformat()
    checkpoint["channel_values"] = {**checkpoint["channel_values"], **values}
    aside.put(config, checkpoint, found.metadata, checkpoint["channel_versions"])
    if goes_on is not None:
        node, update = goes_on
        builder.compile(checkpointer=aside).update_state(config, update, as_node=node)
    begun = aside.get_tuple(config)
    assert begun is not None
    metadata = cast(CheckpointMetadata, {**begun.metadata, "source": "fork", **thread.metadata})
    return begun._replace(metadata=metadata)
