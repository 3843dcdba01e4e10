"""Reading what the compiler wrote without running it: one walk over the tree, with spans.

With a generator every draw is drawn and every value is known, so that a specification can be
played; without one a draw stands for all that it may give.
"""

import ast
import math
from collections.abc import Callable, Mapping
from functools import cache, reduce
from typing import Any

import numpy as np

from nodes.spec_checks import spans
from nodes.spec_checks.spans import Span

GENERATOR = "np_random"
ENDS = ("low", "high")


class NotReadableError(Exception):
    """The source holds something that cannot be worked out here, such as a code body."""


_OPERATORS: dict[type[ast.operator], Callable[[Span, Span], Span]] = {
    ast.Add: spans.add, ast.Sub: spans.subtract, ast.Mult: spans.multiply, ast.Div: spans.divide,
    ast.FloorDiv: spans.floor_divide, ast.Mod: spans.remainder, ast.Pow: spans.power,
}  # fmt: skip
_OF_ONE: dict[str, Callable[[Span], Span]] = {
    "abs": spans.absolute, "float": lambda x: x, "bool": spans.truth,
    "int": spans.growing(np.trunc), "round": spans.growing(np.rint),
    "np.floor": spans.growing(np.floor), "np.ceil": spans.growing(np.ceil),
    "np.round": spans.growing(np.rint), "np.rint": spans.growing(np.rint),
    "np.exp": spans.growing(np.exp), "np.log": spans.growing(np.log),
    "np.log2": spans.growing(np.log2), "np.log10": spans.growing(np.log10),
    "np.sqrt": spans.growing(np.sqrt), "np.sign": spans.growing(np.sign),
    "np.tanh": spans.growing(np.tanh), "np.arctan": spans.growing(np.arctan),
    "np.sin": spans.within(np.sin, -1, 1), "np.cos": spans.within(np.cos, -1, 1),
    "np.tan": spans.within(np.tan, -math.inf, math.inf), "np.logical_not": spans.logical_not,
    "np.atleast_1d": lambda x: x.reshaped(np.atleast_1d),
    "np.sum": lambda x: x.reshaped(np.sum), "np.mean": lambda x: x.reshaped(np.mean),
    "np.min": lambda x: x.reshaped(np.min), "np.max": lambda x: x.reshaped(np.max),
    "np.any": lambda x: x.reshaped(np.max), "np.all": lambda x: x.reshaped(np.min),
    "np.cumsum": lambda x: x.reshaped(np.cumsum), "np.sort": lambda x: x.reshaped(np.sort),
    "np.prod": lambda x: reduce(spans.multiply, [Span.between(a, b) for a, b in zip(
        x.low.ravel(), x.high.ravel(), strict=True)]),
    "np.arange": lambda x: Span.point(np.arange(x.most)),
    "np.copy": lambda x: x,
}  # fmt: skip
_OF_TWO: dict[str, Callable[[Span, Span], Span]] = {
    "np.minimum": lambda a, b: Span.between(np.minimum(a.low, b.low), np.minimum(a.high, b.high)),
    "np.maximum": lambda a, b: Span.between(np.maximum(a.low, b.low), np.maximum(a.high, b.high)),
    "np.logical_and": lambda a, b: spans.logical_and(spans.truth(a), spans.truth(b)),
    "np.logical_or": lambda a, b: spans.logical_or(spans.truth(a), spans.truth(b)),
    "np.append": lambda a, b: Span(np.append(a.low, b.low), np.append(a.high, b.high)),
    "np.dot": lambda a, b: spans.multiply(a, b).reshaped(np.sum),
    "np.hypot": lambda a, b: _hypotenuse(spans.absolute(a), spans.absolute(b)),
    "np.arctan2": lambda a, b: _angle(a, b),
}  # fmt: skip


@cache
def parsed(source: str) -> ast.expr:
    """The tree of what the compiler wrote."""
    return ast.parse(source, mode="eval").body


