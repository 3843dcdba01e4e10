"""Checks that the environment does, step by step, what the rules of the spec say.

The rules are asked with the named quantities that the environment itself reports, so that one
wrong line shows in one place.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from sandbox.programs.findings import CheckFailed
from sandbox.programs.spec_rules import Quantities
from sandbox.programs.subject import Subject, Transition, describe

RELATIVE, ABSOLUTE = 1e-5, 1e-6


def begins_as_the_rules_say(subject: Subject) -> None:
    """After each reset what is not drawn has its initial value, and the observation shows it."""
    tables = subject.functions.tables
    if not tables.initial:
        return
    expected = subject.functions.begun([quantities for _, quantities in subject.beginnings])
    for (observation, quantities), values in zip(subject.beginnings, expected, strict=True):
        _not_lacking(values)
        for name, value in values.items():
            _compare(quantities, name, value, f"initial value of {name}", "after a reset")
        _compare_seen(tables.observation, {"time_step": 0, **quantities}, observation, "a reset")


def decides_what_is_chosen(subject: Subject) -> None:
    """Each decision is what the action says, unless a rule corrects it."""
    corrected = set(subject.functions.tables.step)
    for transition, told in _stepped(subject):
        for name, value in told["chosen"].items():
            if name not in corrected:
                where = f"at {transition.where()}"
                _compare(transition.quantities, name, value, f"decision {name}", where)


def moves_on_as_the_rules_say(subject: Subject) -> None:
    """What is not drawn gets the value that its rule gives, in random and in placed states."""
    lasting = subject.functions.tables.lasting
    for transition, told in _stepped(subject):
        _not_lacking(told)
        where = f"at {transition.where()}"
        quantities = transition.quantities
        for name in lasting:
            if f"previous_{name}" in quantities and name in transition.before:
                before = transition.before[name]
                _compare(quantities, f"previous_{name}", before, f"rule of {name}", where)
        for name, value in told["values"].items():
            _compare(quantities, name, value, f"rule of {name}", where)


def ends_as_the_spec_says(subject: Subject) -> None:
    """An episode is terminated when the spec's condition holds, and only then."""
    for transition, told in _stepped(subject):
        if "over" in told and bool(transition.terminated) != told["over"]:
            goes_on = "the episode goes on although the termination holds"
            stops = "the episode is terminated although the termination does not hold"
            raise CheckFailed(
                "environment",
                goes_on if told["over"] else stops,
                place="termination",
                expected=f"terminated={told['over']}",
                found=f"terminated={transition.terminated} at {transition.where()}",
            )


def counts_the_objective(subject: Subject) -> None:
    """What is reported as the objective is what the spec's measure gives."""
    for transition, told in _stepped(subject):
        if "objective" in told and "objective" in transition.info:
            where = f"at {transition.where()}"
            _compare(transition.info, "objective", told["objective"], "step_measure", where)


def shows_what_is_seen(subject: Subject) -> None:
    """The observation after a step holds, in order, the values that the spec names.

    What is new before the next decision is known from the step that follows.
    """
    tables = subject.functions.tables
    pairs = [(a, b) for a, b in pairwise(subject.transitions) if b.step == a.step + 1]
    if not tables.observation or not pairs:
        return
    asked = [{**one.asked(), "after": other.quantities} for one, other in pairs]
    for (one, other), new in zip(pairs, subject.functions.renewed(asked), strict=True):
        where = f"after {one.where()}"
        for name, value in new.items():
            if not tables.next[name] and name not in tables.step:
                _compare(other.quantities, name, value, f"rule of {name}", where)
        shown = {**one.quantities, **new, "time_step": one.step}
        _compare_seen(tables.observation, shown, one.observation, f"after {one.where()}")


def _stepped(subject: Subject) -> Iterator[tuple[Transition, Quantities]]:
    """Each step with what the rules make of it; none where the spec has no rules."""
    if not subject.functions.tables.step and not subject.functions.tables.decisions:
        return iter(())
    return zip(subject.all_transitions, subject.stepped, strict=True)


def _not_lacking(told: Quantities) -> None:
    if told.get("lacks"):
        raise CheckFailed(
            "environment",
            f"info['quantities'] lacks {told['lacks']}, on which a rule rests",
            place="info",
            expected="every declared variable by name",
            found=f"no {told['lacks']}",
        )


def _compare(found: Quantities, name: str, expected: Any, place: str, where: str) -> None:
    if name not in found:
        _not_lacking({"lacks": name})
    if not same(found[name], expected):
        raise CheckFailed(
            "environment",
            f"{name} is not what the spec gives ({place})",
            place=place,
            expected=f"{name} = {describe(np.asarray(expected))}",
            found=f"{describe(np.asarray(found[name]))} {where}",
        )


def same(one: Any, other: Any) -> bool:
    """Whether two values are one number, or equal numbers of one shape, but for rounding."""
    try:
        left, right = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    except (TypeError, ValueError):
        return False
    return left.shape == right.shape and np.allclose(
        left, right, rtol=RELATIVE, atol=ABSOLUTE, equal_nan=True
    )


def _compare_seen(names: list[str], values: Quantities, observation: Any, where: str) -> None:
    seen = np.asarray(observation, dtype=float).ravel()
    start = 0
    for name in names:
        if name not in values:
            return
        expected = np.asarray(values[name], dtype=float).ravel()
        shown = seen[start : start + len(expected)]
        # Observations are single-precision numbers.
        if not same(shown, expected.astype(np.float32)):
            raise CheckFailed(
                "sar",
                f"the observation does not hold {name} where the spec has it",
                place="observation",
                expected=f"{name} = {describe(expected)} from number {start} on",
                found=f"{describe(shown)} {where}",
            )
        start += len(expected)
