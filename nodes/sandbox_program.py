"""Asking a program inside the sandbox: a request file goes in, a result file comes out."""

from pathlib import Path
from typing import Protocol, TypeVar

from pydantic import BaseModel

from nodes.run_folder import remove, write_whole
from nodes.sandbox_account import why_it_ended
from nodes.settings import RunSettings
from sandbox import Limits, Outcome, ResultInvalid, check_files, read_result, run_module

T = TypeVar("T", bound=BaseModel)

TRAINING = "sandbox.training"
"""The package that makes environments and policies, which every program may import."""


class Request(Protocol):
    """A request that knows the text of its file."""

    def to_json(self) -> str:
        """The text."""


def ask_program(
    program: str,
    folder: Path,
    request: tuple[str, Request],
    result: tuple[str, type[T]],
    limits: Limits,
    settings: RunSettings,
) -> tuple[T | str, Outcome]:
    """What the module ``sandbox.programs.<program>`` makes of the request in ``folder``.

    ``request`` and ``result`` are the names of their files with the content and the type. In place
    of a result that is not there or not valid comes a phrase that says why.

    Raises:
        SandboxUnavailable: this machine cannot contain generated code.
    """
    remove(folder, [result[0]])
    write_whole(folder / request[0], request[1].to_json())
    outcome = run_module(
        f"sandbox.programs.{program}",
        folder,
        limits,
        packages=(TRAINING,),
        unsafe_no_sandbox=settings.unsafe_no_sandbox,
    )
    if not outcome.ok:
        return why_it_ended(outcome, limits), outcome
    try:
        check_files(folder)
        return read_result(folder, *result), outcome
    except ResultInvalid as error:
        return str(error), outcome
