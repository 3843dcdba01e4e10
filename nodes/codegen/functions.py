"""The function table of the expression language, as numpy source."""

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from nodes.codegen import units
from nodes.codegen.symbols import Shape
from nodes.codegen.typed import Typed, broadcast, call, common_dtype, times
from nodes.codegen.units import PhysicalUnit
from state.expressions import ExpressionError

if TYPE_CHECKING:
    from nodes.codegen.expression_compiler import ExpressionCompiler

PLAIN = {  # of pure numbers, element by element
    "exp": "np.exp", "log": "np.log", "log2": "np.log2", "log10": "np.log10", "sin": "np.sin",
    "cos": "np.cos", "tan": "np.tan", "tanh": "np.tanh", "arctan": "np.arctan",
    "arctan2": "np.arctan2",
}  # fmt: skip
TRIGONOMETRIC = {"sin", "cos", "tan"}
UNIT_KEEPING = {"abs": "abs", "floor": "np.floor", "ceil": "np.ceil", "round": "np.round"}
REDUCTIONS = {"sum": "np.sum", "mean": "np.mean", "min": "np.min", "max": "np.max"}
POSITIONS = {"argmin": "np.argmin", "argmax": "np.argmax"}


def compile_function(compiler: "ExpressionCompiler", name: str, args: list[ast.expr]) -> Typed:
    """Compile a call of a deterministic function.

    Raises:
        ExpressionError: arguments of a kind or shape that the function does not take.
    """
    if name == "value_in":
        return _value_in(compiler, args)
    if name == "where":
        return compiler.choose([compiler.condition(args[0]), *compiler.visit_all(args[1:])])
    if name == "one_hot":
        return _one_hot(compiler, args)
    if name in ("any", "all"):
        return _truth_reduction(compiler, name, args)
    parts = compiler.visit_all(args)
    if name in ("min", "max") and len(parts) > 1:
        return _extreme(compiler, name, parts)
    if name in REDUCTIONS or name in POSITIONS or name == "prod":
        return _reduction(compiler, name, parts[0])
    if name in PLAIN:
        return _plain(compiler, name, parts)
    if name in UNIT_KEEPING:
        part = parts[0]
        if name != "abs" and part.unit.dimensionless and not part.atomic:
            parts = [compiler.plain(part)]
        dtype = part.dtype if name == "abs" else "integer"
        return replace(parts[0], node=call(UNIT_KEEPING[name], parts[0].node), dtype=dtype)
    special: dict[str, Callable[[ExpressionCompiler, list[Typed]], Typed]] = {
        "sign": _sign, "sqrt": _sqrt, "clip": _clip, "hypot": _hypot, "shift": _shift,
        "concat": _concat, "indices": _indices, "size": _size,
        "cumsum": _along, "sort": _along, "dot": _dot,
    }  # fmt: skip
    if name in ("cumsum", "sort"):
        return replace(_along(compiler, parts), node=call(f"np.{name}", parts[0].node))
    return special[name](compiler, parts)


def _plain(compiler: "ExpressionCompiler", name: str, parts: list[Typed]) -> Typed:
    if name in TRIGONOMETRIC:
        parts = [_in_radians(part) for part in parts]
    elif compiler.in_decibels and name.startswith("log"):
        parts = [_in_reference_unit(part) for part in parts]
    else:
        parts = [compiler.plain(part) for part in parts]
    shape = _joint_shape(parts)
    node = call(PLAIN[name], *(part.node for part in parts))
    return replace(parts[0], node=node, shape=shape, unit=_none(), dtype="real", atomic=False)


def _in_radians(part: Typed) -> Typed:
    factor = units.factor_between(part.unit, units.registry().Unit("plane_radian"))
    node = part.node if factor in (None, 1.0) or part.bare else times(factor or 1.0, part.node)
    return replace(part, node=node, unit=_none())


def _in_reference_unit(part: Typed) -> Typed:
    """Formulas in decibels take the logarithm of SI values, and of powers in milliwatts."""
    if part.bare or part.relative:
        return part
    power = units.registry().Unit("milliwatt")
    is_power = part.unit.dimensionality == power.dimensionality
    factor = units.factor_between(part.unit, power if is_power else units.base_unit(part.unit))
    node = part.node if factor in (None, 1.0) else times(factor or 1.0, part.node)
    return replace(part, node=node, unit=_none(), atomic=False)


def _value_in(compiler: "ExpressionCompiler", args: list[ast.expr]) -> Typed:
    if not (isinstance(args[1], ast.Constant) and isinstance(args[1].value, str)):
        raise ExpressionError("value_in(x, 'unit') needs the unit as a quoted word")
    unit = units.parse_unit(args[1].value)
    if unit.kind == "decibel":
        return compiler.in_mode("decibel", args[0])
    value = compiler.visit_all(args[:1])[0]
    factor = units.factor_between(value.unit, unit.linear)
    if factor is None:
        raise ExpressionError(f"value_in: {value.unit} cannot be given in {unit.text}")
    node = value.node if factor == 1.0 else times(factor, value.node)
    return replace(value, node=node, unit=_none(), atomic=False)


def _truth_reduction(compiler: "ExpressionCompiler", name: str, args: list[ast.expr]) -> Typed:
    part = compiler.condition(args[0])
    return replace(part, node=call(f"np.{name}", part.node), shape=())


