"""Checks that what is drawn has the declared distribution, whatever the distribution is.

Each value is ranked among draws made by the spec's own rule in the same situation. If the two come
from one distribution, the rank is any with equal chance, and independent of all others (the rank
histogram; Talagrand, Vautard and Strauss, 1997). Ties are broken at random.
"""

import math
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
TESTS = 3

Ranks = NDArray[np.float64]
Ranked = dict[tuple[str, str], tuple[Ranks, tuple[list[Any], list[Any]]]]
"""By when and name: ranks (n, k), and a few values with draws by the rule."""


def draws_as_declared(subject: Subject) -> None:
    """Every drawn quantity has the declared distribution, anew and independent in every draw."""
    found = {**_initial_ranks(subject), **_step_ranks(subject), **_next_ranks(subject)}
    level = FALSE_ALARMS / max(1, TESTS * len(found))
    for (when, name), (ranks, example) in found.items():
        if ranks.size < FEWEST:
            continue
        wrong = _wrong(ranks, level, independent=when != "initial")
        if wrong:
            place = f"initial value of {name}" if when == "initial" else f"rule of {name}"
            raise CheckFailed(
                "environment",
                f"{name} is drawn otherwise than the spec says ({place}): {wrong}",
                place=place,
                expected="draws as the rule of the spec makes them, such as "
                + ", ".join(describe(value) for value in example[1][:4]),
                found="draws such as " + ", ".join(describe(value) for value in example[0][:4]),
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
    """Ranks (n, k), from 0 to 1, of n values with k elements, and examples of both kinds."""
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
        found[when, name] = (ranks, ([v for v, _ in pairs[:4]], [d[0] for _, d in pairs[:4]]))
    return found


def _rank(value: Any, draws: Any, random: np.random.Generator) -> Ranks:
    """Where each element of ``value`` stands among its draws (count, ...), evenly within a rank."""
    own = np.asarray(value, dtype=float).ravel()
    others = np.asarray(draws, dtype=float).reshape(len(draws), -1)
    below, equal = (others < own - 1e-9).sum(axis=0), (np.abs(others - own) <= 1e-9).sum(axis=0)
    rank = below + random.integers(0, equal + 1)
    even: Ranks = (rank + random.random(own.size)) / (len(draws) + 1)
    return even


def _wrong(ranks: Ranks, level: float, *, independent: bool) -> str:
    """What is wrong with ranks (n, k) that should be uniform and independent, or empty."""
    flat = ranks.ravel()
    counts = np.bincount((flat * (DRAWS + 1)).astype(int), minlength=DRAWS + 1)
    expected = flat.size / (DRAWS + 1)
    statistic = float(((counts - expected) ** 2 / expected).sum())
    if _chi_square_tail(statistic, DRAWS) < level:
        lower, upper = int(counts[0]), int(counts[-1])
        return (
            f"of {flat.size} values {lower} lie below and {upper} above all of {DRAWS} draws by "
            f"the rule, where {expected:.0f} should (chi-square {statistic:.0f})"
        )
    scores = (ranks - 0.5) * math.sqrt(12)
    n, k = scores.shape
    if k > 1:
        # Sums over the elements have the variance k if these are independent.
        together = (scores.sum(axis=1) ** 2).mean() / k
        # A sum of k even numbers is close to normal, with a little less in its tails.
        if _normal_tail((together - 1) * math.sqrt(n / 2)) < level:
            return "its elements are not independent of each other"
    if independent and n > 2:
        along = float((scores[1:] * scores[:-1]).mean()) * math.sqrt((n - 1) * k)
        if _normal_tail(along) < level:
            return "it is not independent from one step to the next"
    return ""


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
