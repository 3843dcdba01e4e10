"""The expression language of the specification: a restricted subset of Python.

Text is parsed to a syntax tree and checked node by node; it is never handed to ``eval``.
"""

import ast
import re
from collections.abc import Iterator
from typing import Any

MAX_LENGTH = 2_000
MAX_NODES = 500
LARGEST = 1e15

FUNCTIONS: dict[str, tuple[int, int]] = {
    # name: (fewest arguments, most arguments)
    **dict.fromkeys(
        [
            "abs",
            "exp",
            "log",
            "log2",
            "log10",
            "sqrt",
            "floor",
            "ceil",
            "round",
            "sign",
            "sin",
            "cos",
            "tan",
            "tanh",
            "arctan",
            "sum",
            "mean",
            "prod",
            "any",
            "all",
            "argmin",
            "argmax",
            "cumsum",
            "sort",
            "size",
            "indices",
        ],
        (1, 1),
    ),
    **dict.fromkeys("arctan2 hypot shift one_hot value_in dot".split(), (2, 2)),
    **dict.fromkeys("where clip".split(), (3, 3)),
    **dict.fromkeys("min max".split(), (1, 12)),
    "concat": (2, 12),
}
"""Deterministic functions."""

DISTRIBUTIONS: dict[str, tuple[int, int]] = {
    "normal": (2, 2),
    "lognormal": (2, 2),
    "uniform": (2, 2),
    "uniform_integer": (2, 2),
    "exponential": (1, 1),
    "poisson": (1, 1),
    "binomial": (2, 2),
    "bernoulli": (1, 1),
    "categorical": (1, 1),
    "choice": (1, 2),
    "markov_chain": (2, 2),
}
"""Random draws: normal(mean, standard deviation), lognormal(mean of log, deviation of log),
uniform(low, high), uniform_integer(low, high) with both ends, exponential(mean), poisson(mean),
binomial(trials, probability), bernoulli(probability), categorical(probabilities) -> index,
choice(values[, probabilities]), markov_chain(current index, transition matrix)."""

ALIASES = {
    "ln": "log", "minimum": "min", "maximum": "max", "len": "size", "gaussian": "normal",
    "randint": "uniform_integer", "uniform_int": "uniform_integer", "integer_uniform":
    "uniform_integer", "discrete_uniform": "uniform_integer", "atan": "arctan",
    "atan2": "arctan2", "concatenate": "concat", "absolute": "abs", "rint": "round",
    "int": "floor", "logical_and": "all_of", "logical_or": "any_of", "log_normal": "lognormal",
}  # fmt: skip

CONSTANTS = {"pi": 3.141592653589793, "true": True, "false": False}

_ALLOWED = (
    ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div,
    ast.FloorDiv, ast.Mod, ast.Pow, ast.BitAnd, ast.BitOr, ast.UnaryOp, ast.Not, ast.USub,
    ast.UAdd, ast.Invert, ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE,
    ast.IfExp, ast.Call, ast.Name, ast.Load, ast.Constant, ast.Subscript, ast.Slice, ast.List,
    ast.Tuple,
)  # fmt: skip

_SPELLINGS = (
    ("−", "-"), ("–", "-"), ("×", "*"), ("·", "*"), ("⋅", "*"), ("÷", "/"), ("≤", "<="),
    ("≥", ">="), ("≠", "!="), ("π", "pi"), ("^", "**"), ("&&", " and "), ("||", " or "),
    ("\u2019", "'"), ("\u2018", "'"), ("\u201c", '"'), ("\u201d", '"'),
)  # fmt: skip


class ExpressionError(ValueError):
    """The text is no expression of the language; the message says what is wrong."""