def _extreme(compiler: "ExpressionCompiler", name: str, parts: list[Typed]) -> Typed:
    parts = compiler.unify(parts, f"{name}()")
    shape = _joint_shape(parts)
    if shape == ():
        node = call(name, *(part.node for part in parts))
    else:
        function = "np.minimum" if name == "min" else "np.maximum"
        node = parts[0].node
        for part in parts[1:]:
            node = call(function, node, part.node)
    leader = next((part for part in parts if not part.bare), parts[0])
    dtype = "real" if any(part.dtype == "real" for part in parts) else "integer"
    return replace(leader, node=node, shape=shape, dtype=dtype, bare=all(p.bare for p in parts))


def _reduction(compiler: "ExpressionCompiler", name: str, part: Typed) -> Typed:
    if name in POSITIONS:
        if part.shape == ():
            raise ExpressionError(f"{name}() needs several numbers, one was given")
        node = call("int", call(POSITIONS[name], part.node))
        return replace(part, node=node, shape=(), unit=_none(), dtype="integer", atomic=False)
    if name == "prod":
        part = compiler.plain(part)
    if part.shape == ():
        return part
    dtype = "real" if name == "mean" else part.dtype
    return replace(part, node=call(f"np.{name}", part.node), shape=(), dtype=dtype)


def _sign(compiler: "ExpressionCompiler", parts: list[Typed]) -> Typed:
    node = call("np.sign", parts[0].node)
    return replace(parts[0], node=node, unit=_none(), atomic=False)


def _sqrt(compiler: "ExpressionCompiler", parts: list[Typed]) -> Typed:
    node = call("np.sqrt", parts[0].node)
    return replace(parts[0], node=node, unit=parts[0].unit ** 0.5, dtype="real", atomic=False)


def _clip(compiler: "ExpressionCompiler", parts: list[Typed]) -> Typed:
    value, low, high = compiler.unify(parts, "clip()")
    shape = _joint_shape([value, low, high])
    if shape == ():
        node = call("min", call("max", value.node, low.node), high.node)
    else:
        node = call("np.clip", value.node, low.node, high.node)
    dtype = "integer" if all(p.dtype == "integer" for p in (value, low, high)) else "real"
    return replace(value, node=node, shape=shape, dtype=dtype)


def _hypot(compiler: "ExpressionCompiler", parts: list[Typed]) -> Typed:
    parts = compiler.unify(parts, "hypot()")
    node = call("np.hypot", parts[0].node, parts[1].node)
    return replace(parts[0], node=node, shape=_joint_shape(parts), dtype="real")


def _shift(compiler: "ExpressionCompiler", parts: list[Typed]) -> Typed:
    """``shift(v, x)``: the first item leaves, the others move up, x becomes the last."""
    line, new = compiler.unify(parts, "a list")
    if len(line.shape) != 1 or new.shape != ():
        raise ExpressionError("shift(line, new) takes a line of numbers and one number")
    rest = ast.Subscript(line.node, ast.Slice(ast.Constant(1), None, None), ast.Load())
    return replace(line, node=call("np.append", rest, new.node), dtype=common_dtype([line, new]))


def _concat(compiler: "ExpressionCompiler", parts: list[Typed]) -> Typed:
    parts = compiler.unify(parts, "a list")
    if any(len(part.shape) > 1 for part in parts):
        raise ExpressionError("concat() joins numbers and lines of numbers only")
    length = sum(part.shape[0] if part.shape else 1 for part in parts)
    items = [call("np.atleast_1d", part.node) for part in parts]
    node = call("np.concatenate", ast.List(items, ast.Load()))
    dtype = "real" if any(part.dtype == "real" for part in parts) else "integer"
    return replace(parts[0], node=node, shape=(length,), dtype=dtype)


def _one_hot(compiler: "ExpressionCompiler", args: list[ast.expr]) -> Typed:
    """``one_hot(i, n)``: n conditions, of which number i is true."""
    position = compiler.visit_all(args[:1])[0]
    length = compiler.whole_number(args[1])
    if position.shape != ():
        raise ExpressionError("one_hot(i, n) needs one index")
    node = ast.Compare(call("np.arange", ast.Constant(length)), [ast.Eq()], [position.node])
    return replace(
        position, node=node, shape=(length,), dtype="boolean", labels=(), atomic=False, bare=False
    )


def _indices(compiler: "ExpressionCompiler", parts: list[Typed]) -> Typed:
    if len(parts[0].shape) != 1:
        raise ExpressionError("indices(x) needs a line of numbers")
    node = call("np.arange", ast.Constant(parts[0].shape[0]))
    return replace(parts[0], node=node, unit=_none(), dtype="integer", atomic=False)


def _size(compiler: "ExpressionCompiler", parts: list[Typed]) -> Typed:
    count = parts[0].shape[0] if parts[0].shape else 1
    return replace(
        parts[0], node=ast.Constant(count), shape=(), unit=_none(), dtype="integer", bare=True,
        atomic=False, labels=(),
    )  # fmt: skip


def _along(compiler: "ExpressionCompiler", parts: list[Typed]) -> Typed:
    if len(parts[0].shape) != 1:
        raise ExpressionError("cumsum() and sort() need a line of numbers")
    return parts[0]


def _dot(compiler: "ExpressionCompiler", parts: list[Typed]) -> Typed:
    left, right = parts
    if left.shape != right.shape or len(left.shape) != 1:
        raise ExpressionError("dot(a, b) needs two lines of numbers of one length")
    node = call("np.dot", left.node, right.node)
    unit = left.unit * right.unit
    return replace(left, node=node, shape=(), unit=unit, dtype=common_dtype(parts), atomic=False)


def _joint_shape(parts: list[Typed]) -> Shape:
    return broadcast(*(part.shape for part in parts))


def _none() -> PhysicalUnit:
    return units.registry().Unit("")
