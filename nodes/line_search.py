"""Faulty code that the model would only copy, mended by a change of one statement.

For each statement in turn the model is shown the code without it and says what is to stand there.
What it says is tried out: the first change after which nothing is found is taken.
"""

import re
from collections.abc import Callable
from typing import Any

from langgraph.runtime import Runtime

from nodes.agent import ask
from nodes.body_rules import body_complaints, same_code
from nodes.line_change import LineChange, Place, with_blank, with_change
from nodes.models.errors import ReplyInvalid
from nodes.settings import RunSettings
from nodes.suspects import suspected_first
from state.dynamics import CodeBody
from state.findings import CheckReport, Finding
from state.run_state import RunState

MOST_CHANGES = 12
"""Statements that are tried in one round of corrections."""
LONGEST_CHANGE = 200
"""Tokens."""


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
    for place in places_to_try(source, body, state.remarks)[:MOST_CHANGES]:
        changed, state = _changed(source, place, body, quantities, state, runtime)
        if any(same_code(changed, other) for other in known):
            continue
        known.append(changed)
        report = trial(changed)
        if report.clean:
            return changed, state
        if len(report.passed) > farthest:
            best, farthest = changed, len(report.passed)
    return best, state


def _changed(
    source: str,
    place: Place,
    body: CodeBody,
    quantities: dict[str, Any],
    state: RunState,
    runtime: Runtime[RunSettings],
) -> tuple[str, RunState]:
    """``source`` with what the model puts at ``place``, or as it was where that is no function."""
    try:
        answer = ask(
            "coding", LineChange, state, runtime, body=body, quantities=quantities,
            check=lambda change: change_complaints(source, place, change, body),
            remarks_prompt="line_change", warm_repairs=True, blank=with_blank(source, place),
            line=place.within(source), max_output_tokens=LONGEST_CHANGE,
        )  # fmt: skip
    except ReplyInvalid as error:
        return source, state.model_copy(update={"calls": [*state.calls, *error.calls]})
    state = state.model_copy(update={"calls": answer.calls})
    return (
        source if answer.complaints else with_change(source, place, answer.value.instead)
    ), state


def change_complaints(source: str, place: Place, change: LineChange, body: CodeBody) -> list[str]:
    """What keeps ``change`` from being a change that leaves a function."""
    changed = with_change(source, place, change.instead)
    if same_code(changed, source):
        return ["that is what stood there; write what is right"]
    return body_complaints(changed, body)


def places_to_try(source: str, body: CodeBody, remarks: list[Finding]) -> list[Place]:
    """All statements of ``source``, those that the first finding about ``body`` names first."""
    own = [f for f in remarks if body.name in f.place + f.message] or remarks
    told = f"{own[0].place} {own[0].message} {own[0].found}"
    named = [name for name in body.writes if re.search(rf"\b{name}\b", told)]
    return suspected_first(source, named or body.writes, told)
