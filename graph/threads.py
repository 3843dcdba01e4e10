"""Beginning a thread, and going on with one that was left."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from graph.answers import answers_of
from graph.arguments import Arguments, UsageError
from graph.build import WITHOUT_MODEL, graph_fingerprint
from graph.checkpoint import store_at
from graph.context import RunContext
from graph.description_source import read_description
from graph.execution import Thread, choose_model, execute
from graph.fingerprint import Fingerprint
from graph.outcome import ModelTaken, RunOutcome, finished_status, outcome_of
from graph.progress import Progress
from graph.sqlite_store import SqliteStore
from graph.store import OpenStore
from graph.stored import StoredThread, full_id, kept_threads, read_thread
from nodes.description import amended, title_of
from nodes.folder_claim import claim_run_folder, release_run_folder, run_folder_name
from nodes.intake import IntakeError, check_intake
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


def new_thread(
    arguments: Arguments, stored: StoredThread, description: str, *, asks: bool
) -> Thread:
    """A thread that begins with what ``stored`` has made, and with the options given now.

    Args:
        arguments: what the caller asked for.
        stored: the thread that it comes from.
        description: what it is a run of.
        asks: whether a model will be asked.

    Raises:
        UsageError: an option or the description is wrong.
        ModelError: the model cannot serve.
    """
    context, model = context_of(stored.begun_with, arguments), None
    check_description(description, context)
    if asks:
        context, model = choose(context, description)
    fingerprint = Fingerprint.of(description, context, graph_fingerprint())
    return Thread(str(uuid4()), context, fingerprint, model)


def same_graph(stored: StoredThread) -> None:
    """See that the thread was made by the graph as it is now.

    Raises:
        UsageError: it was made by another version.
    """
    then, now = stored.begun_with.graph_version, graph_fingerprint()
    if then != now:
        raise UsageError(
            f"thread {stored.thread_id} was made by version {then} of the graph, and this is "
            f"version {now}; begin a new run"
        )


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


@contextmanager
def new_folder(arguments: Arguments, thread: Thread, title: str) -> Iterator[Path]:
    """The run folder of a new thread; gone again afterwards where nothing was put into it.

    Raises:
        UsageError: it cannot be made, holds something or would hold the checkpoints.
    """
    name = run_folder_name(title, thread.thread_id, datetime.now())
    folder = Path(arguments.out or Path(thread.context.out) / name).absolute()
    store = store_at(arguments.checkpoint_db)
    if isinstance(store, SqliteStore) and store.path.absolute().is_relative_to(folder):
        raise UsageError(
            f"--out {folder} would hold {store}, which generated code must not reach; "
            "name another folder"
        )
    try:
        made = claim_run_folder(folder)
    except FileExistsError as error:
        raise UsageError(f"--out must be a new or empty folder: {folder} is not") from error
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror or error}") from error
    try:
        yield folder
    finally:
        release_run_folder(made)


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
                outcome = _begin_again(arguments, store, stored, description)
            else:
                outcome = _go_on(arguments, store, stored)
            return with_place(outcome, arguments)


def _go_on(arguments: Arguments, store: OpenStore, stored: StoredThread) -> RunOutcome:
    state, thread_id = stored.state, stored.thread_id
    context = context_of(stored.begun_with, arguments)
    now = Fingerprint.of(description_now(context, state), context, graph_fingerprint())
    refuse_what_differs(stored, now)
    answers = answers_of(arguments, stored.snapshot.interrupts)
    progress = Progress(sys.stderr, Path(state.run_folder))
    model = ModelTaken(name=context.model, reason="as begun; not asked again", recorded=False)
    if not stored.following:
        progress.say(f"thread {thread_id} had finished already")
        return outcome_of(state, thread_id=thread_id, status=finished_status(state), model=model)
    if not Path(state.run_folder).is_dir():
        raise UsageError(f"the run folder {state.run_folder} of this thread is gone")
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


def refuse_what_differs(stored: StoredThread, now: Fingerprint) -> None:
    """See that the thread goes on under what it was begun with.

    Raises:
        UsageError: something else than what may change is different, and is named.
    """
    differences = stored.begun_with.differences(now)
    if differences:
        raise UsageError(
            f"thread {stored.thread_id} cannot go on: {'; '.join(differences)}; "
            "resume it as it was begun, or begin a new run"
        )


def check_description(description: str, context: RunContext) -> None:
    """Look at all that a run needs before it begins, see :func:`check_intake`.

    Raises:
        UsageError: it cannot begin.
    """
    try:
        check_intake(description, unsafe_no_sandbox=context.unsafe_no_sandbox)
    except IntakeError as error:
        raise UsageError(str(error)) from error


def choose(context: RunContext, description: str) -> tuple[RunContext, ModelTaken]:
    """Choose the model now, see :func:`choose_model`.

    Raises:
        UsageError: the model's name is none.
        ModelError: it cannot serve.
    """
    try:
        return choose_model(context, description)
    except ValueError as error:
        raise UsageError(str(error)) from error


def say_model(progress: Progress, model: ModelTaken | None) -> None:
    """Say which model answers, and why it was taken."""
    if model is not None:
        recorded = " (recorded answers)" if model.recorded else ""
        progress.say(f"model: {model.name}{recorded}: {model.reason}")


def with_place(outcome: RunOutcome, arguments: Arguments) -> RunOutcome:
    """The outcome, its command to go on with naming the place that was named now."""
    if outcome.resume is None or arguments.checkpoint_db is None:
        return outcome
    place = store_at(arguments.checkpoint_db)
    return outcome.model_copy(update={"resume": f"{outcome.resume} --checkpoint-db {place}"})


def context_of(stored: Fingerprint, arguments: Arguments) -> RunContext:
    """The context that the thread was begun with, and what the caller changes in it.

    Raises:
        UsageError: an option is out of its range.
    """
    chosen = dict(arguments.chosen)
    if chosen.get("model") == "auto":
        del chosen["model"]
    try:
        return stored.context(**chosen)
    except ValueError as error:
        raise UsageError(str(error)) from error


def description_now(context: RunContext, state: RunState) -> str:
    """The description of the thread's task as it is today, with what revisions added to it."""
    if context.task is None:
        return state.description
    return amended(read_description(Arguments(task=context.task)), state.amendments)
