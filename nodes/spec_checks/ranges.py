"""Ranges, first values, constraints and probabilities: whether all of them can hold at once."""

import ast
import math
from collections.abc import Iterator
from dataclasses import dataclass

from nodes.codegen.attributes import attribute_name
from nodes.spec_checks.facts import Facts, names
from nodes.spec_checks.interpreter import Interpreter, NotReadableError
from nodes.spec_checks.play import Play
from nodes.spec_checks.saying import finding
from nodes.spec_checks.spans import Span
from state.expressions import ExpressionError, parse
from state.findings import Finding

SLACK = 1e-9


def first_values_lie_in_their_ranges(facts: Facts) -> Iterator[Finding]:
    """Whatever an episode may begin with lies within the declared range."""
    for name, first in _first_values(facts).items():
        low, high = facts.ranges[name]
        below = low is not None and _bounded(first.least) and first.least < low - _slack(low)
        above = high is not None and _bounded(first.most) and first.most > high + _slack(high)
        if below or above:
            yield finding(
                "first_values_lie_in_their_ranges", "environment", f"initial value of {name}",
                f"an episode may begin with {name} outside its declared range",
                expected=f"from {_end(low)} to {_end(high)}",
                found=f"{first.least:g} to {first.most:g}",
            )  # fmt: skip


def _first_values(facts: Facts) -> dict[str, Span]:
    """What the variables may be before the first decision; none where a code body decides it."""
    program = facts.program
    if program is None:
        return {}
    play = Play(program)
    try:
        play.begin()
    except NotReadableError:
        return {}
    given = {target for statement in program.reset for target in statement.targets}
    return {name: play.values[attribute_name(name)] for name in given if name in facts.ranges}


def constraints_can_hold(facts: Facts) -> Iterator[Finding]:
    """No constraint is false for all declared values, or from the beginning."""
    declared = dict(facts.declared_values)
    first = {n: s for n, s in _first_values(facts).items() if not _is_drawn_later(facts, n)}
    for c in facts.spec.model.constraints:
        source = facts.source(c.expression) if c.expression.strip() else None
        if source is None:
            continue
        for values, what in ((declared, "whatever the declared values"), (
            {**declared, **first}, "with the values that an episode begins with"
        )):  # fmt: skip
            truth = _value(source, values)
            if truth is not None and truth.never:
                yield finding(
                    "constraints_can_hold", "modeling", f"constraint {c.name}",
                    f"constraint {c.name} is false {what}",
                    expected="a constraint that can hold", found=c.expression + _shown(
                        c.expression, values),
                )  # fmt: skip
                break


def _is_drawn_later(facts: Facts, name: str) -> bool:
    """Quantities of a step are not what they were before it."""
    rule = next((r for r in facts.spec.dynamics.rules if r.variable == name), None)
    return rule is None or rule.kind in ("computed", "revealed_after_decision")


@dataclass(frozen=True)
class _Bound:
    constraint: str
    quantity: str
    end: str
    value: float


def constraints_agree(facts: Facts) -> Iterator[Finding]:
    """No constraint cuts off what an episode begins with or what another lets be on both sides.

    ``|x| <= 2.4`` beside ``x >= 0`` leaves half of what the first one allows.
    """
    bounds = [b for c in facts.spec.model.constraints for b in _bounds(facts, c.name, c.expression)]
    first = _first_values(facts)
    for bound in bounds:
        wrong = (
            _against_another(bound, bounds)
            or _against_the_beginning(bound, first.get(bound.quantity))
            or _against_its_range(bound, facts.ranges[bound.quantity])
        )
        if wrong:
            sign = ">=" if bound.end == "low" else "<="
            demand = f"{bound.quantity} {sign} {bound.value:g}"
            yield finding(
                "constraints_agree", "modeling", f"constraint {bound.constraint}",
                f"constraint {bound.constraint} demands {demand}, but {wrong}",
                expected="limits of one quantity that fit together", found=f"{demand}; {wrong}",
            )  # fmt: skip


def _against_another(bound: _Bound, bounds: list[_Bound]) -> str:
    for other in bounds:
        same = (other.quantity, other.end) == (bound.quantity, bound.end)
        if same and _cuts(bound, other.value, other.value) and _is_mirrored(bounds, other):
            return f"constraint {other.constraint} lets it reach {other.value:g}"
    return ""


def _against_the_beginning(bound: _Bound, first: Span | None) -> str:
    if first is None or not _cuts(bound, first.least, first.most):
        return ""
    return f"an episode may begin with {first.least:g} to {first.most:g}"


