"""The code bodies of an environment: asked for, and asked for again where they are at fault."""

import re
from pathlib import Path

from langgraph.runtime import Runtime

from nodes.agent import ask, noted
from nodes.body_rules import body_complaints, same_code
from nodes.codegen.program import Program
from nodes.line_proposals import Faulty
from nodes.mending import mended
from nodes.models.errors import ReplyInvalid
from nodes.revising import revision_values
from nodes.settings import RunSettings
from nodes.trial import Attempts, Trial, attempts_at
from state.artefacts import BodySource
from state.dynamics import CodeBody
from state.findings import Finding
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
        folder = Path(state.run_folder)
        attempts = None
        if all(other.name in known for other in program.bodies):
            attempts = attempts_at(trial, program, known, body.name, folder, runtime.context)
        source, state, wrong = write_body(state, runtime, program, body, kept, attempts)
        bodies.append(source)
        findings += [
            Finding(check="code_body", owner="coding", place=f"code body {body.name}", message=w)
            for w in wrong
        ]
    return bodies, state, findings


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
    attempts: Attempts | None,
) -> tuple[BodySource, RunState, list[str]]:
    """Ask for one code body; returns it, the state with the calls added, and open complaints.

    What becomes of faulty code is said in ``mended``; without ``attempts``, where other bodies are
    not there yet, the answer stands. Where no usable answer comes in a round of
    corrections, the ``previous`` one is kept, or mended.
    """
    spec = program.spec
    quantities = {
        name: spec.variable(name.removeprefix("previous_")) or spec.parameter(name)
        for name in dict.fromkeys([*body.reads, *body.writes])
    }
    kept, answered = previous.source if previous else "", None
    try:
        answer = ask(
            "coding", BodySource, state, runtime, previous=previous, body=body,
            check=lambda answer: body_complaints(answer.source, body),
            quantities=quantities, first=previous is None, max_output_tokens=1500,
        )  # fmt: skip
        answered, state = answer.value.source, state.model_copy(update={"calls": answer.calls})
    except ReplyInvalid as error:
        if previous is None:
            raise
        state = state.model_copy(update={"calls": [*state.calls, *error.calls]})
    source = kept if answered is None else answered
    if previous is not None and state.remarks and attempts is not None:
        faulty = Faulty(kept, body, quantities)
        source, state = mended(faulty, answered, state, runtime, attempts)
        if same_code(source, kept):
            told = f"nothing was changed after what was found, {body.name}"
            state = state.model_copy(update={"notes": noted(state, "coding", told)})
    return BodySource(name=body.name, source=source), state, body_complaints(source, body)
