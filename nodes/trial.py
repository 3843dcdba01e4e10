"""What the checks say of code before it is taken."""

from collections.abc import Callable
from pathlib import Path

from nodes.codegen.program import Program
from nodes.codegen.render import render_environment, render_spec_functions
from nodes.executor import run_checks
from nodes.run_folder import remove, write_whole
from nodes.settings import RunSettings
from state.artefacts import BodySource
from state.findings import CheckReport

TRIAL = "trial"
Trial = Callable[[Program, list[BodySource], Path, RunSettings], CheckReport]
"""Tries out a program with code bodies, in a folder that is there for this alone."""


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


def tried(
    trial: Trial, program: Program, bodies: list[BodySource], folder: Path, settings: RunSettings
) -> CheckReport:
    """What ``trial`` says, in a folder within ``folder`` that is gone afterwards."""
    place = folder / TRIAL
    remove(folder, [TRIAL])
    place.mkdir()
    try:
        return trial(program, bodies, place, settings)
    finally:
        remove(folder, [TRIAL])
