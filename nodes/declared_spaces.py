"""Action space, observation size and ranges as the spec declares them."""

from nodes.codegen.problems import Problems
from nodes.codegen.rule_facts import RuleFacts
from nodes.codegen.spaces import action_space, count, ranges_of
from nodes.codegen.symbols import SymbolTable
from sandbox.programs.requests import ActionSpace, DeclaredRange
from state.spec import Spec


def declared_action_space(spec: Spec) -> ActionSpace:
    """Action space over the decision variables, in the order of the action.

    Raises:
        ValueError: there is no decision, or one has no limits that are numbers.
    """
    problems = Problems()
    symbols = SymbolTable.of(spec.parameters, spec.variables)
    space, decisions = action_space(spec, ranges_of(spec.variables, symbols, problems), problems)
    if not decisions:
        raise ValueError("there is no decision variable")
    if problems.findings:
        raise ValueError(problems.findings[0].message)
    return space


def declared_observation_size(spec: Spec) -> int | None:
    """Numbers in an observation; None if it holds something that is no variable."""
    symbols = SymbolTable.of(spec.parameters, spec.variables)
    names = spec.sar.observation
    if spec.dynamics.ruled:
        names = RuleFacts.of(spec, symbols, Problems()).observation
    size = 0
    for name in names:
        variable = spec.variable(name)
        if variable is None and name != "time_step":
            return None
        size += count(variable) if variable is not None else 1
    return size


def seen_ranges(spec: Spec) -> list[DeclaredRange]:
    """Limits of each number of an observation; none if it holds something that is no variable.

    Raises:
        ValueError: a limit is no number.
    """
    ranges = _ranges(spec)
    found = []
    for name in spec.sar.observation:
        variable = spec.variable(name)
        if variable is None:
            return []
        found += [DeclaredRange(name, *ranges[name], "variable")] * count(variable)
    return found


def declared_ranges(spec: Spec) -> list[DeclaredRange]:
    """Limits of all variables that have any, each with the agent that gives it its values.

    Raises:
        ValueError: a limit is no number.
    """
    ranges = _ranges(spec)
    from_code = {name for body in spec.dynamics.bodies for name in body.writes}
    ruled = {rule.variable for rule in spec.dynamics.rules} | set(spec.sar.action) | from_code
    return [
        DeclaredRange(name, low, high, "coding" if name in from_code else "environment")
        for name, (low, high) in ranges.items()
        if name in ruled and (low is not None or high is not None)
    ]


def _ranges(spec: Spec) -> dict[str, tuple[float | None, float | None]]:
    problems = Problems()
    symbols = SymbolTable.of(spec.parameters, spec.variables)
    ranges = ranges_of(spec.variables, symbols, problems)
    if problems.findings:
        raise ValueError(problems.findings[0].message)
    return ranges
