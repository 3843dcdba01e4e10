"""An executor that only runs the code: what it can tell is the traceback, if there is one."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from langgraph.runtime import Runtime

from benchmarks.repairs.inside import play
from nodes.executor import LIMITS
from nodes.sandbox_account import why_it_ended
from nodes.settings import RunSettings
from sandbox import run
from state.findings import CheckReport, Finding
from state.run_state import RunState

LAST_LINES, LONGEST = 20, 2000
"""Of what is shown of a traceback, which is seldom longer."""


def plain_executor(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Play random episodes in the sandbox; nothing raised is nothing wrong.

    Raises:
        SandboxUnavailable: this machine cannot contain generated code.
    """
    said = traceback_of(Path(state.run_folder), runtime.context)
    told = [Finding(check="runs", owner="coding", message=said)] if said else []
    return {"checks": CheckReport(findings=told), "remarks": told}


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
