"""The code bodies of an environment: asked for, and asked for again where they are at fault."""

import ast
import re

from langgraph.runtime import Runtime

from nodes.agent import ask
from nodes.body_rules import body_complaints
from nodes.codegen.program import Program
from nodes.line_change import LineChange, line_change_schema, with_change
from nodes.models.errors import ReplyInvalid
from nodes.revising import revision_values
from nodes.settings import RunSettings
from nodes.suspects import suspect_lines
from state.artefacts import BodySource
from state.dynamics import CodeBody
from state.findings import Finding
from state.run_state import RunState
from state.usage import ModelCall


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

    The likeliest answer of a small model to faulty code is that same code. Where it comes, the
    model is asked for the line that is wrong and what stands there instead. Where no usable answer
    comes in a round of corrections, the ``previous`` one is kept.
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
            quantities=quantities, max_output_tokens=1500,
        )  # fmt: skip
        state = state.model_copy(update={"calls": answer.calls})
        source = answer.value.source
        if previous is not None and state.remarks and same_code(source, previous.source):
            change = ask(
                "coding", line_change_schema(source), state, runtime, previous=previous, body=body,
                check=lambda change: change_complaints(source, change, body),
                quantities=quantities, remarks_prompt="line_change", warm_repairs=True,
                suspects=suspects(source, body, state.remarks), max_output_tokens=500,
            )  # fmt: skip
            state = state.model_copy(update={"calls": change.calls})
            if not change.complaints:
                source = with_change(source, change.value)
    except ReplyInvalid as error:
        if previous is None:
            raise
        kept = state.model_copy(update={"calls": [*state.calls, *error.calls]})
        return previous, kept, []
    return BodySource(name=body.name, source=source), state, body_complaints(source, body)


def change_complaints(source: str, change: LineChange, body: CodeBody) -> list[str]:
    """What keeps ``change`` from being a change that leaves a function."""
    changed = with_change(source, change)
    if same_code(changed, source):
        return ["`instead` says the same as `line`; write what is right there"]
    return body_complaints(changed, body)


def suspects(source: str, body: CodeBody, remarks: list[Finding]) -> list[str]:
    """The lines that the first finding about ``body`` can come from."""
    own = [f for f in remarks if body.name in f.place + f.message] or remarks
    told = f"{own[0].place} {own[0].message} {own[0].found}"
    named = [name for name in body.writes if re.search(rf"\b{name}\b", told)]
    return suspect_lines(source, named or body.writes, told)


def same_code(one: str, other: str) -> bool:
    """Whether two sources differ in nothing but comments and spaces."""
    try:
        return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return one.strip() == other.strip()
