"""An executor that only runs the code: what it can tell is the traceback, if there is one."""

import shutil
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from langgraph.runtime import Runtime

from benchmarks.repairs.inside import play
from nodes.codegen.program import Program
from nodes.codegen.render import render_environment
from nodes.executor import LIMITS
from nodes.sandbox_account import why_it_ended
from nodes.settings import RunSettings
from nodes.trial import Reports, ScreenReport, Several, Trial
from sandbox import run
from state.artefacts import BodySource
from state.findings import CheckReport, Finding
from state.run_state import RunState

LAST_LINES, LONGEST = 20, 2000
"""Of what is shown of a traceback, which is seldom longer."""
LONGEST_SCREEN = 60.0
"""Seconds; the checks have 45 on each core."""


def plain_executor(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Play random episodes in the sandbox; nothing raised is nothing wrong.

    Raises:
        SandboxUnavailable: this machine cannot contain generated code.
    """
    said = traceback_of(Path(state.run_folder), runtime.context)
    told = [_raised(said)] if said else []
    return {"checks": CheckReport(findings=told), "remarks": told}


def plain_trial(
    program: Program, bodies: list[BodySource], folder: Path, settings: RunSettings
) -> CheckReport:
    """As a plain executor tries code out: what raises nothing is right."""
    source = render_environment(program, bodies)
    (folder / "environment.py").write_text(source, encoding="utf-8")
    said = traceback_of(folder, settings)
    return CheckReport(findings=[_raised(said)] if said else [])


def _plain_screen(
    program: Program, several: Several, folder: Path, settings: RunSettings
) -> Reports:
    """The same of several; a plain executor has nothing that is quicker."""
    until = time.monotonic() + LONGEST_SCREEN
    reports: Reports = []
    for bodies in several.candidates:
        told = None
        if time.monotonic() < until:
            findings = plain_trial(program, bodies, folder, settings).findings
            told = ScreenReport(findings=findings)
        reports.append(told)
    return reports


PLAIN = Trial(plain_trial, _plain_screen)


def _raised(said: str) -> Finding:
    return Finding(check="runs", owner="coding", message=said)


def traceback_of(folder: Path, settings: RunSettings) -> str:
    """The last lines of what Python says when environment.py in ``folder`` is played, or empty."""
    with TemporaryDirectory(dir=folder) as place:
        shutil.copy(folder / "environment.py", place)
        outcome = run(
            Path(play.__file__),
            Path(place),
            LIMITS,
            unsafe_no_sandbox=settings.unsafe_no_sandbox,
        )
    if outcome.ok:
        return ""
    if outcome.reason != "failed":
        return f"The program was ended: {why_it_ended(outcome, LIMITS)}."
    return "\n".join(outcome.stderr.strip().splitlines()[-LAST_LINES:])[-LONGEST:]
