"""Asking a program in the sandbox about generated code that runs beside it, in others.

A request file goes in, a result file comes out. Each process gets a folder of its own with copies
of what it needs, so that generated code touches neither the run folder nor what is said of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from pydantic import BaseModel

from nodes.run_folder import LARGEST_ARTEFACT, remove, write_whole
from nodes.sandbox_account import why_it_ended
from nodes.settings import RunSettings
from sandbox import Limits, Outcome, Part, ResultInvalid, check_files, read_result, run_apart
from sandbox.folder import remove_tree
from sandbox.results import read_bytes

T = TypeVar("T", bound=BaseModel)

PROGRAMS, TRAINING, HOSTS = "sandbox.programs", "sandbox.training", "sandbox.hosts"
FOLDERS = ".apart"
# The judge outlives whom it judges, so that the one that took too long is the one that is told of.
PATIENCE_SECONDS = 5.0


class Request(Protocol):
    """A request that knows the text of its file."""

    def to_json(self) -> str:
        """The text."""


@dataclass(frozen=True)
class Host:
    """A program of ``sandbox.hosts``: copies of which files of the run folder it gets, arguments.

    A file that is not there is left out.
    """

    files: Sequence[str] = ()
    arguments: Sequence[str] = ()
    program: str = ""
    """Which program it is; empty where the host is called like its program."""


def environment_host(gymnasium_id: str, *arguments: str, program: str = "") -> Host:
    """The host of the generated environment, or of a standard one."""
    files = () if gymnasium_id else ("environment.py",)
    return Host(files, (gymnasium_id, *arguments), program)


@dataclass(frozen=True)
class Question:
    """What the module ``sandbox.programs.<program>`` is asked, about hosts by their names.

    ``request`` is the name of its file and the content, ``files`` of the run folder it sees as
    text, ``products`` are files that it leaves besides its result, and ``packages`` those of ours
    that it needs besides its own.
    """

    program: str
    request: tuple[str, Request]
    hosts: Mapping[str, Host]
    files: Sequence[str] = ()
    products: Sequence[str] = ()
    packages: Sequence[str] = (TRAINING,)


def ask_program(
    question: Question,
    folder: Path,
    result: tuple[str, type[T]],
    limits: Limits,
    settings: RunSettings,
) -> tuple[T | str, Outcome]:
    """The program's answer to a question about the code in the run folder ``folder``.

    ``result`` is the name of its file and its type; ``limits`` hold for each process. In place of a
    result that is not there or not valid comes a phrase that says why. The outcome is that of the
    process which explains it.

    Raises:
        SandboxUnavailable: this machine cannot contain generated code.
    """
    remove(folder, question.products)
    place = folder / FOLDERS
    remove_tree(place)
    place.mkdir(mode=0o700)
    try:
        return _ask(question, folder, place, result, limits, settings)
    finally:
        remove_tree(place)


def _ask(
    question: Question,
    folder: Path,
    place: Path,
    result: tuple[str, type[T]],
    limits: Limits,
    settings: RunSettings,
) -> tuple[T | str, Outcome]:
    hosts = {
        name: Part(
            f"sandbox.hosts.{host.program or name}",
            _filled(place / name, folder, host.files),
            limits,
            (PROGRAMS, TRAINING),
            host.arguments,
        )
        for name, host in question.hosts.items()
    }
    patient = limits.model_copy(update={"wall_seconds": limits.wall_seconds + PATIENCE_SECONDS})
    own = _filled(place / "judge", folder, question.files)
    write_whole(own / question.request[0], question.request[1].to_json())
    judge = Part(f"{PROGRAMS}.{question.program}", own, patient, question.packages)
    outcomes = run_apart(judge, hosts, unsafe_no_sandbox=settings.unsafe_no_sandbox)
    if not outcomes.judge.ok:
        name, outcome = outcomes.culprit()
        why = why_it_ended(outcome, patient if name == "judge" else limits)
        return why, outcome
    try:
        check_files(own)
        found = read_result(own, *result)
        for name in question.products:
            write_whole(folder / name, read_bytes(own, name, LARGEST_ARTEFACT))
    except ResultInvalid as error:
        return str(error), outcomes.judge
    return found, outcomes.judge


def _filled(own: Path, folder: Path, names: Sequence[str]) -> Path:
    """A new folder with copies of these files, never through a link."""
    own.mkdir()
    for name in names:
        if (folder / name).exists():
            write_whole(own / name, read_bytes(folder, name, LARGEST_ARTEFACT))
    return own
