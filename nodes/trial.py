"""What the checks say of code before it is taken."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from nodes.check_request import check_request
from nodes.codegen.program import Program
from nodes.codegen.render import render_environment, render_spec_functions
from nodes.executor import run_checks
from nodes.run_folder import remove, write_whole
from nodes.sandbox_program import HOSTS, TRAINING, Question, ask_program
from nodes.settings import RunSettings
from sandbox import Limits
from sandbox.outcome import GIBIBYTE
from sandbox.programs.requests import CHECK_REQUEST, SCREEN_REQUEST, SCREEN_RESULT, ScreenRequest
from state.artefacts import BodySource
from state.findings import CheckReport
from state.piece import Piece

T = TypeVar("T")

TRIAL = "trial"
SCREEN_LIMITS = Limits(wall_seconds=90, cpu_seconds=400, memory_bytes=4 * GIBIBYTE)
"""So long that the program itself ends what takes too long, and keeps what was found before."""
Look = Callable[[Program, list[BodySource], Path, RunSettings], CheckReport]
"""Tries out a program with code bodies, in a folder that is there for this alone."""


class ScreenReport(CheckReport):
    """What was found in a candidate up to the first thing that blocks.

    ``unchanged`` is the share of situations in which it returns what the faulty code returns.
    """

    unchanged: float = 0.0


Reports = list[ScreenReport | None]
"""None for what was not looked at."""


class ScreenResult(Piece):
    """The same for several candidates."""

    reports: Reports


@dataclass(frozen=True)
class Several:
    """Sources of the code body ``name``, each with all other bodies; ``faulty`` is what it was.

    They are looked at up to the check ``last``.
    """

    name: str
    faulty: list[BodySource]
    candidates: Sequence[list[BodySource]]
    last: str


Screen = Callable[[Program, Several, Path, RunSettings], Reports]
"""Has a short look at each of several candidates."""


@dataclass(frozen=True)
class Trial:
    """How code is tried out: ``look`` decides, ``screen`` says what is worth a look."""

    look: Look
    screen: Screen


@dataclass(frozen=True)
class Attempts:
    """The same for one code body, whose sources are tried together with all other bodies."""

    look: Callable[[str], CheckReport]
    screen: Callable[[str, Sequence[str], str], Reports]
    """Of a faulty source, what may come in its place, and the last check that is asked."""


def checked(
    program: Program, bodies: list[BodySource], folder: Path, settings: RunSettings
) -> CheckReport:
    """The report of the checks.

    Raises:
        SandboxUnavailable: this machine cannot contain generated code.
    """
    write_whole(folder / "environment.py", render_environment(program, bodies))
    write_whole(folder / "spec_functions.py", render_spec_functions(program)[0])
    report, _ = run_checks(program.spec, folder, settings)
    return report


def screened(program: Program, several: Several, folder: Path, settings: RunSettings) -> Reports:
    """What a short look finds that does not keep judge and judged apart.

    Raises:
        SandboxUnavailable: this machine cannot contain generated code.
    """
    nothing: Reports = [None for _ in several.candidates]
    try:
        request = check_request(program.spec, settings.seed)
    except ValueError:
        return nothing  # the checks say what is wrong
    candidates = [render_environment(program, bodies) for bodies in several.candidates]
    faulty = render_environment(program, several.faulty)
    asked = ScreenRequest(candidates, several.last, faulty, several.name)
    write_whole(folder / SCREEN_REQUEST, asked.to_json())
    write_whole(folder / "spec_functions.py", render_spec_functions(program)[0])
    question = Question(
        "screen", (CHECK_REQUEST, request), {}, files=(SCREEN_REQUEST, "spec_functions.py"),
        packages=(TRAINING, HOSTS),
    )  # fmt: skip
    found, _ = ask_program(question, folder, (SCREEN_RESULT, ScreenResult), SCREEN_LIMITS, settings)
    reports = found.reports if isinstance(found, ScreenResult) else []
    return reports if len(reports) == len(candidates) else nothing


CHECKED = Trial(checked, screened)


def attempts_at(
    trial: Trial,
    program: Program,
    known: dict[str, BodySource],
    name: str,
    folder: Path,
    settings: RunSettings,
) -> Attempts:
    """How ``trial`` tries out sources of the body ``name`` together with the ``known`` others.

    In a folder within ``folder`` that is gone afterwards.
    """

    def together(source: str) -> list[BodySource]:
        sources = {**known, name: BodySource(name=name, source=source)}
        return [sources[body.name] for body in program.bodies if body.name in sources]

    def look(source: str) -> CheckReport:
        return _apart(folder, lambda place: trial.look(program, together(source), place, settings))

    def screen(faulty: str, sources: Sequence[str], last: str) -> Reports:
        each = [together(source) for source in sources]
        several = Several(name, together(faulty), each, last)
        return _apart(folder, lambda place: trial.screen(program, several, place, settings))

    return Attempts(look, screen)


def _apart(folder: Path, tried: Callable[[Path], T]) -> T:
    place = folder / TRIAL
    remove(folder, [TRIAL])
    place.mkdir()
    try:
        return tried(place)
    finally:
        remove(folder, [TRIAL])
