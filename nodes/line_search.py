"""Faulty code that the model would only copy, mended by a change of one statement.

For one statement after the other small changes and what the model says are looked at, all at once
and shortly; those in which nothing is found are tried out, the likeliest first.
"""

import math
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, zip_longest

from langgraph.runtime import Runtime

from nodes.body_rules import body_complaints, plain_code
from nodes.line_change import Place
from nodes.line_edits import edits_of
from nodes.line_proposals import Change, Faulty, change_complaints, likeliest_first, proposals
from nodes.models.errors import ModelError
from nodes.settings import RunSettings
from nodes.suspects import at_hand, indices, suspected_first
from nodes.trial import Attempts, ScreenReport
from state.run_state import RunState

MOST_PLACES = 12
"""Statements of one body that are tried in one round; the next ones follow in the next round."""
MOST_EDITS = 120
"""Small changes of one statement."""
MOST_PROMISING = 8
"""Small changes of one statement, of those in which a short look finds nothing."""
MOST_LOOKS = 3
"""Changes of those known so far that are tried before more are asked for; as many at the end."""
LIKELY = 0.0
"""Gain of a change that is tried before the model was asked about all statements."""
LONGEST_SEARCH = 180.0
"""Seconds after which the model is asked about no further statement."""


@dataclass
class _Search:
    """What is known of the changes of one body.

    ``promising`` are those in which a short look, up to the check ``last``, found nothing. ``best``
    is the source that gets farthest of all that were tried and, until one of these gets farther
    than the faulty one, of those that a model proposed.
    """

    faulty: Faulty
    attempts: Attempts
    best: str
    known: dict[str, ScreenReport | None]
    last: str = ""
    shortly: int = -1
    wholly: int = -1
    promising: list[Change] = field(default_factory=list)

    def begin(self) -> bool:
        """Look at the faulty source; whether something is found in it."""
        report = self.attempts.look(self.faulty.source)
        if report.clean:
            return False
        own = self.faulty.own(report.blocking)
        self.last, self.wholly = own[0].check, len(report.passed)
        (short,) = self.attempts.screen(self.best, [self.best], self.last)
        self.shortly = -1 if short is None else len(short.passed)
        return True

    def add(self, changes: Sequence[Change]) -> None:
        """Have a short look at those of ``changes`` that leave such a function and are new.

        What a model proposes counts as its own, also if it was among the small changes.
        """
        source = self.faulty.source
        wanted: dict[str, Change] = {}
        for change in changes:
            code = plain_code(change.of(source))
            if (code not in self.known or change.proposed) and not change_complaints(
                self.faulty, change
            ):
                wanted.setdefault(code, change)
        new = [code for code in wanted if self.known.get(code) is None]
        sources = [wanted[code].of(source) for code in new]
        reports = self.attempts.screen(source, sources, self.last) if new else []
        self.known |= dict(zip(new, reports, strict=True))
        for code, change in wanted.items():
            self._take(change, self.known[code])
        self.promising = _some_of_each_place(self.promising)

    def _take(self, change: Change, report: ScreenReport | None) -> None:
        """Keep ``change`` if it may be right, or gets far."""
        if report is None or report.clean:
            unchanged = 0.0 if report is None else report.unchanged
            source = self.faulty.source
            others = [c for c in self.promising if c.of(source) != change.of(source)]
            if change.proposed or report is not None:
                self.promising = [*others, replace(change, unchanged=unchanged)]
        elif change.proposed and len(report.passed) > self.shortly:
            self.best, self.shortly = change.of(self.faulty.source), len(report.passed)

    def right(self, least: float, until: float) -> str | None:
        """The first of the likeliest promising changes in which nothing is found.

        Of those whose gain is not less than ``least``, or not known; None begins after ``until``.
        """
        likely = [c for c in self.promising if c.gain is None or c.gain >= least][:MOST_LOOKS]
        for change in likely:
            if time.monotonic() > until:
                break
            self.promising.remove(change)
            changed = change.of(self.faulty.source)
            report = self.attempts.look(changed)
            if report.clean:
                return changed
            self.known[plain_code(changed)] = ScreenReport(**dict(report))
            if len(report.passed) > self.wholly:
                self.best, self.wholly = changed, len(report.passed)
                self.shortly = len(report.passed)  # no short look gets that far
        return None


def _some_of_each_place(changes: list[Change]) -> list[Change]:
    """All that a model proposed, and at each place the others that leave most unchanged."""
    kept = [change for change in changes if change.proposed]
    small = sorted((c for c in changes if not c.proposed), key=lambda c: -c.unchanged)
    for place in dict.fromkeys(change.place for change in small):
        kept += [change for change in small if change.place == place][:MOST_PROMISING]
    return kept


def with_one_change(
    faulty: Faulty, state: RunState, runtime: Runtime[RunSettings], attempts: Attempts
) -> tuple[str, RunState]:
    """The faulty source with a change of one statement, and the state with the calls added.

    It is the likeliest of the changes found so far in which nothing is found that blocks; where
    there is none, one that gets farther than the faulty source, if there is any. Where nothing is
    found to begin with, nothing can tell a right change from a wrong one, and none is made.
    """
    source = faulty.source
    search = _Search(faulty, attempts, source, {plain_code(source): ScreenReport()})
    if not body_complaints(source, faulty.body) and not search.begin():
        return source, state
    places = places_to_try(faulty, state)
    each = zip_longest(*(_edits(faulty, place) for place in places))
    search.add([edit for some in each for edit in some if edit is not None])
    until = time.monotonic() + LONGEST_SEARCH
    for place in places:
        if time.monotonic() > until:
            break
        try:
            changes, state = proposals(faulty, place, state, runtime)
            search.add(changes)
            search.promising, state = likeliest_first(faulty, search.promising, state, runtime)
        except ModelError as error:  # what was found so far is not lost with it
            state = state.model_copy(update={"calls": [*state.calls, *error.calls]})
            break
        right = search.right(LIKELY, until)
        if right is not None:
            return right, state
    return search.right(-math.inf, math.inf) or search.best, state


def places_to_try(faulty: Faulty, state: RunState) -> list[Place]:
    """Statements that are to be tried in this round.

    Those that the first finding about the body points at come before others.
    """
    own = faulty.own(state.remarks)[:1]
    told = " ".join(f"{finding.place} {finding.message} {finding.found}" for finding in own)
    writes = faulty.body.writes
    named = [name for name in writes if re.search(rf"\b{name}\b", told)]
    places = suspected_first(faulty.source, named or writes, told)
    if not places:
        return []
    begin = MOST_PLACES * max(state.debug_rounds - 1, 0) % len(places)
    few = len(places) <= MOST_PLACES
    return places if few else [*places[begin:], *places[:begin]][:MOST_PLACES]


def _edits(faulty: Faulty, place: Place) -> list[Change]:
    """Small changes of one statement; in every round, for the code may have changed."""
    names = [*faulty.body.reads, *at_hand(faulty.source)]
    edits = edits_of(place.within(faulty.source), names, indices(faulty.source, faulty.quantities))
    return [Change(place, edit) for edit in islice(edits, MOST_EDITS)]