def parse(text: str) -> ast.expr:
    """Parse ``text`` into a checked syntax tree.

    Spellings that people and models use for the same thing (``^``, ``&&``, ``np.exp``, ``ln``)
    are accepted.

    Raises:
        ExpressionError: empty, too long, not an expression, or a construct that is not allowed.
    """
    cleaned = text.strip()
    if not cleaned:
        raise ExpressionError("the expression is empty")
    if len(cleaned) > MAX_LENGTH:
        raise ExpressionError(f"the expression is longer than {MAX_LENGTH} characters")
    for spelling, replacement in _SPELLINGS:
        cleaned = cleaned.replace(spelling, replacement)
    cleaned = re.sub(r"\b(?:np|numpy|math|random|np\.random)\.", "", cleaned)
    cleaned = re.sub(r"(?<![<>=!])!(?!=)", " not ", cleaned)
    cleaned = " ".join(cleaned.split())
    try:
        tree = ast.parse(cleaned, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        where = getattr(error, "offset", None)
        hint = f" near character {where}" if where else ""
        shown = text.strip()[:120]
        raise ExpressionError(f"cannot be read as an expression{hint}: {shown!r}") from None
    _spell_out_memberships(tree)
    _check(tree)
    return tree.body


def _spell_out_memberships(tree: ast.Expression) -> None:
    """Write ``x in [a, b]`` as ``x == a or x == b`` in place, and ``not in`` likewise."""
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            if isinstance(value, list):
                value[:] = [_membership(child) for child in value]
            else:
                setattr(node, field, _membership(value))


def _membership(node: Any) -> Any:
    """What ``node`` is spelled out to; more than a name is left, a draw would be drawn twice."""
    if not (isinstance(node, ast.Compare) and isinstance(node.left, ast.Name | ast.Subscript)):
        return node
    operator, among = node.ops[0], node.comparators[0]
    listed = among.elts if isinstance(among, ast.List | ast.Tuple) else []
    if len(node.ops) > 1 or not listed or not isinstance(operator, ast.In | ast.NotIn):
        return node
    inside = isinstance(operator, ast.In)
    compare = ast.Eq() if inside else ast.NotEq()
    each: list[ast.expr] = [ast.Compare(node.left, [compare], [one]) for one in listed]
    return each[0] if len(each) == 1 else ast.BoolOp(ast.Or() if inside else ast.And(), each)


def _check(tree: ast.Expression) -> None:
    for count, node in enumerate(ast.walk(tree)):
        if count > MAX_NODES:
            raise ExpressionError("the expression is too large; split it into named quantities")
        if not isinstance(node, _ALLOWED):
            raise ExpressionError(f"{type(node).__name__} is not part of the expression language")
        if isinstance(node, ast.Constant) and not isinstance(node.value, int | float | str | bool):
            raise ExpressionError(f"the constant {str(node.value)[:40]} is not a number")
        number = node.value if isinstance(node, ast.Constant) else 0
        if isinstance(number, int | float) and not abs(number) < LARGEST:
            raise ExpressionError("a number of the expression is too large")
        if isinstance(node, ast.Call):
            _check_call(node)


def _check_call(node: ast.Call) -> None:
    if not isinstance(node.func, ast.Name):
        raise ExpressionError("only named functions can be called")
    name = ALIASES.get(node.func.id, node.func.id)
    if name in ("I", "indicator"):
        name, node.args = "where", [*node.args, ast.Constant(1), ast.Constant(0)]
    if name in ("all_of", "any_of"):
        raise ExpressionError("write 'a and b' or 'a or b'")
    if node.keywords:
        raise ExpressionError(f"{name}(): give the arguments by place, not by name")
    limits = FUNCTIONS.get(name) or DISTRIBUTIONS.get(name)
    if limits is None:
        raise ExpressionError(f"there is no function {name}(); known are: {known_functions()}")
    if not limits[0] <= len(node.args) <= limits[1]:
        wanted = f"{limits[0]}" if limits[0] == limits[1] else f"{limits[0]} to {limits[1]}"
        raise ExpressionError(f"{name}() takes {wanted} arguments, {len(node.args)} given")
    node.func = ast.Name(id=name, ctx=ast.Load())


def known_functions() -> str:
    """All function and distribution names, for messages."""
    return ", ".join([*FUNCTIONS, *DISTRIBUTIONS])


def names_in(tree: ast.expr) -> list[str]:
    """Quantity names that ``tree`` mentions, in order of first mention."""
    found: dict[str, None] = {}
    for name in _names(tree):
        found.setdefault(name)
    return list(found)


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        if node.id.lower() not in CONSTANTS:
            yield node.id
        return
    for field, child in ast.iter_fields(node):
        if isinstance(node, ast.Call) and field == "func":
            continue
        for item in child if isinstance(child, list) else [child]:
            if isinstance(item, ast.AST):
                yield from _names(item)


def is_random(tree: ast.expr) -> bool:
    """True if ``tree`` draws from a distribution."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in DISTRIBUTIONS
        for node in ast.walk(tree)
    )
