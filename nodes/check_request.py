"""Turning a spec into the request for the ladder of checks."""

from nodes.declared_spaces import (
    declared_action_space,
    declared_observation_size,
    declared_ranges,
)
from sandbox.programs.requests import CheckRequest
from state.expressions import ExpressionError, is_random, parse
from state.spec import Spec


def check_request(spec: Spec, seed: int) -> CheckRequest:
    """What ``sandbox.programs.check`` is to hold the environment of ``spec`` against.

    Raises:
        ValueError: the limits of a decision are missing or are not numbers.
    """
    gymnasium_id = spec.dynamics.gymnasium_id
    return CheckRequest(
        gymnasium_id=gymnasium_id,
        horizon=spec.model.horizon,
        action_space=declared_action_space(spec),
        observation_size=declared_observation_size(spec),
        ranges=[] if gymnasium_id else declared_ranges(spec),
        code_bodies=[body.name for body in spec.dynamics.bodies],
        has_chance=not gymnasium_id and has_chance(spec),
        seed=seed,
    )


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
