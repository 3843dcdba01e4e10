"""Reading off the spec whether a decision matters beyond its own step."""

import re

from state.expressions import ExpressionError, names_in, parse
from state.spec import Spec

PREVIOUS = "previous_"


def names_read(expression: str) -> set[str]:
    """Names that an expression reads; every word of it if it cannot be parsed."""
    if not expression.strip():
        return set()
    try:
        return set(names_in(parse(expression)))
    except ExpressionError:
        return set(re.findall(r"[A-Za-z_][A-Za-z0-9_]*", expression))


def decision_shapes_the_future(spec: Spec) -> bool:
    """Whether what is decided now can change any later step.

    False only where it is certain: nothing that is remembered, drawn before the next decision or
    able to end the episode depends on a decision, directly or through other variables. True for a
    standard environment, whose inside the spec does not tell.
    """
    dynamics = spec.dynamics
    if dynamics.gymnasium_id:
        return True
    touched = _touched_by_decisions(spec)
    remembered = {r.variable for r in dynamics.rules if r.kind == "updated"}
    remembered |= {r.variable for r in dynamics.rules if r.kind == "known_before_decision"}
    remembered |= {name for body in dynamics.bodies for name in body.writes}
    if remembered & touched:
        return True
    read_later = names_read(dynamics.termination)
    everything = [rule.expression for rule in dynamics.rules]
    everything += [term.expression for term in spec.sar.reward]
    everything += [spec.model.step_measure, dynamics.termination, *spec.sar.observation]
    for expression in everything:
        names = names_read(expression)
        read_later |= {n.removeprefix(PREVIOUS) for n in names if n.startswith(PREVIOUS)}
    for body in dynamics.bodies:
        read_later |= {n.removeprefix(PREVIOUS) for n in body.reads if n.startswith(PREVIOUS)}
    return bool(read_later & touched)


def _touched_by_decisions(spec: Spec) -> set[str]:
    """Decisions and all variables whose values depend on them."""
    reads = {
        rule.variable: {n.removeprefix(PREVIOUS) for n in names_read(rule.expression)}
        for rule in spec.dynamics.rules
    }
    for body in spec.dynamics.bodies:
        for name in body.writes:
            body_reads = {n.removeprefix(PREVIOUS) for n in body.reads}
            reads[name] = reads.get(name, set()) | body_reads
    touched = set(spec.sar.action)
    while True:
        more = {name for name, read in reads.items() if read & touched} - touched
        if not more:
            return touched
        touched |= more
