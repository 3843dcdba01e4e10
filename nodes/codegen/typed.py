"""A compiled piece of an expression, and the syntax it is built from."""

import ast
from dataclasses import dataclass

from nodes.codegen import units
from nodes.codegen.symbols import Shape
from nodes.codegen.units import PhysicalUnit
from state.expressions import ExpressionError


@dataclass(frozen=True)
class Typed:
    """A compiled sub-expression: Python syntax, shape, unit and kind of number.

    ``bare`` marks a value made of literals only, which takes the unit of its neighbour;
    ``atomic`` one that still has exactly its declared unit.
    """

    node: ast.expr
    shape: Shape
    unit: PhysicalUnit
    dtype: str = "real"
    bare: bool = False
    atomic: bool = False
    labels: tuple[str, ...] = ()
    relative: str = ""
    """'decibel' where this is the plain number of a quantity in decibels, or empty."""
    clock: bool = False
    """True for the number of the step itself, which is a time where times are asked for."""


def binary(left: ast.expr, op: ast.operator, right: ast.expr) -> ast.expr:
    """``left op right``."""
    return ast.BinOp(left, op, right)


def times(factor: float, node: ast.expr) -> ast.expr:
    """``factor * node``."""
    return ast.BinOp(ast.Constant(factor), ast.Mult(), node)


def dotted(name: str) -> ast.expr:
    """Syntax of a dotted name such as ``np.exp``."""
    return ast.parse(name, mode="eval").body


def call(name: str, *arguments: ast.expr) -> ast.expr:
    """``name(*arguments)``."""
    return ast.Call(dotted(name), list(arguments), [])


def boolean(node: ast.expr, shape: Shape) -> Typed:
    """A condition of the given shape."""
    return Typed(node, shape, units.registry().Unit(""), "boolean")


def indexed(node: ast.expr, index: ast.expr) -> ast.expr:
    """``node[index]``, moved inwards past a conversion so that only what is used is converted."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow | ast.Div):
        if isinstance(node.left, ast.Constant) and isinstance(node.right, ast.BinOp):
            return ast.BinOp(node.left, node.op, indexed(node.right, index))
        if isinstance(node.right, ast.Constant):
            return ast.BinOp(indexed(node.left, index), node.op, node.right)
    return ast.Subscript(node, index, ast.Load())


def common_dtype(parts: list[Typed]) -> str:
    """Kind of number that holds all of ``parts``."""
    kinds = {part.dtype for part in parts}
    if "real" in kinds:
        return "real"
    return "boolean" if kinds == {"boolean"} else "integer"


def broadcast(*shapes: Shape) -> Shape:
    """Shape in which all of ``shapes`` fit together.

    Raises:
        ExpressionError: they do not.
    """
    result: Shape = ()
    for shape in shapes:
        if shape == () or shape == result:
            continue
        if result != () and result != shape:
            # A vector beside a matrix fits along the last index, as in numpy.
            longer, shorter = sorted((result, shape), key=len, reverse=True)
            if len(longer) > len(shorter) and longer[-len(shorter) :] == shorter:
                result = longer
                continue
            raise ExpressionError(f"{say_shape(result)} and {say_shape(shape)} do not fit together")
        result = shape
    return result


def say_shape(shape: Shape) -> str:
    """A shape in words."""
    if shape == ():
        return "one number"
    return " x ".join(str(size) for size in shape) + " numbers"
