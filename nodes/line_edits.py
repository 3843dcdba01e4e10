"""Small changes of one line of code, of the kinds that most faults of a line need.

The kinds are those of program repair by templates (Liu et al., TBar: revisiting template-based
automated program repair, 2019): something that was left out comes in, another name stands in its
place, a value is bounded, something is left out, two things are exchanged, an operator is another.
None of them knows what the code is for.
"""

import ast
from collections.abc import Iterator, Sequence
from itertools import permutations

from state.python_source import tree_of

OPERATORS = ("*", "-", "+")
BOUNDS = ("minimum", "maximum")
OTHER_OPERATORS: dict[type[ast.AST], tuple[str, ...]] = {
    ast.Add: ("-",),
    ast.Sub: ("+",),
    ast.Mult: ("/",),
    ast.Div: ("*", "//"),
    ast.FloorDiv: ("/",),
    ast.Lt: ("<=", ">"),
    ast.LtE: ("<", ">="),
    ast.Gt: (">=", "<"),
    ast.GtE: (">", "<="),
    ast.Eq: ("!=",),
    ast.NotEq: ("==",),
}
_NO_VALUES = ("targets", "target", "body", "orelse", "func", "keywords", "annotation")
"""Fields of statements and expressions that hold no values, or those of other lines."""
CONFUSED = (
    ("sort", "argsort"), ("min", "argmin"), ("max", "argmax"), ("min", "max"), ("any", "all"),
    ("minimum", "maximum"), ("floor", "ceil"), ("zeros", "ones"), ("sum", "mean"),
)  # fmt: skip
"""Functions of numpy that are taken for each other."""
ELIF = "elif "
LONGEST = 200
"""Characters of a line; longer ones may be nested too deeply to be written down again."""
MOST_RETURNED = 4
"""Values of a tuple that are put into all their orders."""


def edits_of(line: str, names: Sequence[str], places: Sequence[str]) -> Iterator[str]:
    """All changed forms of ``line``, a simple statement or the head of one with a block.

    ``names`` are those of the values that are at hand there, ``places`` those of them that may say
    which one of several is meant. None where it is no such line, or a long one.
    """
    if line.startswith(ELIF):
        yield from (f"el{edit}" for edit in edits_of(line[2:], names, places))
        return
    known = {line}
    for start, end, text in _replacements(line, names, places):
        edit = line[:start] + text + line[end:]
        if edit not in known and _statement(edit) is not None:
            yield edit
        known.add(edit)


def for_each_number(line: str) -> list[str]:
    """``line`` with conditions and the smaller of two values worked out for each number of arrays.

    Empty where there is neither.
    """
    if line.startswith(ELIF):
        return [f"el{each}" for each in for_each_number(line[2:])]
    statement = _statement(line)
    if statement is None:
        return []
    return [
        line[: node.col_offset] + text + line[node.end_col_offset :]
        for node, _ in _values(statement)
        for text in _of_each(node)
    ]


def _statement(line: str) -> ast.stmt | None:
    """The statement that ``line`` is or begins; its places are those in ``line``."""
    if len(line) > LONGEST or not line.isascii():  # Python counts places in bytes
        return None
    tree = tree_of(f"{line} pass" if line.endswith(":") else line)
    return tree.body[0] if tree is not None and len(tree.body) == 1 else None


def _replacements(
    line: str, names: Sequence[str], places: Sequence[str]
) -> Iterator[tuple[int, int, str]]:
    """Where something begins and ends in ``line``, and what may stand there instead."""
    statement = _statement(line)
    if statement is None:
        return
    words = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
    lacking = [name for name in names if name not in words]
    indices = [name for name in places if name not in words]
    for node, parent in _values(statement):
        start, end = node.col_offset, node.end_col_offset or node.col_offset
        if isinstance(node, ast.Name):
            yield from ((start, end, name) for name in names if name != node.id)
        if isinstance(parent, ast.Subscript):
            continue
        inside = isinstance(parent, ast.BinOp | ast.UnaryOp | ast.Compare)
        for instead in _instead(node, line[start:end], lacking, indices):
            wrapped = inside and isinstance(_expression(instead), ast.BinOp | ast.IfExp)
            yield start, end, f"({instead})" if wrapped else instead
        if isinstance(node, ast.Tuple):
            yield from _tuples(line, node, indices)
        yield from _operators(line, node)


