"""Faulty code that the model would only copy, mended by a change of one statement.

For one statement after the other the model says what is to stand in its place, and that is tried
out: the first change after which nothing is found is taken.
"""

import re
import time
from collections.abc import Callable

from langgraph.runtime import Runtime

from nodes.body_rules import body_complaints, same_code
from nodes.line_change import Place
from nodes.line_proposals import Faulty, proposal
from nodes.models.errors import ModelError
from nodes.settings import RunSettings
from nodes.suspects import suspected_first
from state.dynamics import CodeBody
from state.findings import CheckReport, Finding
from state.run_state import RunState

MOST_CHANGES = 12
"""Statements of one body that are tried in one round; the next ones follow in the next round."""
LONGEST_SEARCH = 240.0
"""Seconds after which no further change of a body is tried."""


def with_one_change(
    faulty: Faulty,
    state: RunState,
    runtime: Runtime[RunSettings],
    trial: Callable[[str], CheckReport],
) -> tuple[str, RunState]:
    """The faulty source with a change of one statement, and the state with the calls added.

    The change is the first after which ``trial`` finds nothing that blocks; where there is none,
    that after which it gets farthest, if that is farther than without. Where ``trial`` finds
    nothing to begin with, nothing can tell a right change from a wrong one, and none is made.
    """
    source, until = faulty.source, time.monotonic() + LONGEST_SEARCH
    best, farthest = source, -1
    if not body_complaints(source, faulty.body):
        first = trial(source)
        if first.clean:
            return source, state
        farthest = len(first.passed)
    known = [source]
    for place in places_to_try(source, faulty.body, state):
        if time.monotonic() > until:
            break
        try:
            changed, state = proposal(faulty, place, state, runtime)
        except ModelError as error:  # what was found so far is not lost with it
            return best, state.model_copy(update={"calls": [*state.calls, *error.calls]})
        if changed is None or any(same_code(changed, other) for other in known):
            continue
        known.append(changed)
        report = trial(changed)
        if report.clean:
            return changed, state
        if len(report.passed) > farthest:
            best, farthest = changed, len(report.passed)
    return best, state


def places_to_try(source: str, body: CodeBody, state: RunState) -> list[Place]:
    """Statements of ``source`` that are to be tried in this round.

    Those that the first finding about ``body`` points at come before others.
    """
    places = _suspected(source, body, state.remarks)
    if not places:
        return []
    begin = MOST_CHANGES * max(state.debug_rounds - 1, 0) % len(places)
    few = len(places) <= MOST_CHANGES
    return places if few else [*places[begin:], *places[:begin]][:MOST_CHANGES]


def _suspected(source: str, body: CodeBody, remarks: list[Finding]) -> list[Place]:
    own = [f for f in remarks if body.name in f.place + f.message] or remarks
    told = " ".join((f.place + " " + f.message + " " + f.found) for f in own[:1])
    named = [name for name in body.writes if re.search(rf"\b{name}\b", told)]
    return suspected_first(source, named or body.writes, told)
