"""Beginning a thread, and going on with one that was left."""

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from graph.answers import answers_of
from graph.arguments import Arguments, UsageError
from graph.build import WITHOUT_MODEL, graph_fingerprint
from graph.checkpoint import store_at
from graph.execution import Thread, execute
from graph.fingerprint import Fingerprint
from graph.outcome import ModelTaken, RunOutcome, finished_status, outcome_of
from graph.preparation import (
    check_description,
    choose,
    context_of,
    description_now,
    new_folder,
    refuse_what_differs,
    same_graph,
)
from graph.progress import Progress
from graph.store import OpenStore
from graph.stored import StoredThread, full_id, kept_threads, read_thread
from nodes.description import title_of
from state.run_state import RunState


def begin(arguments: Arguments, description: str) -> RunOutcome:
    """Run ``description`` in a new thread.

    Everything that can be wrong with the input is looked at before anything is written.

    Raises:
        UsageError: bad input; nothing is left behind.
        ModelError: no model can serve; nothing is left behind.
    """
    context = arguments.context()
    check_description(description, context)
    context, model = choose(context, description)
    fingerprint = Fingerprint.of(description, context, graph_fingerprint())
    thread = Thread(str(uuid4()), context, fingerprint, model)
    with (
        new_folder(arguments, thread, arguments.task or title_of(description)) as folder,
        store_at(arguments.checkpoint_db).open() as store,
        store.lock(thread.thread_id),
    ):
        beginning = RunState(description=description, run_folder=str(folder))
        return run_new(arguments, thread, store, beginning)


def run_new(
    arguments: Arguments, thread: Thread, store: OpenStore, beginning: RunState | None
) -> RunOutcome:
    """Run a thread that is new, from ``beginning`` or from what is kept of it already."""
    state = beginning or read_thread(store, thread.thread_id).state
    progress = Progress(sys.stderr, Path(state.run_folder))
    progress.say(f"run folder: {state.run_folder}")
    progress.say(f"thread: {thread.thread_id}")
    say_model(progress, thread.model)
    outcome = execute(thread, store.saver, progress, beginning, answers=answers_of(arguments))
    return with_place(outcome, arguments)


def go_on(arguments: Arguments, description: str | None = None) -> RunOutcome:
    """Go on with the thread that ``arguments`` name, or tell again how it ended.

    A thread whose description was turned away goes on with a better ``description``.

    Raises:
        UsageError: there is no such thread, or it was begun under something else.
        ModelError: the model that it was begun with cannot serve.
    """
    assert arguments.resume is not None
    with kept_threads(arguments.checkpoint_db) as store:
        thread_id = full_id(store, arguments.resume)
        with store.lock(thread_id):
            stored = read_thread(store, thread_id)
            if description is not None and description != stored.state.description:
                return _begin_again(arguments, store, stored, description)
            return with_place(_go_on(arguments, store, stored), arguments)


def _go_on(arguments: Arguments, store: OpenStore, stored: StoredThread) -> RunOutcome:
    state, thread_id = stored.state, stored.thread_id
    context = context_of(stored.begun_with, arguments)
    now = Fingerprint.of(description_now(context, state), context, graph_fingerprint())
    refuse_what_differs(stored, now)
    answers = answers_of(arguments, stored.snapshot.interrupts)
    folder = Path(state.run_folder)
    progress, there = Progress(sys.stderr, folder), folder.is_dir()
    model = ModelTaken(name=context.model, reason="as begun; not asked again", recorded=False)
    if not stored.following:
        gone = "" if there else f"; its run folder is gone: --fork {thread_id} --at STEP makes one"
        progress.say(f"thread {thread_id} had finished already{gone}")
        return outcome_of(state, thread_id=thread_id, status=finished_status(state), model=model)
    if not there:
        raise UsageError(
            f"the run folder {state.run_folder} of this thread is gone; --fork {thread_id} "
            "--at STEP begins a new run from one of its steps"
        )
    check_description(state.description, context)
    if not set(stored.following) <= WITHOUT_MODEL:
        context, model = choose(context, state.description)
    progress.say(f"going on with {thread_id} at {', '.join(stored.following)}")
    say_model(progress, model)
    thread = Thread(thread_id, context, now, model)
    return execute(thread, store.saver, progress, None, answers=answers)


def _begin_again(
    arguments: Arguments, store: OpenStore, stored: StoredThread, description: str
) -> RunOutcome:
    """Take the better description of a thread that was turned away; its accounts go on."""
    state = stored.state
    context = context_of(stored.begun_with, arguments)
    if state.status != "turned_away":
        refuse_what_differs(stored, Fingerprint.of(description, context, graph_fingerprint()))
    same_graph(stored)
    check_description(description, context)
    context, model = choose(replace(context, task=None), description)
    fingerprint = Fingerprint.of(description, context, graph_fingerprint())
    thread = Thread(stored.thread_id, context, fingerprint, model)
    Path(state.run_folder).mkdir(parents=True, exist_ok=True)
    # What is given here replaces what the thread holds, what is left out would stay.
    beginning = RunState(
        description=description,
        run_folder=state.run_folder,
        calls=state.calls,
        stages=state.stages,
        notes=[],
        status="running",
        account="",
    )
    return run_new(arguments, thread, store, beginning)


def say_model(progress: Progress, model: ModelTaken | None) -> None:
    """Say which model answers, and why it was taken."""
    if model is not None:
        recorded = " (recorded answers)" if model.recorded else ""
        progress.say(f"model: {model.name}{recorded}: {model.reason}")


def with_place(outcome: RunOutcome, arguments: Arguments) -> RunOutcome:
    """The outcome, its command to go on with naming the place that was named now."""
    if outcome.resume is None or arguments.checkpoint_db is None:
        return outcome
    place = shlex.quote(str(store_at(arguments.checkpoint_db)))
    return outcome.model_copy(update={"resume": f"{outcome.resume} --checkpoint-db {place}"})
