"""Action and observation spaces from the declared variables."""

import math

from nodes.codegen.constants import constant_value
from nodes.codegen.problems import Problems
from nodes.codegen.program import Decision
from nodes.codegen.symbols import SymbolTable
from nodes.codegen.units import parse_unit
from sandbox.programs.requests import ActionSpace
from state.expressions import ExpressionError, parse
from state.spec import Spec
from state.variables import Bound, Variable

MOST_OPTIONS = 100_000


def bound_value(bound: Bound, symbols: SymbolTable, unit: str = "") -> float | None:
    """Number of a declared bound, None where there is none.

    Raises:
        ExpressionError: the bound is text that is not made of numbers and parameters.
    """
    if bound is None or isinstance(bound, int | float):
        return None if bound is None else float(bound)
    if bound.strip().lower() in ("", "none", "null", "inf", "-inf", "infinity", "unbounded"):
        return None
    return constant_value(parse(bound), symbols, parse_unit(unit).linear)


def ranges_of(
    variables: list[Variable], symbols: SymbolTable, problems: Problems
) -> dict[str, tuple[float | None, float | None]]:
    """Declared (low, high) of each variable."""
    ranges: dict[str, tuple[float | None, float | None]] = {}
    for variable in variables:
        place = f"variable {variable.name}"
        try:
            low, high = (
                bound_value(b, symbols, variable.unit) for b in (variable.low, variable.high)
            )
        except ExpressionError as error:
            problems.add("variable", place, f"the range of {variable.name}: {error}")
            low = high = None
        if low is not None and high is not None and low > high:
            problems.add("variable", place, f"low {low:g} is above high {high:g}")
        ranges[variable.name] = (low, high)
    return ranges


def count(variable: Variable) -> int:
    """How many numbers the variable holds."""
    return math.prod(variable.shape)


def action_space(
    spec: Spec, ranges: dict[str, tuple[float | None, float | None]], problems: Problems
) -> tuple[ActionSpace, list[Decision]]:
    """The action space of all decisions together.

    One whole-number choice gives Discrete, several give MultiDiscrete, real numbers give Box
    (whole numbers beside real ones are rounded from it).
    """
    decisions: list[Decision] = []
    lows: list[float] = []
    highs: list[float] = []
    for variable in spec.decisions:
        low, high = ranges[variable.name]
        if low is None or high is None:
            problems.add(
                "variable",
                f"variable {variable.name}",
                f"the decision {variable.name} needs a lowest and a highest value (low, high)",
            )
            low, high = 0.0, 1.0
        if variable.dtype != "real" and high - low >= MOST_OPTIONS:
            problems.add(
                "variable",
                f"variable {variable.name}",
                f"{variable.name} has {high - low + 1:.0f} options, at most {MOST_OPTIONS} work",
            )
        if variable.dtype != "real":
            low, high = float(math.ceil(low)), float(math.floor(high))
            if low > high:
                problems.add(
                    "variable",
                    f"variable {variable.name}",
                    f"there is no whole number between low and high of {variable.name}",
                )
                low = high
        length = count(variable)
        decisions.append(Decision(variable, len(lows), length, math.ceil(low)))
        lows += [low] * length
        highs += [high] * length
    if all(d.variable.dtype != "real" for d in decisions):
        sizes = [
            math.floor(high) - math.ceil(low) + 1 for low, high in zip(lows, highs, strict=True)
        ]
        single = len(sizes) == 1 and not decisions[0].variable.shape
        return ActionSpace("discrete" if single else "multi_discrete", sizes), decisions
    return ActionSpace("box", low=lows, high=highs), decisions


def observation_bounds(
    spec: Spec, names: list[str], ranges: dict[str, tuple[float | None, float | None]]
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Lowest and highest value of each number of the flat observation; infinite if undeclared."""
    lows: list[float] = []
    highs: list[float] = []
    for name in names:
        if name == "time_step":
            lows.append(0.0)
            highs.append(float(spec.model.horizon))
            continue
        variable = spec.variable(name)
        assert variable is not None
        low, high = ranges[name]
        lows += [-math.inf if low is None else low] * count(variable)
        highs += [math.inf if high is None else high] * count(variable)
    return tuple(lows), tuple(highs)
