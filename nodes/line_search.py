"""Faulty code that the model would only copy, mended by a change of one statement.

For each statement in turn the model says what is to stand in its place: one that was trained to
fill gaps is given the code without the statement and the body's purpose, any other is asked, with
what was found. What it says is tried out: the first change after which nothing is found is taken.
"""

import ast
import re
from collections.abc import Callable
from textwrap import indent
from typing import Any

from langgraph.runtime import Runtime

from nodes.agent import ask, budget_of, journal_of, prompt_templates
from nodes.body_rules import body_complaints, same_code
from nodes.line_change import LineChange, Place, around, with_blank, with_change
from nodes.models.errors import ReplyInvalid
from nodes.models.fill import fill_in
from nodes.settings import RunSettings
from nodes.suspects import suspected_first
from state.dynamics import CodeBody
from state.findings import CheckReport, Finding
from state.run_state import RunState

MOST_CHANGES = 12
"""Statements that are tried in one round of corrections."""
LONGEST_CHANGE = 200
"""Tokens."""
WARM = 0.8
"""Sampling temperature once the likeliest changes were tried."""


def with_one_change(
    source: str,
    body: CodeBody,
    quantities: dict[str, Any],
    state: RunState,
    runtime: Runtime[RunSettings],
    trial: Callable[[str], CheckReport],
) -> tuple[str, RunState]:
    """``source`` with a change of one statement, and the state with the calls added.

    The change is the first after which ``trial`` finds nothing that blocks; where there is none,
    that after which it gets farthest, if that is farther than without.
    """
    first = trial(source)
    if first.clean:
        return source, state
    best, farthest = source, len(first.passed)
    known = [source]
    propose = _filled if _fills(runtime) else _asked
    for place in places_to_try(source, body, state.remarks)[:MOST_CHANGES]:
        change, state = propose(source, place, body, quantities, state, runtime)
        if change is None or change_complaints(source, place, change, body):
            continue
        changed = with_change(source, place, change.instead)
        if any(same_code(changed, other) for other in known):
            continue
        known.append(changed)
        report = trial(changed)
        if report.clean:
            return changed, state
        if len(report.passed) > farthest:
            best, farthest = changed, len(report.passed)
    return best, state


def _fills(runtime: Runtime[RunSettings]) -> bool:
    model = runtime.context.model
    return model is not None and model.wire.fills


def _temperature(state: RunState) -> float:
    """The likeliest changes come first; in later rounds there is some chance in them."""
    return 0.0 if state.debug_rounds <= 1 else WARM


def _filled(
    source: str,
    place: Place,
    body: CodeBody,
    quantities: dict[str, Any],
    state: RunState,
    runtime: Runtime[RunSettings],
) -> tuple[LineChange | None, RunState]:
    """What a model that fills gaps puts at ``place``, and the state with the call added."""
    settings = runtime.context
    assert settings.model is not None
    told = prompt_templates().get_template("fill.md").render(body=body, quantities=quantities)
    comment = indent(told.strip(), "# ", lambda line: True)
    before, behind = around(source, place)
    line, call = fill_in(
        settings.model,
        f"import numpy as np\n\n\n{comment}\n{before}",
        behind,
        agent="coding",
        budget=budget_of(state, settings),
        journal=journal_of(state),
        ordinal=state.asked("coding"),
        temperature=_temperature(state),
    )
    calls = [*state.calls, call]
    return LineChange(instead=line) if line else None, state.model_copy(update={"calls": calls})


def _asked(
    source: str,
    place: Place,
    body: CodeBody,
    quantities: dict[str, Any],
    state: RunState,
    runtime: Runtime[RunSettings],
) -> tuple[LineChange | None, RunState]:
    """What a model says is to stand at ``place``, and the state with the calls added."""
    try:
        answer = ask(
            "coding", LineChange, state, runtime, body=body, quantities=quantities,
            check=lambda change: change_complaints(source, place, change, body),
            remarks_prompt="line_change", blank=with_blank(source, place),
            line=place.within(source), unused=unused(source, body),
            temperature=_temperature(state), repair_temperature=WARM,
            max_output_tokens=LONGEST_CHANGE,
        )  # fmt: skip
    except ReplyInvalid as error:
        return None, state.model_copy(update={"calls": [*state.calls, *error.calls]})
    return answer.value, state.model_copy(update={"calls": answer.calls})


def change_complaints(source: str, place: Place, change: LineChange, body: CodeBody) -> list[str]:
    """What keeps ``change`` from being a change that leaves a function."""
    changed = with_change(source, place, change.instead)
    if same_code(changed, source):
        return ["that is what stood there, and it is wrong; write something else"]
    wrong = body_complaints(changed, body)
    lost = [] if wrong else sorted({*unused(changed, body)} - {*unused(source, body)})
    return [*wrong, *(f"{name} is not used any more" for name in lost)]


def places_to_try(source: str, body: CodeBody, remarks: list[Finding]) -> list[Place]:
    """All statements of ``source``, those that the first finding about ``body`` names first."""
    own = [f for f in remarks if body.name in f.place + f.message] or remarks
    told = f"{own[0].place} {own[0].message} {own[0].found}"
    named = [name for name in body.writes if re.search(rf"\b{name}\b", told)]
    return suspected_first(source, named or body.writes, told)


def unused(source: str, body: CodeBody) -> list[str]:
    """What ``body`` is said to read and ``source`` does not."""
    words = {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
    return [name for name in body.reads if name not in words]
