"""Which statements of a function can have to do with what was found wrong about its result."""

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from nodes.line_change import Place, places_in
from state.variables import Variable

UNSAFE_CALLS = frozenset("log log2 log10 sqrt power divide arccos arcsin".split())
_NOT_A_NUMBER = re.compile(r"\bnan\b|\binfinit", re.I)


def suspected_first(source: str, names: list[str], found: str) -> list[Place]:
    """All places of ``source``: at the front those that set one of ``names``.

    Of a result that is no number, those at the front that can make it so; then what is returned.
    """
    unsafe = bool(_NOT_A_NUMBER.search(found))

    def rank(node: ast.stmt) -> int:
        if _is_unsafe(node) if unsafe else set(names) & set(_set_by(node)):
            return 0
        return 1 if isinstance(node, ast.Return) else 2

    places = places_in(source)
    return sorted(places, key=lambda place: rank(places[place]))


def at_hand(source: str) -> list[str]:
    """Names that the function ``source`` itself gives values."""
    return list(
        dict.fromkeys(name for node in places_in(source).values() for name in _set_by(node))
    )


def indices(source: str, quantities: Mapping[str, Any]) -> list[str]:
    """Names that may say which one of several is meant.

    They stand for single whole numbers that change from step to step, or are counted in ``source``.
    """
    whole = [
        name
        for name, quantity in quantities.items()
        if isinstance(quantity, Variable) and quantity.dtype == "integer" and not quantity.shape
    ]
    loops = [node.target for node in places_in(source).values() if isinstance(node, ast.For)]
    counted = [target.id for target in loops if isinstance(target, ast.Name)]
    return [*whole, *counted]


def _set_by(statement: ast.stmt) -> Iterator[str]:
    """Names that ``statement`` gives a value, wholly or in part."""
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = list(statement.targets)
    elif isinstance(statement, ast.AugAssign | ast.AnnAssign | ast.For):
        targets = [statement.target]
    for target in targets:
        for node in ast.walk(target):
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                yield node.id
            elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
                yield node.value.id


def _is_unsafe(statement: ast.stmt) -> bool:
    """Whether it divides, or calls what is not defined for every number."""
    if hasattr(statement, "body"):
        return False
    for node in ast.walk(statement):
        if isinstance(node, ast.BinOp | ast.AugAssign):
            if isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod | ast.Pow):
                return True
        elif isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            if called in UNSAFE_CALLS:
                return True
    return False
