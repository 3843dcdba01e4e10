"""Intake: the description is looked at and the run folder made before anything is spent."""

from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from langgraph.runtime import Runtime

from nodes.description import description_problem, title_of
from nodes.folder_claim import run_folder_name
from nodes.settings import RunSettings
from sandbox.isolation import SandboxUnavailable, choose
from state.run_state import RunState


class IntakeError(ValueError):
    """A run that cannot begin; the message is one sentence with what would help."""


def intake(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Set ``title`` and ``run_folder``, and make that folder.

    Raises:
        IntakeError: see :func:`check_intake`.
        OSError: the run folder cannot be made.
    """
    check_intake(state.description, unsafe_no_sandbox=runtime.context.unsafe_no_sandbox)
    title = title_of(state.description)
    folder = Path(state.run_folder) if state.run_folder else _own_folder(title, runtime)
    folder.mkdir(parents=True, exist_ok=True)
    return {"title": title, "run_folder": str(folder.absolute())}


def check_intake(description: str, *, unsafe_no_sandbox: bool) -> None:
    """Look at all that a run needs and that can be known before it begins.

    Raises:
        IntakeError: the description is empty, no plain text or of no sensible size, or this
            machine cannot contain generated code and the caller did not allow to go without.
    """
    problem = description_problem(description)
    if problem:
        raise IntakeError(problem)
    if not unsafe_no_sandbox:
        try:
            choose()
        except SandboxUnavailable as error:
            raise IntakeError(str(error)) from error


def _own_folder(title: str, runtime: Runtime[RunSettings]) -> Path:
    execution = runtime.execution_info
    thread_id = (execution.thread_id if execution else None) or uuid4().hex
    return Path(runtime.context.out) / run_folder_name(title, thread_id, datetime.now())