class Interpreter:
    """Values of compiled sources over named ``values``: attributes and ``previous_`` names.

    ``complaints`` collects draws whose arguments cannot be, each with the draw's name.
    """

    def __init__(
        self, values: Mapping[str, Span], random: np.random.Generator | None = None
    ) -> None:
        self.values = values
        self.random = random
        self.complaints: list[tuple[str, str]] = []

    def value(self, source: str | ast.expr) -> Span:
        """What ``source`` may be.

        Raises:
            NotReadableError: it holds something else than the compiler's own operations.
        """
        try:
            return self._visit(parsed(source) if isinstance(source, str) else source)
        except (ValueError, IndexError, TypeError) as error:
            raise NotReadableError(str(error)) from error

    def _visit(self, node: ast.expr) -> Span:
        match node:
            case ast.Constant(value=int() | float() | bool() as number):
                return Span.point(number)
            case ast.Attribute(value=ast.Name(id="self"), attr=name) | ast.Name(id=name):
                if name not in self.values:
                    raise NotReadableError(f"{name} has no value")
                return self.values[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return spans.negative(self._visit(operand))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return spans.logical_not(spans.truth(self._visit(operand)))
            case ast.UnaryOp(operand=operand):
                return self._visit(operand)
            case ast.BinOp(left=left, op=op, right=right):
                return _OPERATORS[type(op)](self._visit(left), self._visit(right))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return spans.compare(self._visit(left), type(op).__name__, self._visit(right))
            case ast.BoolOp(op=op, values=values):
                join = spans.logical_and if isinstance(op, ast.And) else spans.logical_or
                return reduce(join, [spans.truth(self._visit(v)) for v in values])
            case ast.IfExp(test=test, body=yes, orelse=no):
                return self._choice(test, yes, no)
            case ast.List(elts=items) | ast.Tuple(elts=items):
                parts = [self._visit(item) for item in items]
                return Span(np.array([p.low for p in parts]), np.array([p.high for p in parts]))
            case ast.Subscript(value=value, slice=index):
                return self._indexed(self._visit(value), index)
            case ast.Call():
                return self._call(node)
        raise NotReadableError(ast.unparse(node))

    def _choice(self, test: ast.expr, yes: ast.expr, no: ast.expr) -> Span:
        condition = spans.truth(self._visit(test))
        if condition.surely or condition.never:
            # As when the code runs, the other way is not looked at.
            return self._visit(yes if condition.surely else no)
        return spans.choose(condition, self._visit(yes), self._visit(no))

    def _call(self, node: ast.Call) -> Span:
        name = ast.unparse(node.func)
        if f"{GENERATOR}." in name:
            return self._draw(name.rpartition(".")[2], node)
        if name in ("np.array", "np.asarray"):
            return self._array(node)
        if name == "np.full":
            shape = ast.literal_eval(node.args[0])
            filling = self._visit(node.args[1])
            return filling.reshaped(lambda end: np.full(shape, end))
        if name == "np.concatenate" and isinstance(node.args[0], ast.List):
            parts = [self._visit(item) for item in node.args[0].elts]
            return Span(*(np.concatenate([getattr(p, end) for p in parts]) for end in ENDS))
        if name == "np.clip":
            return self._clip(*node.args)
        arguments = [self._visit(argument) for argument in node.args]
        if name in _OF_ONE and len(arguments) == 1:
            return _OF_ONE[name](arguments[0])
        if name in ("min", "max"):
            return reduce(_OF_TWO[f"np.{name}imum"], arguments)
        if name in _OF_TWO:
            return _OF_TWO[name](*arguments)
        if name == "np.where":
            return spans.choose(spans.truth(arguments[0]), *arguments[1:])
        if name in ("np.argmin", "np.argmax"):
            return _position(name, arguments[0])
        raise NotReadableError(f"{name}() is not known here")

    def _clip(self, value: ast.expr, low: ast.expr, high: ast.expr) -> Span:
        held = self._visit(value)
        for end, hold in ((low, "np.maximum"), (high, "np.minimum")):
            if not (isinstance(end, ast.Constant) and end.value is None):
                held = _OF_TWO[hold](held, self._visit(end))
        return held

    def _array(self, node: ast.Call) -> Span:
        value = self._visit(node.args[0])
        kind = ast.unparse(node.keywords[0].value) if node.keywords else ""
        kind = ast.unparse(node.args[1]) if len(node.args) > 1 else kind
        return _OF_ONE[kind](value) if kind in _OF_ONE else value

    def _indexed(self, value: Span, index: ast.expr) -> Span:
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        plain: list[Any] = []
        for axis, part in enumerate(parts):
            if isinstance(part, ast.Slice):
                ends = [None if end is None else int(self._visit(end).most)
                        for end in (part.lower, part.upper, part.step)]  # fmt: skip
                plain.append(slice(*ends))
                continue
            place = self._visit(part)
            if place.known:
                plain.append(place.low.astype(int))
                continue
            size = value.shape[axis]
            among = [k for k in range(size) if place.least <= k <= place.most] or list(range(size))
            if len(parts) > 1 or place.shape:
                # Somewhere in the array; where exactly is not worth the trouble.
                shape = np.empty(value.shape)[(*plain, 0)].shape
                return Span.between(np.full(shape, value.least), value.most)
            chosen = [Span(value.low[k], value.high[k]) for k in among]
            return reduce(Span.hull, chosen)
        return value.reshaped(lambda end: end[tuple(plain)])

    # -- draws -----------------------------------------------------------------------------------

    def _draw(self, method: str, node: ast.Call) -> Span:
        arguments = [self._visit(argument) for argument in node.args]
        keywords = {k.arg: k.value for k in node.keywords}
        size = ast.literal_eval(keywords["size"]) if "size" in keywords else None
        weights = self._visit(keywords["p"]) if "p" in keywords else None
        self._check(method, arguments, weights)
        if self.random is not None:
            options: dict[str, Any] = {} if weights is None else {"p": weights.low}
            if "endpoint" in keywords:
                options["endpoint"] = True
            ends = [a.low for a in arguments]
            if method == "binomial" or (method == "choice" and not arguments[0].shape):
                ends[0] = ends[0].astype(int)
            return Span.point(getattr(self.random, method)(*ends, size=size, **options))
        support = _support(method, arguments)
        shape = () if size is None else size
        return support.reshaped(lambda end: np.broadcast_to(end, shape))

    def _check(self, method: str, arguments: list[Span], weights: Span | None) -> None:
        def complain(test: bool, message: str) -> None:
            if test and (method, message) not in self.complaints:
                self.complaints.append((method, message))

        last = arguments[-1]
        if method == "binomial":
            complain(last.most < 0 or last.least > 1, f"a probability of {_shown(last)}")
            complain(last.known and (last.least < 0 or last.most > 1),
                     f"a probability of {_shown(last)}")  # fmt: skip
        if method in ("poisson", "exponential"):
            complain(last.most < 0, f"a mean of {_shown(last)}")
        if method in ("normal", "lognormal"):
            complain(last.most < 0, f"a standard deviation of {_shown(last)}")
        if method in ("uniform", "integers"):
            complain(
                bool(np.any(arguments[0].low > arguments[1].high)),
                f"a low end {_shown(arguments[0])} above the high end {_shown(arguments[1])}",
            )
        if weights is not None and weights.known:
            total = float(np.sum(weights.low))
            complain(weights.least < 0, f"a probability of {weights.least:g}")
            complain(not math.isclose(total, 1.0, abs_tol=1e-6),
                     f"probabilities that sum to {total:g}")  # fmt: skip


def _support(method: str, arguments: list[Span]) -> Span:
    first, last = arguments[0], arguments[-1]
    if method in ("normal", "lognormal"):
        low = 0.0 if method == "lognormal" else -math.inf
        fixed = last.most <= 0
        if fixed and method == "normal":
            return first
        return Span.between(np.full(first.shape, low), math.inf)
    if method in ("uniform", "integers"):
        return Span.between(first.low, last.high)
    if method in ("poisson", "exponential"):
        return Span.between(np.zeros(last.shape), np.where(last.high > 0, math.inf, 0.0))
    if method == "binomial":
        sure = (last.low >= 1) * first.low
        return Span.between(sure, np.where(last.high > 0, first.high, 0.0))
    if method == "choice":
        if first.shape:
            return Span.between(first.least, first.most)
        return Span.between(0.0, first.most - 1)
    raise NotReadableError(f"a draw {method}() is not known here")


def _position(name: str, one: Span) -> Span:
    if one.known:
        return Span.point(np.argmin(one.low) if name == "np.argmin" else np.argmax(one.low))
    return Span.between(0.0, float(one.low.size - 1))


def _hypotenuse(one: Span, other: Span) -> Span:
    return Span.between(np.hypot(one.low, other.low), np.hypot(one.high, other.high))


def _angle(one: Span, other: Span) -> Span:
    if one.known and other.known:
        return Span.point(np.arctan2(one.low, other.low))
    return Span.between(np.full(np.broadcast(one.low, other.low).shape, -math.pi), math.pi)


def _shown(one: Span) -> str:
    return f"{one.least:g}" if one.least == one.most else f"{one.least:g} to {one.most:g}"
