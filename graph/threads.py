"""Beginning a thread, and going on with one that was left."""

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from uuid import UUID, uuid4

from langgraph.checkpoint.sqlite import SqliteSaver
from pydantic import ValidationError

from graph.answers import answers_of
from graph.arguments import Arguments, UsageError
from graph.build import WITHOUT_MODEL, builder, graph_fingerprint
from graph.checkpoint import checkpoint_file, sync_saver
from graph.context import RunContext
from graph.description_source import read_description
from graph.execution import Thread, choose_model, execute
from graph.fingerprint import Fingerprint
from graph.outcome import ModelTaken, RunOutcome, finished_status, outcome_of
from graph.progress import Progress
from graph.thread_lock import ThreadBusy, thread_lock
from nodes.description import title_of
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
    _check(description, context)
    context, model = _choose(context, description)
    thread_id = str(uuid4())
    name = run_folder_name(arguments.task or title_of(description), thread_id, datetime.now())
    folder = Path(arguments.out or Path(context.out) / name).absolute()
    if checkpoint_file().absolute().is_relative_to(folder):
        raise UsageError(
            f"--out {folder} would hold {checkpoint_file()}, which generated code must not reach; "
            "name another folder"
        )
    made = _claim(folder)
    try:
        with _saver() as saver:
            fingerprint = Fingerprint.of(description, context, graph_fingerprint())
            thread = Thread(thread_id, context, fingerprint, model)
            progress = Progress(sys.stderr, folder)
            progress.say(f"run folder: {folder}")
            progress.say(f"thread: {thread_id}")
            _say_model(progress, model)
            beginning = RunState(description=description, run_folder=str(folder))
            with thread_lock(checkpoint_file(), thread_id):
                return execute(thread, saver, progress, beginning, answers=answers_of(arguments))
    finally:
        release_run_folder(made)


def go_on(arguments: Arguments) -> RunOutcome:
    """Go on with the thread that ``arguments`` name, or tell again how it ended.

    Raises:
        UsageError: there is no such thread, or it was begun under something else.
        ModelError: the model that it was begun with cannot serve.
    """
    thread_id = _thread_id(arguments)
    with _saver() as saver, _only_here(thread_id):
        _check_thread(saver, thread_id)
        snapshot = builder.compile(checkpointer=saver).get_state(
            {"configurable": {"thread_id": thread_id}}
        )
        state = RunState.model_validate(snapshot.values)
        stored = _stored_fingerprint(saver, thread_id, state.description)
        context = _context(stored, arguments)
        now = Fingerprint.of(_description_now(context, state), context, graph_fingerprint())
        differences = stored.differences(now)
        if differences:
            raise UsageError(
                f"thread {thread_id} cannot go on: {'; '.join(differences)}; "
                "resume it as it was begun, or begin a new run"
            )
        answers = answers_of(arguments, snapshot.interrupts)
        progress = Progress(sys.stderr, Path(state.run_folder))
        model = ModelTaken(name=context.model, reason="as begun; not asked again", recorded=False)
        if not snapshot.next:
            progress.say(f"thread {thread_id} had finished already")
            return outcome_of(
                state, thread_id=thread_id, status=finished_status(state), model=model
            )
        if not Path(state.run_folder).is_dir():
            raise UsageError(f"the run folder {state.run_folder} of this thread is gone")
        _check(state.description, context)
        if not set(snapshot.next) <= WITHOUT_MODEL:
            context, model = _choose(context, state.description)
        progress.say(f"going on with {thread_id} at {', '.join(snapshot.next)}")
        _say_model(progress, model)
        thread = Thread(thread_id, context, now, model)
        return execute(thread, saver, progress, None, answers=answers)


def _check(description: str, context: RunContext) -> None:
    try:
        check_intake(description, unsafe_no_sandbox=context.unsafe_no_sandbox)
    except IntakeError as error:
        raise UsageError(str(error)) from error


def _choose(context: RunContext, description: str) -> tuple[RunContext, ModelTaken]:
    try:
        return choose_model(context, description)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _claim(folder: Path) -> list[Path]:
    try:
        return claim_run_folder(folder)
    except FileExistsError as error:
        raise UsageError(f"--out must be a new or empty folder: {folder} is not") from error
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror or error}") from error


@contextmanager
def _saver() -> Iterator[SqliteSaver]:
    file = checkpoint_file()
    try:
        opened = sync_saver(file)
        saver = opened.__enter__()
    except (OSError, sqlite3.Error) as error:
        raise UsageError(
            f"cannot keep threads in {file}: {error}; name another file in A_LAMP_CHECKPOINTS"
        ) from error
    try:
        yield saver
    finally:
        opened.__exit__(None, None, None)


@contextmanager
def _only_here(thread_id: str) -> Iterator[None]:
    """No other process runs the thread, and what it left can be read."""
    try:
        with thread_lock(checkpoint_file(), thread_id):
            yield
    except ThreadBusy as error:
        raise UsageError(str(error)) from error
    except (sqlite3.Error, ValidationError) as error:
        raise UsageError(
            f"thread {thread_id} in {checkpoint_file()} cannot be read ({type(error).__name__}); "
            "begin a new run"
        ) from error


def _say_model(progress: Progress, model: ModelTaken) -> None:
    recorded = " (recorded answers)" if model.recorded else ""
    progress.say(f"model: {model.name}{recorded}: {model.reason}")


def _thread_id(arguments: Arguments) -> str:
    if arguments.out is not None:
        raise UsageError("--out does not go with --resume: a resumed run keeps its folder")
    try:
        thread_id = str(UUID(arguments.resume or ""))
    except ValueError as error:
        raise UsageError(f"{arguments.resume!r} is no thread id; they are UUIDs") from error
    if not checkpoint_file().is_file():
        raise UsageError(f"there is no thread {thread_id}: {checkpoint_file()} does not exist")
    return thread_id


def _check_thread(saver: SqliteSaver, thread_id: str) -> None:
    if saver.get_tuple({"configurable": {"thread_id": thread_id}}) is None:
        raise UsageError(f"there is no thread {thread_id} in {checkpoint_file()}")


def _stored_fingerprint(saver: SqliteSaver, thread_id: str, description: str) -> Fingerprint:
    for checkpoint in saver.list({"configurable": {"thread_id": thread_id}}):
        stored = Fingerprint.kept_with(checkpoint.metadata, description)
        if stored is not None:
            return stored
    raise UsageError(f"thread {thread_id} was not begun by this command; go on where it was")


def _context(stored: Fingerprint, arguments: Arguments) -> RunContext:
    chosen = dict(arguments.chosen)
    if chosen.get("model") == "auto":
        del chosen["model"]
    try:
        return stored.context(**chosen)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _description_now(context: RunContext, state: RunState) -> str:
    if context.task is None:
        return state.description
    return read_description(Arguments(task=context.task))
