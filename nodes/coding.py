"""Coding agent: the environment and its training program, as Python (paper, section 3.2).

Whatever the specification can say is compiled from it; the model is asked only for the bodies
that no expression says.
"""

import ast
import re
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from nodes.accounts import StageClock
from nodes.agent import ask, noted
from nodes.body_rules import body_complaints
from nodes.codegen.batched import render_batched
from nodes.codegen.compile_spec import compile_spec
from nodes.codegen.possible import render_possible
from nodes.codegen.problems import Problems
from nodes.codegen.program import Program
from nodes.codegen.render import render_environment, render_spec_functions
from nodes.models.errors import ReplyInvalid
from nodes.revising import revision_values
from nodes.run_folder import artefact, remove, write_whole
from nodes.second_reading import write_second_reading
from nodes.settings import RunSettings
from nodes.spec_checks.ladder import check_spec
from nodes.suspects import suspect_lines
from state.artefacts import BodySource, CodeArtefacts
from state.dynamics import CodeBody
from state.findings import CheckReport, Finding
from state.run_state import RunState
from state.usage import ModelCall

BATCHED = "batched_environment.py"
"""The same environment for many episodes in each numpy call, which training uses where it can."""
POSSIBLE = "possible_actions.py"
"""Which decisions are possible, told from what is seen, where the specification says so."""
VOID: dict[str, Any] = {"training": None, "evaluation": None, "status": "running", "account": ""}
"""What was made with earlier code, and no longer counts."""
NOT_BATCHED = "training steps one episode at a time"


def coding(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Write ``environment.py`` and ``spec_functions.py`` into the run folder.

    A standard Gymnasium environment needs neither.
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
    bodies, calls, findings = write_bodies(state, runtime, program)
    update: dict[str, Any] = {**VOID, "calls": calls, "notes": notes, "bodies": bodies}
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
    asked = state.model_copy(update={"calls": calls, "notes": notes})
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


def write_bodies(
    state: RunState, runtime: Runtime[RunSettings], program: Program
) -> tuple[list[BodySource], list[ModelCall], list[Finding]]:
    """Ask for each code body that is new or that an open finding names; keep the others."""
    bodies: list[BodySource] = []
    findings: list[Finding] = []
    known = {b.name: b for b in state.bodies}
    revised = revision_values(state, "coding")
    told_to_change = revised is not None and revised["instruction"] != ""
    blamed = blamed_bodies(state.remarks, [body.name for body in program.bodies])
    for body in program.bodies:
        kept = known.get(body.name)
        if kept is not None and body.name not in blamed and not told_to_change:
            bodies.append(kept)
            continue
        source, state, wrong = write_body(state, runtime, program, body, kept)
        bodies.append(source)
        findings += [
            Finding(check="code_body", owner="coding", place=f"code body {body.name}", message=w)
            for w in wrong
        ]
    return bodies, state.calls, findings


def blamed_bodies(findings: list[Finding], names: list[str]) -> set[str]:
    """Those of the code bodies called ``names`` that open findings name.

    All of them where findings are for the coding agent and none is named: one of them is at fault.
    """
    words = {w for f in findings for w in re.findall(r"\w+", f"{f.place} {f.message}")}
    named = words & set(names)
    own = any(finding.blocking and finding.owner == "coding" for finding in findings)
    return named or (set(names) if own else set())


def write_body(
    state: RunState,
    runtime: Runtime[RunSettings],
    program: Program,
    body: CodeBody,
    previous: BodySource | None,
) -> tuple[BodySource, RunState, list[str]]:
    """Ask for one code body; returns it, the state with the calls added, and open complaints.

    Where no usable answer comes in a round of corrections, the ``previous`` one is kept.
    """

    spec = program.spec
    quantities = {
        name: spec.variable(name.removeprefix("previous_")) or spec.parameter(name)
        for name in dict.fromkeys([*body.reads, *body.writes])
    }

    def check(answer: BodySource) -> list[str]:
        faults = body_complaints(answer.source, body)
        same = previous is not None and same_code(answer.source, previous.source)
        return still_wrong(answer.source, body, state.remarks) if same else faults

    try:
        answer = ask(
            "coding", BodySource, state, runtime, check=check, previous=previous, body=body,
            # The likeliest answer of a small model is the faulty code that it is shown.
            warm_repairs=previous is not None, quantities=quantities, max_output_tokens=1500,
        )  # fmt: skip
    except ReplyInvalid as error:
        if previous is None:
            raise
        kept = state.model_copy(update={"calls": [*state.calls, *error.calls]})
        return previous, kept, []
    source = answer.value.model_copy(update={"name": body.name})
    complaints = body_complaints(source.source, body)
    return source, state.model_copy(update={"calls": answer.calls}), complaints


def still_wrong(source: str, body: CodeBody, remarks: list[Finding]) -> list[str]:
    """The complaint about code that is the earlier one again, with the lines to change."""
    own = [f for f in remarks if body.name in f.place + f.message] or remarks
    if not own:
        return []
    finding = own[0]
    told = f"{finding.message} {finding.found}"
    named = [n for n in body.writes if re.search(rf"\b{n}\b", f"{finding.place} {told}")]
    lines = suspect_lines(source, named or body.writes, told)
    change = f"; change what is wrong in one of these lines: {' | '.join(lines)}" if lines else ""
    return [f"this is the earlier code unchanged, with the same fault ({finding.message}){change}"]


def same_code(one: str, other: str) -> bool:
    """Whether two sources differ in nothing but comments and spaces."""
    try:
        return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return one.strip() == other.strip()
