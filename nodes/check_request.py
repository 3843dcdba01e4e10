"""Turning a spec into the request for the ladder of checks."""

from nodes.codegen.attributes import attribute_name
from nodes.codegen.spaces import count
from nodes.consequences import PREVIOUS, names_read
from nodes.declared_spaces import (
    declared_action_space,
    declared_observation_size,
    declared_ranges,
    seen_ranges,
)
from nodes.ranking import ranking_of
from sandbox.programs.requests import (
    CheckRequest,
    Deciding,
    DeclaredConstraint,
    PlacedQuantity,
    WrittenQuantity,
)
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
        written=written_quantities(spec),
        constraints=declared_constraints(spec) if dynamics.bodies else [],
        deciding=deciding(spec) if dynamics.bodies else [],
        has_chance=dynamics.ruled and has_chance(spec),
        seen=[] if dynamics.ruled else seen_ranges(spec),
        reward=(spec.sar.reward_low, spec.sar.reward_high),
        rules=dynamics.ruled,
        ranking=ranking_of(spec),
        twin=twin,
        places=placed_quantities(spec) if dynamics.ruled else [],
        seed=seed,
    )


def written_quantities(spec: Spec) -> list[WrittenQuantity]:
    """What the code bodies return, body by body in the order in which it is returned."""
    return [
        WrittenQuantity(v.name, attribute_name(v.name), body.name, body.reads, list(v.shape))
        for body in spec.dynamics.bodies
        for name in body.writes
        if (v := spec.variable(name)) is not None
    ]


def declared_constraints(spec: Spec) -> list[DeclaredConstraint]:
    """The constraints with the code bodies that return what is in them, or what that is made of.

    What a constraint names may be worked out from it within the step.
    """
    computed = {r.variable: r.expression for r in spec.dynamics.rules if r.kind == "computed"}
    found = []
    for constraint in spec.model.constraints:
        names = names_read(constraint.expression)
        variables = [n for n in sorted(names) if spec.variable(n.removeprefix(PREVIOUS))]
        waiting, seen = list(names), set(names)
        while waiting:
            more = names_read(computed.get(waiting.pop(), "")) - seen
            waiting += more
            seen |= more
        bodies = [b.name for b in spec.dynamics.bodies if seen & set(b.writes)]
        expression = " ".join(constraint.expression.split())
        found.append(DeclaredConstraint(constraint.name, expression, variables, bodies))
    return found


def deciding(spec: Spec) -> list[Deciding]:
    """For each number of the action its decision, and the code body through which alone it acts."""
    dynamics = spec.dynamics
    texts = [text for rule in dynamics.rules for text in (rule.initial, rule.expression)]
    texts += [term.expression for term in spec.sar.reward] + [dynamics.termination]
    by_rule = {name for text in texts for name in names_read(text)}
    found = []
    for decision in spec.decisions:
        bodies = [body.name for body in dynamics.bodies if decision.name in body.reads]
        alone = len(bodies) == 1 and decision.name not in by_rule
        found += [Deciding(decision.name, bodies[0] if alone else "")] * count(decision)
    return found


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
