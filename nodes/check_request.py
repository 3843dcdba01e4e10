"""Turning a spec into the request for the ladder of checks."""

from nodes.codegen.attributes import attribute_name
from nodes.consequences import PREVIOUS, names_read
from nodes.declared_spaces import (
    declared_action_space,
    declared_observation_size,
    declared_ranges,
    seen_ranges,
)
from nodes.ranking import ranking_of
from sandbox.programs.requests import CheckRequest, PlacedQuantity
from state.expressions import ExpressionError, is_random, parse
from state.spec import Spec


def check_request(spec: Spec, seed: int, *, twin: bool = False) -> CheckRequest:
    """What ``sandbox.programs.check`` is to hold the environment of ``spec`` against.

    With ``twin`` that is an environment.py which is said to be the standard one.

    Raises:
        ValueError: the limits of a decision are missing or are not numbers.
    """
    dynamics = spec.dynamics
    return CheckRequest(
        gymnasium_id="" if twin else dynamics.gymnasium_id,
        horizon=spec.model.horizon,
        action_space=declared_action_space(spec),
        observation_size=declared_observation_size(spec),
        ranges=declared_ranges(spec) if dynamics.ruled else [],
        code_bodies=[body.name for body in spec.dynamics.bodies],
        has_chance=dynamics.ruled and has_chance(spec),
        seen=[] if dynamics.ruled else seen_ranges(spec),
        reward=(spec.sar.reward_low, spec.sar.reward_high),
        rules=dynamics.ruled,
        ranking=ranking_of(spec),
        twin=twin,
        places=placed_quantities(spec) if dynamics.ruled else [],
        seed=seed,
    )


def placed_quantities(spec: Spec) -> list[PlacedQuantity]:
    """Remembered quantities whose ranges are known, so that a check may put them anywhere.

    None where code bodies or what is known before a decision rest on them, for then one value
    follows from another.
    """
    rules = spec.dynamics.rules
    following = [rule for rule in rules if rule.kind == "known_before_decision"]
    read = {n.removeprefix(PREVIOUS) for r in following for n in names_read(r.expression)}
    ranges = {r.name: r for r in declared_ranges(spec)}
    found = []
    for rule in rules:
        variable, limits = spec.variable(rule.variable), ranges.get(rule.variable)
        if variable is None or rule.kind not in ("updated", "fixed"):
            continue
        if spec.dynamics.bodies or variable.name in read:
            return []
        if limits is None or limits.low is None or limits.high is None:
            continue
        found.append(
            PlacedQuantity(
                variable.name, attribute_name(variable.name), limits.low, limits.high,
                list(variable.shape), variable.dtype == "real",
            )
        )  # fmt: skip
    return found


def has_chance(spec: Spec) -> bool:
    """Whether any expression of the dynamics draws from a distribution."""
    expressions = [rule.initial for rule in spec.dynamics.rules]
    expressions += [rule.expression for rule in spec.dynamics.rules]
    return any(_draws(expression) for expression in expressions)


def _draws(expression: str) -> bool:
    try:
        return bool(expression.strip()) and is_random(parse(expression))
    except ExpressionError:
        return False
