"""Action space, observation size and ranges as the spec declares them."""

import math

from nodes.codegen.constants import constant_value
from nodes.codegen.symbols import SymbolTable
from sandbox.programs.requests import ActionSpace, DeclaredRange
from state.expressions import parse
from state.spec import Spec
from state.variables import Bound, Variable


def declared_action_space(spec: Spec) -> ActionSpace:
    """Action space over the decision variables, in the order of the action.

    One whole-numbered decision is a choice among its values, several are a vector of choices; if
    any is a real number, all together are a box.

    Raises:
        ValueError: a decision has no limits, or none that are numbers.
    """
    symbols = SymbolTable.of(spec.parameters, spec.variables)
    low: list[float] = []
    high: list[float] = []
    for variable in spec.decisions:
        lowest, highest = limits(variable, symbols)
        if lowest is None or highest is None:
            raise ValueError(f"the decision {variable.name} has no lower or upper limit")
        if not lowest <= highest:
            raise ValueError(f"the decision {variable.name} has the limits {lowest} to {highest}")
        size = math.prod(variable.shape)
        low += [lowest] * size
        high += [highest] * size
    if not low:
        raise ValueError("there is no decision variable")
    if any(variable.dtype == "real" for variable in spec.decisions):
        return ActionSpace("box", low=low, high=high)
    sizes = [math.floor(h) - math.ceil(lo) + 1 for lo, h in zip(low, high, strict=True)]
    single = len(sizes) == 1 and not spec.decisions[0].shape
    return ActionSpace("discrete" if single else "multi_discrete", sizes=sizes)


def declared_observation_size(spec: Spec) -> int | None:
    """Numbers in an observation; None if it holds something that is no variable by itself."""
    size = 0
    for name in spec.sar.observation:
        if name == "time_step":
            size += 1
            continue
        variable = spec.variable(name.removeprefix("previous_"))
        parameter = spec.parameter(name)
        if variable is None and parameter is None:
            return None
        shape = variable.shape if variable else list(parameter.shape) if parameter else []
        size += math.prod(shape)
    return size


def declared_ranges(spec: Spec) -> list[DeclaredRange]:
    """Limits of all variables that have any, each with the agent that gives it its values."""
    symbols = SymbolTable.of(spec.parameters, spec.variables)
    from_code = {name for body in spec.dynamics.bodies for name in body.writes}
    ranges = []
    for variable in spec.variables:
        low, high = limits(variable, symbols)
        if low is not None or high is not None:
            owner = "coding" if variable.name in from_code else "environment"
            ranges.append(DeclaredRange(variable.name, low, high, owner))
    return ranges


def limits(variable: Variable, symbols: SymbolTable) -> tuple[float | None, float | None]:
    """Lower and upper limit as numbers, None where there is none.

    Raises:
        ExpressionError: a limit is an expression over more than numbers and parameters.
    """
    return _number(variable.low, symbols), _number(variable.high, symbols)


def _number(bound: Bound, symbols: SymbolTable) -> float | None:
    if bound is None:
        return None
    value = float(bound) if not isinstance(bound, str) else constant_value(parse(bound), symbols)
    return value if math.isfinite(value) else None