def _expression(text: str) -> ast.expr | None:
    tree = tree_of(text)
    statement = tree.body[0] if tree is not None and tree.body else None
    return statement.value if isinstance(statement, ast.Expr) else None


def _values(statement: ast.stmt) -> Iterator[tuple[ast.expr, ast.AST]]:
    """Expressions of one line that stand for values, each with what it stands in."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        parent = waiting.pop(0)
        for name, held in ast.iter_fields(parent):
            if name in _NO_VALUES and not isinstance(parent, ast.IfExp):
                continue
            for child in held if isinstance(held, list) else [held]:
                if isinstance(child, ast.expr):
                    waiting.append(child)
                    yield child, parent


def _instead(
    node: ast.expr, text: str, lacking: Sequence[str], indices: Sequence[str]
) -> Iterator[str]:
    """What may stand in the place of a value."""
    if isinstance(node, ast.Name | ast.Subscript | ast.Call | ast.BinOp):
        place = f"[{ast.unparse(node.slice)}]" if isinstance(node, ast.Subscript) else ""
        for other in lacking:
            yield from (f"{text} {operator} {other}{place}" for operator in OPERATORS)
            yield from (f"np.{bound}({text}, {other}{place})" for bound in BOUNDS)
            if place:
                yield from (f"np.{bound}({text}, {other})" for bound in BOUNDS)
    if isinstance(node, ast.Name | ast.List | ast.Call):
        yield from (f"{text}[{index}]" for index in indices)
    if isinstance(node, ast.Name):
        yield from (f"range({text})", f"len({text})", f"range(len({text}))")
    if isinstance(node, ast.BinOp):
        yield from (ast.unparse(node.left), ast.unparse(node.right))
        yield from (f"np.{bound}({text}, 0)" for bound in BOUNDS)
    yield from _of_each(node)
    if isinstance(node, ast.Call):
        yield from _calls(node)


def _of_each(node: ast.expr) -> Iterator[str]:
    """What does for arrays what ``node`` does for numbers, if it is of that kind."""
    if isinstance(node, ast.IfExp):
        parts = (node.test, node.body, node.orelse)
        yield f"np.where({', '.join(map(ast.unparse, parts))})"
    if isinstance(node, ast.Call) and len(node.args) == 2:
        function = ast.unparse(node.func)
        if function in ("min", "max"):
            yield f"np.{function}imum({', '.join(map(ast.unparse, node.args))})"


def _calls(call: ast.Call) -> Iterator[str]:
    """Of another function, with an argument less or two exchanged, or the argument alone."""
    function, arguments = ast.unparse(call.func), [ast.unparse(each) for each in call.args]
    named = [ast.unparse(each) for each in call.keywords]
    before, _, called = function.rpartition(".")
    for other in (b for pair in CONFUSED for a, b in (pair, pair[::-1]) if a == called):
        yield f"{before}{'.' if before else ''}{other}({', '.join([*arguments, *named])})"
    for left_out in range(len(arguments)):
        kept = [*arguments[:left_out], *arguments[left_out + 1 :], *named]
        if kept:
            yield f"{function}({', '.join(kept)})"
    if len(arguments) == 2:
        yield f"{function}({', '.join([*reversed(arguments), *named])})"
    if len(arguments) == 1 and not named:
        yield arguments[0]


def _tuples(line: str, node: ast.Tuple, indices: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Values in other orders, or all with the same index."""
    parts = [line[part.col_offset : part.end_col_offset] for part in node.elts]
    if not parts:
        return
    start, end = node.elts[0].col_offset, node.elts[-1].end_col_offset or 0
    if len(parts) <= MOST_RETURNED:
        yield from ((start, end, ", ".join(order)) for order in permutations(parts))
    for index in indices:
        yield start, end, ", ".join(f"{part}[{index}]" for part in parts)


def _operators(line: str, node: ast.AST) -> Iterator[tuple[int, int, str]]:
    pairs: list[tuple[ast.expr, ast.AST, ast.expr]] = []
    if isinstance(node, ast.BinOp):
        pairs = [(node.left, node.op, node.right)]
    elif isinstance(node, ast.Compare):
        before = [node.left, *node.comparators[:-1]]
        pairs = list(zip(before, node.ops, node.comparators, strict=True))
    for one, operator, other in pairs:
        start, end = one.end_col_offset or 0, other.col_offset
        between = line[start:end]
        for instead in OTHER_OPERATORS.get(type(operator), ()):
            yield start, end, between.replace(between.strip(" ()"), instead)
