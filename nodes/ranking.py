"""How the objective of a spec ranks policies, and which quantities tell why."""

import math

from nodes.codegen.problems import Problems
from nodes.codegen.spaces import action_space, ranges_of
from nodes.codegen.symbols import SymbolTable
from nodes.consequences import PREVIOUS, names_read
from sandbox.programs.requests import Ranking
from state.spec import Spec
from state.variables import Variable

NOTHING = frozenset("hold idle no nobody none nothing off rest skip stay wait noop no-op".split())
"""First words of options that do nothing."""


def ranking_of(spec: Spec) -> Ranking:
    """How policies are ranked; an empty one where the environment reports no objective."""
    measure = spec.model.step_measure
    if not spec.dynamics.ruled or not measure.strip():
        return Ranking()
    texts = [measure, *(term.expression for term in spec.sar.reward)]
    read = [name.removeprefix(PREVIOUS) for text in texts for name in sorted(names_read(text))]
    variables = [spec.variable(name) for name in dict.fromkeys([*spec.sar.action, *read])]
    telling = [variable for variable in variables if variable is not None]
    idle, name = _idle(spec)
    return Ranking(
        sense=spec.objective.sense,
        telling=[variable.name for variable in telling],
        labels={v.name: list(v.labels) for v in telling if v.labels and not v.shape},
        idle=idle,
        idle_name=name,
    )


def _idle(spec: Spec) -> tuple[list[float], str]:
    """The action that does nothing, number by number, and its name; empty where there is none.

    Of named options that is one that says so, of numbers 0.
    """
    problems = Problems()
    symbols = SymbolTable.of(spec.parameters, spec.variables)
    ranges = ranges_of(spec.variables, symbols, problems)
    space, decisions = action_space(spec, ranges, problems)
    if not decisions or problems.findings:
        return [], ""
    idle: list[float] = []
    for decision in decisions:
        value = _nothing(decision.variable, ranges[decision.variable.name])
        if value is None:
            return [], ""
        # A whole number is decided by its place among the options.
        counted = value - decision.offset if space.kind != "box" else value
        idle += [counted] * decision.length
    named = any(decision.variable.labels for decision in decisions)
    return idle, "doing nothing" if named else "always deciding zero"


def _nothing(variable: Variable, limits: tuple[float | None, float | None]) -> float | None:
    if variable.labels:
        words = [label.replace("_", " ").lower().split() for label in variable.labels]
        found = [float(k) for k, label in enumerate(words) if label and label[0] in NOTHING]
        return found[0] if found else None
    low, high = limits
    within = (-math.inf if low is None else low) <= 0 <= (math.inf if high is None else high)
    return 0.0 if within else None
