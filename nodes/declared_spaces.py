"""Action space, observation size and ranges as the spec declares them."""

import math

from nodes.codegen.compile_spec import compile_spec
from nodes.codegen.problems import Problems
from nodes.codegen.spaces import action_space, ranges_of
from nodes.codegen.symbols import SymbolTable
from sandbox.programs.requests import ActionSpace, DeclaredRange
from state.spec import Spec

KINDS = {"Discrete": "discrete", "MultiDiscrete": "multi_discrete", "Box": "box"}


def declared_action_space(spec: Spec) -> ActionSpace:
    """Action space over the decision variables, in the order of the action.

    Raises:
        ValueError: there is no decision, or one has no usable limits; one sentence.
    """
    problems = Problems()
    symbols = SymbolTable.of(spec.parameters, spec.variables)
    space, decisions = action_space(spec, ranges_of(spec.decisions, symbols, problems), problems)
    if problems.findings:
        raise ValueError(problems.findings[0].message)
    if not decisions:
        raise ValueError("there is no decision variable")
    low, high = list(space.low), list(space.high)
    sizes = [] if space.kind == "Box" else list(space.sizes)
    return ActionSpace(KINDS[space.kind], sizes, low, high)


def declared_observation_size(spec: Spec) -> int | None:
    """Numbers in an observation; None where the spec does not tell."""
    if not spec.dynamics.gymnasium_id:
        program, _ = compile_spec(spec)
        return None if program is None else len(program.observation_low)
    variables = [spec.variable(name) for name in spec.sar.observation]
    if any(variable is None for variable in variables):
        return None
    return sum(math.prod(variable.shape) for variable in variables if variable is not None)


def declared_ranges(spec: Spec) -> list[DeclaredRange]:
    """Limits of all quantities that have any, each with the agent that gives it its values."""
    program, _ = compile_spec(spec)
    if program is None:
        return []
    from_code = {name for body in spec.dynamics.bodies for name in body.writes}
    return [
        DeclaredRange(name, low, high, "coding" if name in from_code else "environment")
        for name, (low, high) in program.ranges.items()
        if low is not None or high is not None
    ]
