"""Which numbers of an answer the description bears out, and which of its own it leaves unused."""

import re
from dataclasses import dataclass
from itertools import product

from nodes.codegen.units import factor_between, is_time, parse_unit, registry
from nodes.mentions import Mention, mentions_of
from nodes.sentences import sentences_of
from nodes.written_numbers import flat, unit_behind
from state.run_state import RunState

CALENDAR = frozenset({1.0, 7.0, 12.0, 24.0, 30.0, 52.0, 60.0, 365.0})
"""How many of one unit of time make the next, so that there is no need to say it."""

PLAIN = frozenset({0.0, 1.0, 2.0, 10.0, 100.0})
"""Numbers that formulas are made with; nothing can be told from their being there."""

_SCALES = (1.0, 1e2, 1e3, 1e6, 1e9, 60.0, 3600.0, 24.0, 7.0)

_LABEL_BEFORE = re.compile(
    r"(?:\b(?:section|chapter|table|fig(?:ure)?|page|no|nr|version|step|phase|item|appendix|line"
    r"|room|building|paragraph|equation|eq|abschnitt|kapitel|tabelle|seite|sección|capítulo)\.?"
    r"|§|#|\bv)\s*$",
    re.I,
)
_MONTH = (
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|januar|februar|märz|mai|juni|juli|okt"
    r"|dez|ene|abr|ago|dic)\w*"
)
_LABEL_BEHIND = re.compile(rf"^(?:st|nd|rd|th)\b|^\.?\s*{_MONTH}\b|^:\d\d|^\s*(?:am|pm)\b", re.I)
_DATE_BEFORE = re.compile(rf"(?:{_MONTH}\.?\s*|\d:|[\d.][./-])$", re.I)
SECONDS = {
    "second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0, "week": 7 * 86400.0,
    "month": 30 * 86400.0, "year": 365 * 86400.0,
}  # fmt: skip
_ONE_SPAN = re.compile(
    rf"\b(?:an?|one|each|every|per|the|half an?|this|next)\s+({'|'.join(SECONDS)})\b", re.I
)
_YEAR = re.compile(r"^(?:19|20)\d\d$")
_CALENDAR_WORDS = re.compile(
    r"^\s*-?\s*(?:hours?|hrs?|h|days?|minutes?|min|seconds?|s|months?|weeks?|stunden?|tagen?"
    r"|minuten?|wochen?|monaten?|horas?|días?|minutos?|semanas?|meses)\b",
    re.I,
)


@dataclass(frozen=True)
class Numbers:
    """The numbers that an answer may use: those of the description and of the parameters."""

    known: frozenset[float]

    @classmethod
    def of(cls, state: RunState) -> "Numbers":
        """Those of the run so far."""
        known = {abs(mention.value) for mention in mentions_of(state.told)}
        known |= {abs(value) for p in state.parameters for value in flat(p.value)}
        return cls(frozenset(known))

    def explain(self, value: float) -> bool:
        """True if ``value`` follows from what is known: it, a neighbour, another scale, or two.

        It errs towards true, so that a number that is doubted is a strange one.
        """
        size = abs(value)
        if size in PLAIN:
            return True
        for known in self.known:
            if any(_same(size, near) for near in (known - 1, known + 1)):
                return True
            if any(_same(size, known * s) or _same(size * s, known) for s in _SCALES):
                return True
        return any(
            _same(size, one * other) or _same(size, one + other) or _same(size, one - other)
            for one, other in product(self.known, repeat=2)
        )


def says_count_of_steps(description: str, steps: int) -> bool:
    """True if ``steps`` is said to be the length of an episode: as a number, or as spans of time.

    A week of hours has 168, and 8 hours have 32 times 15 minutes.
    """
    known = {abs(mention.value) for mention in mentions_of(description)}
    if any(_same(steps, near) for m in known for near in (m - 1, m, m + 1)):
        return True
    spans = durations(description)
    counted = product(spans, {*spans, *SECONDS.values()})
    if any(_same(steps, longer / shorter) for longer, shorter in counted):
        return True
    timed = {abs(mention.value) for mention in _timed(description)}
    return any(_same(steps, one * other) for one, other in product(timed, known))


def durations(description: str) -> set[float]:
    """All spans of time that are mentioned, in seconds, also without a number: *each day*."""
    sentences = sentences_of(description)
    found = {
        abs(m.value) * seconds
        for m in _timed(description)
        if (seconds := _seconds(unit_behind(m, sentences))) is not None and m.value
    }
    for word in _ONE_SPAN.findall(description):
        found.add(SECONDS[word.lower()])
    return found


def _timed(description: str) -> list[Mention]:
    sentences = sentences_of(description)
    found = mentions_of(description)
    return [m for m in found if _seconds(unit_behind(m, sentences)) is not None]


def _seconds(unit: str) -> float | None:
    linear = parse_unit(unit).linear
    return factor_between(linear, registry().Unit("second")) if is_time(linear) else None


def unused(state: RunState) -> list[tuple[Mention, str]]:
    """Numbers of the description that no parameter uses, with their sentences.

    Only what is written in digits and is no date, label or count of the calendar: number words
    are mostly counts that the text itself spells out.
    """
    # Of a revised run only the numbers are new that none but the remark mentions.
    remark = sentences_of(state.revision.remark) if state.revision is not None else []
    used = {abs(value) for p in state.parameters for value in flat(p.value)}
    sentences, mentions = sentences_of(state.told), mentions_of(state.told)
    if state.revision is not None:
        used |= {abs(m.value) for m in mentions if sentences[m.sentence - 1] not in remark}
    found: dict[float, tuple[Mention, str]] = {}
    for mention in mentions:
        sentence = sentences[mention.sentence - 1]
        if abs(mention.value) not in used and not in_passing(mention, sentence):
            found.setdefault(abs(mention.value), (mention, sentence))
    return list(found.values())


def in_passing(mention: Mention, sentence: str) -> bool:
    """True for a number that is no constant of the task, or may well be none."""
    before, behind = sentence[: mention.start], sentence[mention.end :]
    written = sentence[mention.start : mention.end].strip()
    if not written[-1:].isdigit() or mention.value == 0:
        return True
    if mention.value in (1.0, 2.0) and not re.match(r"\s?[A-Za-zµ°%€$]{1,3}\b", behind):
        return True
    if mention.value in CALENDAR and _CALENDAR_WORDS.match(behind):
        return True
    if mention.value == 100 and behind.lstrip().startswith("%"):
        return True
    if _YEAR.match(written) and not re.match(r"\s?[A-Za-zµ°%€$]{1,5}\b", behind):
        return True
    numbering = not before.strip(" #*-(") and re.match(r"[.)]", behind)
    labelled = _LABEL_BEFORE.search(before) or _LABEL_BEHIND.match(behind)
    return bool(numbering or labelled or _DATE_BEFORE.search(before))


def _same(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-6 * max(abs(one), abs(other))
