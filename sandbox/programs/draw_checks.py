"""Checks that what is drawn has the declared distribution, whatever the distribution is.

Each value is ranked among draws made by the spec's own rule in the same situation. If the two come
from one distribution, the rank is any with equal chance, and independent of all others (the rank
histogram; Talagrand, Vautard and Strauss, 1997). Ties are broken at random.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandbox.programs.findings import CheckFailed
from sandbox.programs.spec_rules import Quantities
from sandbox.programs.subject import Subject, describe

FALSE_ALARMS = 1e-4
"""Chance that a right environment fails this check, shared by all tests of a run."""

DRAWS = 16
"""Draws by the rule beside each value: 17 ranks."""

MOST_STEPS = 2000
FEWEST = 200
MOST_COLUMNS = 80

Ranks = NDArray[np.float64]


@dataclass(frozen=True)
class _Drawn:
    """Ranks (n, k), evenly from 0 to 1, of n values with k elements; a few values and draws."""

    ranks: Ranks
    values: list[Any]
    by_the_rule: list[Any]


Ranked = dict[str, _Drawn]


def draws_as_declared(subject: Subject) -> None:
    """Every drawn quantity has the declared distribution, anew and independent in every draw."""
    groups = {
        "initial": _initial_ranks(subject),
        "step": _step_ranks(subject),
        "next": _next_ranks(subject),
    }
    groups = {when: ranked for when, ranked in groups.items() if ranked}
    level = FALSE_ALARMS / max(1, sum(2 * len(ranked) + 1 for ranked in groups.values()))
    for when, ranked in groups.items():
        for name, drawn in ranked.items():
            if drawn.ranks.size < FEWEST:
                continue
            wrong = _not_even(drawn.ranks, level)
            wrong = wrong or ("" if when == "initial" else _not_anew(drawn.ranks, level))
            if wrong:
                raise _failed(when, [name], wrong, drawn)
        related = _related(ranked, level)
        if related:
            name = related[0]
            wrong = f"it is not independent of {related[1]}"
            wrong = wrong if name != related[1] else "its elements depend on each other"
            raise _failed(when, related, wrong, ranked[name])


def _failed(when: str, names: Sequence[str], wrong: str, drawn: "_Drawn") -> CheckFailed:
    name = names[0]
    place = f"initial value of {name}" if when == "initial" else f"rule of {name}"
    return CheckFailed(
        "environment",
        f"{name} is drawn otherwise than the spec says ({place}): {wrong}",
        place=place,
        expected="draws as the rule of the spec makes them, such as "
        + ", ".join(describe(value) for value in drawn.by_the_rule),
        found="draws such as " + ", ".join(describe(value) for value in drawn.values),
    )


def _initial_ranks(subject: Subject) -> Ranked:
    asked = [{"now": quantities} for _, quantities in subject.beginnings]
    return _ranked(subject, "initial", asked, [quantities for _, quantities in subject.beginnings])


def _step_ranks(subject: Subject) -> Ranked:
    steps = subject.transitions[:MOST_STEPS]
    return _ranked(
        subject, "step", [step.asked() for step in steps], [step.quantities for step in steps]
    )


def _next_ranks(subject: Subject) -> Ranked:
    steps = subject.transitions[: MOST_STEPS + 1]
    pairs = [(one, other) for one, other in pairwise(steps) if other.step == one.step + 1]
    asked = [{**one.asked(), "after": other.quantities} for one, other in pairs]
    return _ranked(subject, "next", asked, [other.quantities for _, other in pairs])


def _ranked(
    subject: Subject, when: str, asked: list[Quantities], values: list[Quantities]
) -> Ranked:
    """The drawn quantities of one moment by name."""
    names = subject.functions.tables.drawn(when)
    if not names or not asked:
        return {}
    random = np.random.default_rng(subject.request.seed)
    drawn = subject.functions.samples(when, asked, DRAWS, subject.request.seed)
    found: Ranked = {}
    for name in names:
        pairs = [(one[name], other[name]) for one, other in zip(values, drawn, strict=True)
                 if name in one]  # fmt: skip
        if not pairs:
            continue
        ranks = np.stack([_rank(value, draws, random) for value, draws in pairs])
        found[name] = _Drawn(ranks, [v for v, _ in pairs[:4]], [d[0] for _, d in pairs[:4]])
    return found


def _rank(value: Any, draws: Any, random: np.random.Generator) -> Ranks:
    """Where each element of ``value`` stands among its draws (count, ...), evenly within a rank."""
    own = np.asarray(value, dtype=float).ravel()
    others = np.asarray(draws, dtype=float).reshape(len(draws), -1)
    below, equal = (others < own - 1e-9).sum(axis=0), (np.abs(others - own) <= 1e-9).sum(axis=0)
    rank = below + random.integers(0, equal + 1)
    even: Ranks = (rank + random.random(own.size)) / (len(draws) + 1)
    return even


def _not_even(ranks: Ranks, level: float) -> str:
    """What is wrong with the distribution if not every rank is as frequent, or empty."""
    counts = np.bincount((ranks.ravel() * (DRAWS + 1)).astype(int), minlength=DRAWS + 1)
    expected = ranks.size / (DRAWS + 1)
    statistic = float(((counts - expected) ** 2 / expected).sum())
    if _chi_square_tail(statistic, DRAWS) >= level:
        return ""
    return (
        f"of {ranks.size} values {counts[0]} lie below and {counts[-1]} above all of {DRAWS} draws "
        f"by the rule, where {expected:.0f} should (chi-square {statistic:.0f})"
    )


def _not_anew(ranks: Ranks, level: float) -> str:
    """Says that draws follow from those of the step before, or empty."""
    scores = _scores(ranks)
    along = float((scores[1:] * scores[:-1]).mean()) * math.sqrt(max(scores[1:].size, 1))
    return "it is not drawn anew in every step" if _normal_tail(along) < level else ""


def _related(ranked: Ranked, level: float) -> tuple[str, str] | None:
    """Two quantities, or one twice, whose elements are correlated in a single draw."""
    whole = max(len(drawn.ranks) for drawn in ranked.values())
    columns = [
        (name, column)
        for name, drawn in ranked.items()
        if len(drawn.ranks) == whole >= FEWEST
        for column in _scores(drawn.ranks).T
    ][:MOST_COLUMNS]
    if len(columns) < 2:
        return None
    scores = np.stack([column for _, column in columns])
    correlations = np.triu(scores @ scores.T / whole, 1)
    one, other = np.unravel_index(int(np.abs(correlations).argmax()), correlations.shape)
    pairs = len(columns) * (len(columns) - 1) / 2
    strength = float(correlations[one, other]) * math.sqrt(whole)
    if _normal_tail(strength) * pairs >= level:
        return None
    return columns[int(one)][0], columns[int(other)][0]


def _scores(ranks: Ranks) -> Ranks:
    """Ranks with mean 0 and variance 1."""
    scores: Ranks = (ranks - 0.5) * math.sqrt(12)
    return scores


def _chi_square_tail(statistic: float, even: int) -> float:
    """Chance that chi-square with an even number of degrees of freedom is larger."""
    half, term, total = statistic / 2, 1.0, 1.0
    for k in range(1, even // 2):
        term *= half / k
        total += term
    return math.exp(-half) * total if half < 700 else 0.0


def _normal_tail(value: float) -> float:
    """Chance that a standard normal number is further from zero."""
    return math.erfc(abs(value) / math.sqrt(2))
