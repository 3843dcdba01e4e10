"""Checks of what the steps of a random walk gave: numbers, limits, rewards, ends."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandbox.programs.blame import (
    given_to_body,
    owner_of_quantity,
    place_of_quantity,
    told_values,
)
from sandbox.programs.findings import CheckFailed
from sandbox.programs.requests import DeclaredConstraint
from sandbox.programs.spec_rules import Quantities
from sandbox.programs.subject import Subject, Transition, describe

TOLERANCE = 1e-6


def finite_numbers(subject: Subject) -> None:
    """No NaN and no infinity in rewards, observations and named quantities."""
    returned = {written.name for written in subject.request.written}
    for transition in subject.transitions:
        quantities = transition.info.get("quantities", {})
        # Rewards and observations only show what is wrong with what a code body returns.
        _finite(subject, transition, {n: v for n, v in quantities.items() if n in returned})
        if not math.isfinite(float(transition.reward)):
            terms = transition.info.get("reward_terms", {})
            bad = [name for name, value in terms.items() if not math.isfinite(float(value))]
            raise CheckFailed(
                "sar",
                f"the reward is {transition.reward}",
                place=f"reward term {', '.join(bad)}" if bad else "reward",
                expected="a finite number",
                found=f"{transition.reward} at {transition.where()}",
            )
        numbers = _numbers(transition.observation)
        if numbers is not None and not np.all(np.isfinite(numbers)):
            raise CheckFailed(
                "environment",
                "an observation holds NaN or infinity",
                place="observation",
                expected="finite numbers",
                found=f"{describe(transition.observation)} at {transition.where()}",
            )
        _finite(subject, transition, quantities)


def _finite(subject: Subject, transition: Transition, quantities: Quantities) -> None:
    for name, held in quantities.items():
        value = np.asarray(held, dtype=float)
        if not np.all(np.isfinite(value)):
            raise CheckFailed(
                owner_of_quantity(subject.request, name),
                f"{name} is NaN or infinite",
                place=place_of_quantity(subject.request, name),
                expected="finite numbers, also where something is divided by 0 or is log(0)",
                found=f"{describe(value)} at {transition.where()}"
                + given_to_body(subject.request, transition, name),
            )


def _numbers(observation: Any) -> NDArray[np.float64] | None:
    """An observation as numbers; None for one of named parts or texts, which nobody trains on."""
    try:
        return np.asarray(observation, dtype=float)
    except (TypeError, ValueError):
        return None


def ends_by_the_horizon(subject: Subject) -> None:
    """An episode is truncated at the horizon, never before it and never after it."""
    horizon = subject.request.horizon
    for transition in subject.transitions:
        late = transition.step >= horizon and not (transition.terminated or transition.truncated)
        early = transition.truncated and transition.step < horizon
        if late or early:
            raise CheckFailed(
                "modeling" if subject.request.gymnasium_id else "environment",
                "the episode does not end at the horizon"
                if late
                else "the episode is truncated before the horizon",
                place="truncated",
                expected=f"truncated after exactly {horizon} steps unless terminated earlier",
                found=f"terminated={transition.terminated}, truncated={transition.truncated} "
                f"after {transition.step} steps",
            )


def ranges_hold(subject: Subject) -> None:
    """Every named quantity stays within the limits that the spec declares."""
    for transition in subject.transitions:
        quantities = transition.info["quantities"]
        for declared in subject.request.ranges:
            if declared.name not in quantities:
                raise CheckFailed(
                    "environment",
                    f"info['quantities'] lacks {declared.name}",
                    place="info",
                    expected="every declared variable by name",
                    found=", ".join(quantities),
                )
            values = np.asarray(quantities[declared.name], dtype=float)
            slack = TOLERANCE * max(1.0, abs(declared.low or 0.0), abs(declared.high or 0.0))
            low_broken = declared.low is not None and np.any(values < declared.low - slack)
            high_broken = declared.high is not None and np.any(values > declared.high + slack)
            if low_broken or high_broken:
                raise CheckFailed(
                    declared.owner,
                    f"{declared.name} leaves its declared range",
                    place=place_of_quantity(subject.request, declared.name),
                    expected=f"{declared.name} from {declared.low} to {declared.high}",
                    found=f"{describe(values)} at {transition.where()}"
                    + given_to_body(subject.request, transition, declared.name),
                )


def what_is_seen_lies_in_its_ranges(subject: Subject) -> None:
    """Each number of an observation lies in the range of the variable that it is.

    Of a standard environment that is only told, for the range is then what the words say of it.
    """
    declared = subject.request.seen
    for transition in subject.transitions if declared else []:
        seen = _numbers(transition.observation)
        if seen is None or seen.size != len(declared):
            return
        for value, limits in zip(seen.ravel().tolist(), declared, strict=True):
            low = -math.inf if limits.low is None else limits.low
            high = math.inf if limits.high is None else limits.high
            slack = TOLERANCE * max(1.0, abs(value))
            if not low - slack <= value <= high + slack:
                raise CheckFailed(
                    "variable",
                    f"{limits.name} leaves its declared range",
                    place=limits.name,
                    expected=f"from {limits.low} to {limits.high}",
                    found=f"{value:.6g} after {transition.where()}",
                    blocking=not subject.request.gymnasium_id,
                )


def reward_lies_in_its_range(subject: Subject) -> None:
    """Where the spec declares the least and the largest reward, every reward lies between them."""
    low, high = subject.request.reward
    for transition in subject.transitions:
        reward = float(transition.reward)
        slack = TOLERANCE * max(1.0, abs(reward))
        below = low is not None and reward < low - slack
        if below or (high is not None and reward > high + slack):
            raise CheckFailed(
                "sar",
                "the reward leaves its declared range",
                place="reward",
                expected=f"from {low} to {high}",
                found=f"{reward:.6g} at {transition.where()}",
            )


def constraints_hold(subject: Subject) -> None:
    """Every constraint of the spec holds after every step of the random walk."""
    walk = subject.constraints[: len(subject.transitions)]
    _hold(subject, subject.transitions, walk, "true after every step, whatever the action")


def constraints_hold_from_anywhere(subject: Subject) -> None:
    """They hold after a step from any state in which they held; only told, for not all are met."""
    placed = subject.constraints[len(subject.transitions) :]
    expected = "true after a step from any state in which all constraints hold"
    _hold(subject, subject.placed, placed, expected, blocking=False)


def _hold(
    subject: Subject,
    transitions: list[Transition],
    constraints: list[Quantities],
    expected: str,
    *,
    blocking: bool = True,
) -> None:
    declared = {constraint.name: constraint for constraint in subject.request.constraints}
    for transition, held in zip(transitions, constraints, strict=True):
        for name, holds in held.items():
            if not holds:
                known = declared.get(name, DeclaredConstraint(name, ""))
                bodies = f" after code body {' and '.join(known.bodies)}" if known.bodies else ""
                values = told_values(transition, known.variables)
                raise CheckFailed(
                    "coding" if known.bodies else "environment",
                    f"constraint {name} is broken{bodies}",
                    place=f"constraint {name}",
                    expected=f"{known.expression}: {expected}" if known.expression else expected,
                    found=f"false at {transition.where()}" + (f", with {values}" if values else ""),
                    blocking=blocking,
                )


def reward_is_the_sum_of_its_terms(subject: Subject) -> None:
    """The reward equals the sum of its terms, and the terms equal the spec's expressions."""
    for transition, again in zip(subject.all_transitions, subject.reward_terms, strict=True):
        terms = {name: float(value) for name, value in transition.info["reward_terms"].items()}
        if not _close(float(transition.reward), sum(terms.values())):
            raise CheckFailed(
                "environment",
                "the reward is not the sum of its terms",
                place="reward",
                expected=f"{sum(terms.values()):.6g}, the sum of {terms}",
                found=f"{float(transition.reward):.6g} at {transition.where()}",
            )
        for name in sorted(set(terms) | set(again)):
            one, other = terms.get(name, math.nan), float(again.get(name, math.nan))
            if not _close(one, other):
                raise CheckFailed(
                    "environment",
                    f"reward term {name} differs from its expression in the spec",
                    place=f"reward term {name}",
                    expected=f"{other:.6g} from the named quantities after the step",
                    found=f"{one:.6g} at {transition.where()}",
                )


def _close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-5, abs_tol=1e-6)
