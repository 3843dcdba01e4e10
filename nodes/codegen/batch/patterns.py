"""Forms of compiled expressions that are treated in a way of their own."""

import ast

from nodes.codegen.typed import call

KINDS = ("int", "float", "bool")
GENERATOR = "self.np_random."


def kind_of(node: ast.expr) -> str | None:
    """Kind of number to which ``node`` converts its first argument; None if it does not."""
    match node:
        case ast.Call(func=ast.Name(id=kind), args=[_], keywords=[]) if kind in KINDS:
            return kind
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np"), attr="array"), args=[_],
                      keywords=[ast.keyword(arg="dtype", value=ast.Name(id=kind))]) if (
            kind in KINDS
        ):  # fmt: skip
            return kind
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np"), attr="asarray"),
                      args=[_, ast.Name(id=kind)], keywords=[]) if kind in KINDS:  # fmt: skip
            return kind
    return None


def converted(node: ast.expr, kind: str) -> ast.expr:
    """What the outermost conversion converts, where it is one to ``kind``."""
    match node:
        case ast.Call(args=[value, *_]) if kind_of(node) == kind:
            return value
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np"), attr="full"), args=[_, value],
                      keywords=[ast.keyword(arg="dtype", value=ast.Name(id=named))]) if (
            named == kind
        ):  # fmt: skip
            return value
    return node


def line_of(node: ast.expr) -> ast.expr:
    """The number or line of numbers that ``np.atleast_1d`` takes, itself."""
    named = isinstance(node, ast.Call) and ast.unparse(node.func) == "np.atleast_1d"
    return node.args[0] if named and isinstance(node, ast.Call) else node


def has_draws(node: ast.expr) -> bool:
    """True where something is drawn in ``node``."""
    return any(
        isinstance(n, ast.Attribute) and ast.unparse(n).startswith(GENERATOR)
        for n in ast.walk(node)
    )


def is_basic(node: ast.expr) -> bool:
    """True for an index that is the same in all episodes and takes no room of its own."""
    return isinstance(node, ast.Slice) or (
        isinstance(node, ast.Constant) and isinstance(node.value, int)
    )


def both(one: ast.expr | None, other: ast.expr) -> ast.expr:
    """``one`` and ``other``; ``other`` alone where there is no other condition."""
    return other if one is None else call("np.logical_and", one, other)
