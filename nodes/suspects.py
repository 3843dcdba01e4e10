"""Which lines of a function can have to do with what was found wrong about its result."""

import ast
import re
from collections.abc import Iterator

MOST_LINES = 5
UNSAFE_CALLS = frozenset("log log2 log10 sqrt power divide arccos arcsin".split())
_NOT_A_NUMBER = re.compile(r"\bnan\b|\binfinit", re.I)


def suspect_lines(source: str, names: list[str], found: str) -> list[str]:
    """Lines that set one of ``names``; of a result that is no number, those that can make it so.

    Empty if ``source`` is no Python.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    unsafe = bool(_NOT_A_NUMBER.search(found))
    numbers = {
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and not hasattr(node, "body")
        if (_is_unsafe(node) if unsafe else set(names) & set(_set_by(node)))
    }
    lines = source.splitlines()
    return [lines[number - 1].strip() for number in sorted(numbers)][:MOST_LINES]


def _set_by(statement: ast.stmt) -> Iterator[str]:
    """Names that ``statement`` gives a value, wholly or in part."""
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = list(statement.targets)
    elif isinstance(statement, ast.AugAssign | ast.AnnAssign):
        targets = [statement.target]
    for target in targets:
        for node in ast.walk(target):
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                yield node.id
            elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
                yield node.value.id


def _is_unsafe(statement: ast.stmt) -> bool:
    """Whether it divides, or calls what is not defined for every number."""
    for node in ast.walk(statement):
        if isinstance(node, ast.BinOp | ast.AugAssign):
            if isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod | ast.Pow):
                return True
        elif isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            if called in UNSAFE_CALLS:
                return True
    return False
