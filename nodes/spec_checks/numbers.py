"""Numbers: each comes from the words, and each of the words is used or explained."""

import ast
import math
import re
from collections.abc import Iterator

from nodes.mentions import mentions_of
from nodes.sentences import sentences_of
from nodes.spec_checks.facts import Facts
from nodes.spec_checks.saying import finding
from nodes.written_numbers import as_written, flat
from state.expressions import DISTRIBUTIONS, ExpressionError, parse
from state.findings import Finding, Owner
from state.piece import Sourced

_STEPS_IN_A_UNIT = (1, 2, 4, 6, 7, 10, 12, 24, 30, 48, 52, 60, 96, 100, 144, 168, 365)
_FREE = {0.0, 1.0, 2.0, 0.5}
_MONEY = re.compile(
    r"\b(?:costs?|prices?|penalt(?:y|ies)|fees?|bonus(?:es)?|fines?|earn(?:s|ings)?|pa(?:ys?|id)|"
    r"wages?|revenues?|rents?|charged?|worth|euros?|dollars?|points?)\b",
    re.IGNORECASE,
)


def pieces_come_from_the_words(facts: Facts) -> Iterator[Finding]:
    """A quote stands in the description, and a piece without one says why it was assumed."""
    spec = facts.spec
    kinds: list[tuple[Owner, str, list[tuple[str, Sourced]]]] = [
        ("parameter", "parameter", [(p.name, p) for p in spec.parameters]),
        ("objective", "objective", [("", spec.objective)]),
        ("variable", "variable", [(v.name, v) for v in spec.variables]),
        ("constraint", "constraint", [(c.name, c) for c in spec.constraints]),
    ]
    text = _plain(facts.told)
    for owner, kind, pieces in kinds:
        for name, piece in pieces:
            place = f"{kind} {name}".strip()
            if piece.quote and _plain(piece.quote) not in text:
                yield finding(
                    "pieces_come_from_the_words", owner, place,
                    f"the words that {place} quotes are not in the description",
                    expected="words of the description", found=piece.quote,
                )  # fmt: skip
            elif kind == "parameter" and facts.traced and not (piece.quote or piece.assumed):
                yield finding(
                    "pieces_come_from_the_words", owner, place,
                    f"nothing says where {place} comes from",
                    expected="a quote of the description, or why it was assumed", found="neither",
                )  # fmt: skip


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[*_`#>]|(?:^|\s)[-•]\s", " ", text).split()).lower()


def values_stand_in_their_quotes(facts: Facts) -> Iterator[Finding]:
    """A parameter has the value that its words give it."""
    for p in facts.spec.parameters:
        if not p.quote:
            continue
        mentions, sentences = mentions_of(p.quote), sentences_of(p.quote)
        missing = [
            value
            for value in flat(p.value)
            if as_written(value, p.unit, mentions, sentences) is None and not _a_one(value, p.quote)
        ]
        if missing:
            yield finding(
                "values_stand_in_their_quotes", "parameter", f"parameter {p.name}",
                f"{p.name} is {missing[0]:g} {p.unit}, which is not what its words say".replace(
                    "  ", " "),
                expected=f"a number of “{p.quote}”", found=f"{missing[0]:g} {p.unit}".strip(),
            )  # fmt: skip


def _a_one(value: float, quote: str) -> bool:
    """One may be said by "a", "each" or "per"; nothing by "no", "empty" or "without"."""
    if value == 1.0:
        return bool(re.search(r"\b(?:an?|one|each|every|single|once|per)\b", quote, re.IGNORECASE))
    return value == 0.0 and bool(
        re.search(r"\b(?:no|not|never|empty|without|none|nothing|rest)\b", quote, re.IGNORECASE)
    )


def horizon_comes_from_the_words(facts: Facts) -> Iterator[Finding]:
    """An episode is as long as the description says, where it says so.

    Nothing is said against a horizon that could be some number of steps per hour, day or week.
    """
    horizon = float(facts.spec.model.horizon)
    said = {m.value for m in facts.mentions if m.value > 0}
    if (
        not facts.traced
        or not said
        or any(
            math.isclose(value * factor, horizon) or math.isclose(value, horizon * factor)
            for value in said
            for factor in (*_STEPS_IN_A_UNIT, *said)
        )
    ):
        return
    near = [value for value in said if abs(value - horizon) == 1.0 and horizon > 10]
    shown = ", ".join(f"{value:g}" for value in sorted(near)) or "no such number"
    yield finding(
        "horizon_comes_from_the_words", "modeling", "horizon",
        f"the horizon is {horizon:g}, which the description does not give",
        expected=f"the number of decisions in an episode as described ({shown})",
        found=f"{horizon:g}", blocking=bool(near),
    )  # fmt: skip


def draws_use_numbers_of_the_words(facts: Facts) -> Iterator[Finding]:
    """A number inside a draw is a parameter or stands in the description."""
    if not facts.traced or not facts.mentions:
        return
    known = {abs(m.value) for m in facts.mentions} | _FREE
    known |= {abs(value) for p in facts.spec.parameters for value in flat(p.value)}
    known |= {value - 1 for value in known} | {value + 1 for value in known}
    known |= {value / 100 for value in known}
    for e in facts.expressions:
        for call in _draws(e.text):
            numbers = [
                n.value for argument in call.args for n in ast.walk(argument)
                if isinstance(n, ast.Constant) and isinstance(n.value, int | float)
            ]  # fmt: skip
            strange = [n for n in numbers if not any(math.isclose(n, k) for k in known)]
            if strange:
                yield finding(
                    "draws_use_numbers_of_the_words", e.owner, e.place,
                    f"{e.place} draws with {strange[0]:g}, which is no parameter and stands "
                    "nowhere in the description",
                    expected="a parameter, or a number of the description",
                    found=ast.unparse(call),
                )  # fmt: skip


def _draws(text: str) -> list[ast.Call]:
    try:
        tree = parse(text)
    except ExpressionError:
        return []
    return [
        node for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        and node.func.id in DISTRIBUTIONS
    ]  # fmt: skip


def numbers_are_used(facts: Facts) -> Iterator[Finding]:
    """What the description gives is used somewhere, or its number shows why it need not be.

    What something costs or earns has to be; of other numbers a reader is told.
    """
    spec = facts.spec
    if not spec.dynamics.ruled:
        return
    used: set[str] = set()
    for e in facts.expressions:
        used |= facts.roots(e.text)
    for v in spec.variables:
        for bound in (v.low, v.high):
            used |= facts.roots(bound) if isinstance(bound, str) else set()
    for body in spec.dynamics.bodies:
        used |= set(body.reads)
    explained = _structural_numbers(facts)
    for p in spec.parameters:
        if p.name in used or p.assumed or any(value in explained for value in flat(p.value)):
            continue
        costs = bool(_MONEY.search(_words(p.name, p.definition)))
        yield finding(
            "numbers_are_used", "sar" if costs else "environment", f"parameter {p.name}",
            f"{p.name} ({p.definition}) is given and nothing uses it",
            expected=f"a rule or reward term that uses {p.name}"
            + (f", for “{p.quote}”" if p.quote else ""),
            found="no expression names it", blocking=costs,
        )  # fmt: skip


def _structural_numbers(facts: Facts) -> set[float]:
    """Numbers that show in the shape of the specification: sizes, limits, options, literals."""
    spec = facts.spec
    found: set[float] = {float(spec.model.horizon), spec.model.discount}
    found |= {m.value for m in mentions_of(spec.model.step_length)}
    for v in spec.variables:
        found |= {float(size) for size in v.shape} | {float(len(v.labels))}
        low, high = facts.ranges[v.name]
        found |= {bound for bound in (low, high) if bound is not None}
        if low is not None and high is not None:
            found |= {high - low, high - low + 1}
    for e in facts.expressions:
        try:
            tree = parse(e.text)
        except ExpressionError:
            continue
        found |= {
            float(n.value) for n in ast.walk(tree)
            if isinstance(n, ast.Constant) and isinstance(n.value, int | float)
            and not isinstance(n.value, bool) and n.value not in (0, 1)
        }  # fmt: skip
    return found


def _words(*texts: str) -> str:
    return " ".join(texts).replace("_", " ")
