"""Numbers that are known before anything runs: bounds, sizes, ends of slices."""

import ast
import operator
from collections.abc import Callable

from nodes.codegen.symbols import SymbolTable
from nodes.codegen.units import PhysicalUnit, Unit, factor_between
from state.expressions import CONSTANTS, ExpressionError

_OPERATIONS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: a / b if b else float("nan"),
}
_OF_VECTOR: dict[str, Callable[[list[float]], float]] = {
    "min": min,
    "max": max,
    "sum": sum,
    "size": len,
}


def constant_value(node: ast.expr, symbols: SymbolTable, unit: PhysicalUnit | None = None) -> float:
    """Value of an expression over literals and parameters, worked out without running it.

    With ``unit`` parameters of that dimension are taken in it.

    Raises:
        ExpressionError: it holds anything else.
    """
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name) if name.lower() in CONSTANTS:
            return float(CONSTANTS[name.lower()])
        case ast.Name(id=name) if name in symbols and isinstance(
            value := symbols[name].value, float
        ):
            return value * _factor(symbols[name].unit, unit)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -constant_value(operand, symbols, unit)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            return _OPERATIONS[type(op)](
                constant_value(left, symbols, unit), constant_value(right, symbols, unit)
            )
        case ast.Call(func=ast.Name(id=function), args=[ast.Name(id=name)]) if (
            function in _OF_VECTOR and name in symbols and symbols[name].shape
        ):
            vector = symbols[name].value
            if isinstance(vector, list):
                factor = 1.0 if function == "size" else _factor(symbols[name].unit, unit)
                return factor * _OF_VECTOR[function]([v for v in vector if isinstance(v, float)])
        case ast.Call(func=ast.Name(id=("min" | "max") as function), args=arguments):
            return _OF_VECTOR[function]([constant_value(a, symbols, unit) for a in arguments])
    raise ExpressionError(f"{ast.unparse(node)!r} is not made of numbers and parameters only")


def _factor(declared: Unit, wanted: PhysicalUnit | None) -> float:
    if wanted is None or declared.kind != "linear":
        return 1.0
    return factor_between(declared.linear, wanted) or 1.0
