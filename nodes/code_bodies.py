"""The code bodies of an environment: asked for, and asked for again where they are at fault."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from langgraph.runtime import Runtime

from nodes.agent import ask, noted
from nodes.body_rules import body_complaints, same_code
from nodes.codegen.program import Program
from nodes.line_proposals import Faulty
from nodes.line_search import with_one_change
from nodes.models.errors import ReplyInvalid
from nodes.revising import revision_values
from nodes.settings import RunSettings
from nodes.trial import Trial, tried
from state.artefacts import BodySource
from state.dynamics import CodeBody
from state.findings import CheckReport, Finding
from state.run_state import RunState


def write_bodies(
    state: RunState, runtime: Runtime[RunSettings], program: Program, trial: Trial
) -> tuple[list[BodySource], RunState, list[Finding]]:
    """Ask for each code body that is new or that an open finding names; keep the others.

    ``trial`` tries out what may mend one. Calls and notes are added to the state.
    """
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
        known |= {b.name: b for b in bodies}
        try_out = partial(_tried, trial, program, known, state.run_folder, runtime.context, body)
        source, state, wrong = write_body(state, runtime, program, body, kept, try_out)
        bodies.append(source)
        findings += [
            Finding(check="code_body", owner="coding", place=f"code body {body.name}", message=w)
            for w in wrong
        ]
    return bodies, state, findings


def _tried(
    trial: Trial,
    program: Program,
    known: dict[str, BodySource],
    run_folder: str,
    settings: RunSettings,
    body: CodeBody,
    source: str,
) -> CheckReport:
    """What ``trial`` says of ``source`` for ``body`` together with the ``known`` ones."""
    sources = {**known, body.name: BodySource(name=body.name, source=source)}
    together = [sources[b.name] for b in program.bodies if b.name in sources]
    return tried(trial, program, together, Path(run_folder), settings)


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
    trial: Callable[[str], CheckReport],
) -> tuple[BodySource, RunState, list[str]]:
    """Ask for one code body; returns it, the state with the calls added, and open complaints.

    The likeliest answer of a small model to faulty code is that same code. Where it comes, a
    change of one statement is looked for, see ``with_one_change``. Where no usable answer comes in
    a round of corrections, the ``previous`` one is kept.
    """
    spec = program.spec
    quantities = {
        name: spec.variable(name.removeprefix("previous_")) or spec.parameter(name)
        for name in dict.fromkeys([*body.reads, *body.writes])
    }
    try:
        answer = ask(
            "coding", BodySource, state, runtime, previous=previous, body=body,
            check=lambda answer: body_complaints(answer.source, body),
            quantities=quantities, first=previous is None, max_output_tokens=1500,
        )  # fmt: skip
    except ReplyInvalid as error:
        if previous is None:
            raise
        kept = state.model_copy(update={"calls": [*state.calls, *error.calls]})
        return previous, kept, []
    state = state.model_copy(update={"calls": answer.calls})
    source = answer.value.source
    if previous is not None and state.remarks and same_code(source, previous.source):
        faulty = Faulty(source, body, quantities)
        source, state = with_one_change(faulty, state, runtime, trial)
        if same_code(source, previous.source):
            told = f"the answer to what was found was the same code again, {body.name}"
            state = state.model_copy(update={"notes": noted(state, "coding", told)})
    return BodySource(name=body.name, source=source), state, body_complaints(source, body)