def _against_its_range(bound: _Bound, declared: tuple[float | None, float | None]) -> str:
    low, high = declared
    if low is None or high is None or low != -high or bound.value != 0:
        return ""
    return f"its declared range is {low:g} to {high:g}" if _cuts(bound, low, high) else ""


def _cuts(bound: _Bound, low: float, high: float) -> bool:
    if bound.end == "low":
        return math.isfinite(low) and bound.value > low + _slack(low)
    return math.isfinite(high) and bound.value < high - _slack(high)


def _is_mirrored(bounds: list[_Bound], bound: _Bound) -> bool:
    """Whether the same constraint holds the quantity to both sides alike."""
    return any(
        b.constraint == bound.constraint and b.quantity == bound.quantity
        and b.end != bound.end and b.value == -bound.value
        for b in bounds
    )  # fmt: skip


def _bounds(facts: Facts, name: str, text: str) -> Iterator[_Bound]:
    """The ends that a constraint gives to single variables, where they are constant."""
    if not text.strip():
        return
    try:
        tree = parse(text)
    except ExpressionError:
        return
    for left, operator, right in _comparisons(tree):
        for one, sign, other in ((left, operator, right), (right, _turned(operator), left)):
            mirrored = (
                isinstance(one, ast.Call) and isinstance(one.func, ast.Name)
                and one.func.id == "abs"
            )  # fmt: skip
            inner = one.args[0] if mirrored and isinstance(one, ast.Call) else one
            if not isinstance(inner, ast.Name) or facts.spec.variable(inner.id) is None:
                continue
            value = _constant(facts, inner.id, other)
            if value is None:
                continue
            end = "high" if sign in ("Lt", "LtE") else "low"
            yield _Bound(name, inner.id, end, value)
            if mirrored and end == "high":
                yield _Bound(name, inner.id, "low", -value)


def _comparisons(node: ast.expr) -> Iterator[tuple[ast.expr, str, ast.expr]]:
    """Comparisons that all have to hold."""
    match node:
        case ast.BoolOp(op=ast.And(), values=values):
            for value in values:
                yield from _comparisons(value)
        case ast.Call(func=ast.Name(id="all"), args=[inner]):
            yield from _comparisons(inner)
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            sides = [left, *comparators]
            for one, op, other in zip(sides, ops, comparators, strict=False):
                if isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE):
                    yield one, type(op).__name__, other


def _turned(operator: str) -> str:
    return {"Lt": "Gt", "LtE": "GtE", "Gt": "Lt", "GtE": "LtE"}[operator]


def _constant(facts: Facts, variable: str, node: ast.expr) -> float | None:
    """Value of ``node`` in the unit of ``variable``, if it is made of constants only."""
    text = ast.unparse(node)
    if any(facts.spec.parameter(name) is None for name in names(text)):
        return None
    # As the compiler compares the two, so that a limit in other units is converted.
    source = facts.source(f"{variable} >= ({text})")
    tree = ast.parse(source, mode="eval").body if source else None
    if not isinstance(tree, ast.Compare):
        return None
    value = _value(ast.unparse(tree.comparators[0]), facts.parameter_values)
    left = ast.unparse(tree.left)
    return value.least if value is not None and value.known and left == variable else None


def draws_can_be(facts: Facts) -> Iterator[Finding]:
    """Probabilities lie between 0 and 1 and sum to 1, deviations are not negative."""
    program = facts.program
    if program is None:
        return
    decisions = {d.variable.name: facts.declared_values[d.variable.name] for d in program.decisions}
    complaints: dict[tuple[str, str, str], None] = {}
    for anywhere in (False, True):
        play = Play(program)
        try:
            play.begin()
            if anywhere:
                play.put(facts.declared_values)
            play.step(decisions)
        except NotReadableError:
            pass
        complaints |= dict.fromkeys(play.complaints)
    for place, draw, wrong in complaints:
        yield finding(
            "draws_can_be", "environment", place, f"{place}: {draw}() is given {wrong}",
            expected="probabilities from 0 to 1 that sum to 1, deviations and means that can be",
            found=wrong,
        )  # fmt: skip


def _value(source: str, values: dict[str, Span]) -> Span | None:
    try:
        return Interpreter(values).value(source)
    except NotReadableError:
        return None


def _shown(text: str, values: dict[str, Span]) -> str:
    parts = [
        f"{name} {values[name].least:g} to {values[name].most:g}"
        for name in sorted(names(text))
        if name in values
    ]
    return f" with {', '.join(parts)}" if parts else ""


def _slack(end: float) -> float:
    return SLACK * max(1.0, abs(end))


def _bounded(end: float) -> bool:
    return math.isfinite(end)


def _end(end: float | None) -> str:
    return "any" if end is None else f"{end:g}"
