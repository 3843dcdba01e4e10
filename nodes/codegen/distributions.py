"""Random draws of the expression language, as calls of numpy's generator."""

import ast
from typing import TYPE_CHECKING

from nodes.codegen import units
from nodes.codegen.typed import Typed, call, dotted, say_shape
from state.expressions import ExpressionError

if TYPE_CHECKING:
    from nodes.codegen.expression_compiler import ExpressionCompiler


_METHODS = {"uniform_integer": "integers", "bernoulli": "binomial"}
_WHOLE = {"uniform_integer", "poisson", "binomial", "bernoulli"}


def compile_distribution(
    compiler: "ExpressionCompiler", name: str, arguments: list[ast.expr]
) -> Typed:
    """Compile a draw; one number for each element of the quantity that takes it.

    Raises:
        ExpressionError: parameters of a shape that the draw cannot have.
    """
    parts = compiler.visit_all(arguments)
    if name in ("normal", "uniform", "uniform_integer"):
        parts = compiler.unify(parts, f"{name}()")
    elif name not in ("exponential", "choice"):
        parts = [compiler.plain(part) for part in parts]
    if name in ("categorical", "choice"):
        return _table_draw(compiler, name, parts)
    if name == "markov_chain":
        return _markov_draw(compiler, parts)
    for part in parts:
        if part.shape not in ((), compiler.size):
            raise ExpressionError(
                f"{name}() has parameters for {say_shape(part.shape)}, but the quantity that "
                f"takes the draw is {say_shape(compiler.size)}"
            )
    leader = next((part for part in parts if not part.bare), parts[0])
    nodes = [part.node for part in parts]
    for index in {"uniform_integer": (0, 1), "binomial": (0,)}.get(name, ()):
        nodes[index] = _whole(parts[index])
    if name == "bernoulli":
        nodes = [ast.Constant(1), *nodes]
    keywords = [ast.keyword("endpoint", ast.Constant(True))] if name == "uniform_integer" else []
    return Typed(
        _draw(compiler, _METHODS.get(name, name), nodes, keywords),
        compiler.size,
        leader.unit,
        "integer" if name in _WHOLE else "real",
        bare=all(part.bare for part in parts),
        atomic=leader.atomic,
        relative=leader.relative,
    )


def _whole(part: Typed) -> ast.expr:
    """``part`` as whole numbers, which numpy's generator insists on."""
    if isinstance(part.node, ast.Constant) and isinstance(part.node.value, int):
        return part.node
    if part.shape == ():
        return call("int", part.node)
    return call("np.asarray", part.node, ast.Name("int", ast.Load()))


def _draw(
    compiler: "ExpressionCompiler",
    method: str,
    arguments: list[ast.expr],
    keywords: list[ast.keyword],
) -> ast.expr:
    """A call of the generator's ``method``, for as many numbers as the target holds."""
    size = compiler.size
    if size:
        how_many = ast.parse(repr(size if len(size) > 1 else size[0]), mode="eval").body
        keywords = [*keywords, ast.keyword("size", how_many)]
    return ast.Call(dotted(f"{compiler.generator}.{method}"), arguments, keywords)


def _table_draw(compiler: "ExpressionCompiler", name: str, parts: list[Typed]) -> Typed:
    table = parts[0]
    if len(table.shape) != 1:
        raise ExpressionError(f"{name}() needs a line of numbers")
    index = name == "categorical"
    values = ast.Constant(table.shape[0]) if index else table.node
    weights = table if index else (compiler.plain(parts[1]) if len(parts) == 2 else None)
    if weights is not None and weights.shape != table.shape:
        raise ExpressionError(f"{name}() needs one probability for each value")
    keywords = [] if weights is None else [ast.keyword("p", weights.node)]
    return Typed(
        _draw(compiler, "choice", [values], keywords),
        compiler.size,
        units.registry().Unit("") if index else table.unit,
        "integer" if index else table.dtype,
        bare=table.bare,
    )


def _markov_draw(compiler: "ExpressionCompiler", parts: list[Typed]) -> Typed:
    current, matrix = parts
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ExpressionError("markov_chain(current, matrix) needs a square matrix")
    if current.shape != () or compiler.size != ():
        raise ExpressionError("markov_chain() moves one index; use one variable for each chain")
    row = ast.Subscript(matrix.node, call("int", current.node), ast.Load())
    states: ast.expr = ast.Constant(matrix.shape[0])
    draw = _draw(compiler, "choice", [states], [ast.keyword("p", row)])
    return Typed(draw, (), units.registry().Unit(""), "integer")
