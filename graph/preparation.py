"""What a run needs before it begins or goes on: its options, its model, its folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from graph.arguments import Arguments, UsageError
from graph.build import graph_fingerprint
from graph.checkpoint import store_at
from graph.context import RunContext
from graph.description_source import read_description
from graph.execution import Thread, choose_model
from graph.fingerprint import Fingerprint
from graph.outcome import ModelTaken
from graph.sqlite_store import SqliteStore
from graph.stored import StoredThread
from nodes.description import amended
from nodes.folder_claim import claim_run_folder, release_run_folder, run_folder_name
from nodes.intake import IntakeError, check_intake
from state.run_state import RunState


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


@contextmanager
def new_folder(arguments: Arguments, thread: Thread, title: str) -> Iterator[Path]:
    """The run folder of a new thread; gone again afterwards where nothing was put into it.

    Raises:
        UsageError: it cannot be made or kept, holds something or would hold the checkpoints.
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
        str(folder).encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"the run folder {folder} is no UTF-8 text, which a thread could not keep; name "
            "another with --out, or run elsewhere"
        ) from error
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
