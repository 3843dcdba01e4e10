"""Coding agent: the environment and its training program, as Python (paper, section 3.2).

Whatever the specification can say is compiled from it; the model is asked only for the bodies
that no expression says.
"""

from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from nodes.accounts import StageClock
from nodes.agent import noted
from nodes.code_bodies import write_bodies
from nodes.codegen.batched import render_batched
from nodes.codegen.compile_spec import compile_spec
from nodes.codegen.possible import render_possible
from nodes.codegen.problems import Problems
from nodes.codegen.render import render_environment, render_spec_functions
from nodes.run_folder import artefact, remove, write_whole
from nodes.second_reading import write_second_reading
from nodes.settings import RunSettings
from nodes.spec_checks.ladder import check_spec
from nodes.trial import CHECKED, Trial
from state.artefacts import CodeArtefacts
from state.findings import CheckReport, Finding
from state.run_state import RunState

BATCHED = "batched_environment.py"
"""The same environment for many episodes in each numpy call, which training uses where it can."""
POSSIBLE = "possible_actions.py"
"""Which decisions are possible, told from what is seen, where the specification says so."""
VOID: dict[str, Any] = {"training": None, "evaluation": None, "status": "running", "account": ""}
"""What was made with earlier code, and no longer counts."""
NOT_BATCHED = "training steps one episode at a time"


def coding(
    state: RunState, runtime: Runtime[RunSettings], trial: Trial = CHECKED
) -> dict[str, Any]:
    """Write ``environment.py`` and ``spec_functions.py`` into the run folder.

    A standard Gymnasium environment needs neither. ``trial`` tries out what may mend code.
    """
    clock = StageClock("coding")
    spec = state.spec()
    standard = bool(spec.dynamics.gymnasium_id)
    program, problems = (None, Problems()) if standard else compile_spec(spec)
    notes = noted(state, "compiler", *problems.remarks)
    findings = [mendable(finding) for finding in check_spec(spec, (program, problems))]
    open_ones = [finding for finding in findings if finding.blocking]
    told = (finding.message for finding in findings if not finding.blocking)
    notes = noted(state.model_copy(update={"notes": notes}), "specification", *told)
    if open_ones:
        report = CheckReport(findings=open_ones)
        stages = clock.add_to(state, "failed", open_ones[0].message)
        return {**VOID, "code": None, "checks": report, "notes": notes, "stages": stages}
    if program is None:
        code = CodeArtefacts()
        stages = clock.add_to(state, "done")
        return {**VOID, "code": code, "checks": None, "notes": notes, "stages": stages}
    state = state.model_copy(update={"notes": notes})
    bodies, state, findings = write_bodies(state, runtime, program, trial)
    notes = state.notes
    update: dict[str, Any] = {**VOID, "calls": state.calls, "notes": notes, "bodies": bodies}
    if findings:
        stages = clock.add_to(state, "failed", findings[0].message)
        return {**update, "code": None, "checks": CheckReport(findings=findings), "stages": stages}
    folder = Path(state.run_folder)
    write_whole(folder / "environment.py", render_environment(program, bodies))
    functions, faults = render_spec_functions(program)
    write_whole(folder / "spec_functions.py", functions)
    batched, why_not = render_batched(program)
    remove(folder, [BATCHED, POSSIBLE])
    possible, _ = render_possible(program)
    if possible is not None:
        write_whole(folder / POSSIBLE, possible)
    if batched is not None:
        write_whole(folder / BATCHED, batched)
    else:
        notes = noted(
            state.model_copy(update={"notes": notes}), "coding", f"{NOT_BATCHED}: {why_not}"
        )
    asked = state.model_copy(update={"notes": notes})
    why_not_read, update["calls"] = write_second_reading(asked, runtime, program)
    notes = noted(asked, "coding", *([why_not_read] if why_not_read else []))
    code = CodeArtefacts(environment=artefact(folder, "environment.py"))
    if state.code is not None and state.code.environment == code.environment:
        code = state.code  # what was made for this very environment stays
    update["notes"] = [*notes, *(f"coding: not checked, {f}" for f in faults)]
    return {**update, "code": code, "checks": None, "stages": clock.add_to(state, "done")}


def mendable(finding: Finding) -> Finding:
    """``finding``, which stops nothing where its owner is not asked again.

    The words and numbers that come first are what later pieces rest on; what is wrong with them
    is told to the reader. The compiler's own findings keep the code from being made in any case.
    """
    asked_again = finding.owner in ("modeling", "sar", "environment", "coding")
    if asked_again or finding.check == "compile":
        return finding
    return finding.model_copy(update={"blocking": False})
