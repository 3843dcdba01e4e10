"""A check that reward and objective rank simple policies alike."""

from itertools import permutations
from typing import Any

import numpy as np

from sandbox.programs.findings import CheckFailed, shorten
from sandbox.programs.probes import MOST_STEPS, Probe, Probes, ProbeStep
from sandbox.programs.requests import Ranking
from sandbox.programs.subject import Subject, describe
from sandbox.programs.watched_heuristic import HeuristicFault, WatchedHeuristic

CLEAR = 0.05
"""Share of the whole spread between the policies by which two must differ to be told apart."""
FIRST_STEPS = 3
FEW_NUMBERS, LONGEST_VALUE = 4, 40
RULE = "the rule of thumb"


def reward_serves_the_objective(subject: Subject) -> None:
    """No simple policy earns more than another while it serves the objective less.

    The policies are random, doing nothing, each constant action (some, of a large action space),
    one-step greedy and, where there is one, the rule of thumb; all meet the same seeds.
    """
    ranking = subject.request.ranking
    if not ranking.sense or "objective" not in subject.transitions[0].info:
        return
    probes = Probes(subject.ask, ranking, subject.request.seed)
    simple = probes.simple()
    ranked_alike(simple, ranking)
    if subject.ask_heuristic is None:
        return
    try:
        rule = probes.play(RULE, WatchedHeuristic(subject.ask_heuristic, probes.space))
    except HeuristicFault as fault:
        raise CheckFailed(
            "coding",
            "the rule of thumb cannot be followed",
            place="heuristic.py",
            expected="a decision in every situation",
            found=str(fault),
            blocking=False,
        ) from None
    ranked_alike([rule, *simple], ranking)


def ranked_alike(probes: list[Probe], ranking: Ranking) -> None:
    """Raise ``CheckFailed`` where the reward prefers one and the objective another.

    Of several such pairs the two are told of that are furthest apart in the objective.
    """
    returns = _spread([value for probe in probes for value in probe.returns])
    objectives = _spread([value for probe in probes for value in probe.objectives])
    opposed = [
        (one, other)
        for one, other in permutations(probes, 2)
        if _clearly(one.returns, other.returns, returns)
        and _clearly(other.objectives, one.objectives, objectives)
    ]
    if not opposed:
        return
    one, other = max(opposed, key=lambda pair: sum(pair[1].objectives) - sum(pair[0].objectives))
    measure = "more" if ranking.sense == "maximize" else "less"
    raise CheckFailed(
        "sar",
        f"the reward prefers {one.name} to {other.name}, the objective the other way",
        place="reward",
        expected=f"more reward for what makes {measure} of the objective",
        found=f"{_told(one, ranking)}; {_told(other, ranking)}, over episodes of at most "
        f"{MOST_STEPS} steps",
        episode=_account(one, other, ranking),
    )


def _told(probe: Probe, ranking: Ranking) -> str:
    sign = 1 if ranking.sense == "maximize" else -1
    earned, made = np.mean(probe.returns), sign * np.mean(probe.objectives)
    return f"{probe.name} earns {earned:.6g} with an objective of {made:.6g}"


def _account(one: Probe, other: Probe, ranking: Ranking) -> list[str]:
    """The first steps and the last of an episode under ``one``, and what ``other`` makes of it."""
    words = f" ({one.words})" if one.words else ""
    last = len(one.episode)
    shown = sorted({*range(1, min(FIRST_STEPS, last) + 1), last})
    end = other.episode[-1]
    return [
        f"Under {one.name}{words}:",
        *(f"step {number}: {_said(one.episode[number - 1], ranking)}" for number in shown),
        f"{other.name}, from the same beginning: {len(other.episode)} steps, in all reward "
        f"{end.earned:.5g}, objective {end.objective:.5g}",
    ]


def _said(step: ProbeStep, ranking: Ranking) -> str:
    """The step in a line, what may be cut off last."""
    known = [name for name in ranking.telling if name in step.quantities]
    told = [f"{name} {_value(step.quantities[name], ranking.labels.get(name))}" for name in known]
    return (
        f"reward {step.reward:.5g}, so far {step.earned:.5g}; objective so far "
        f"{step.objective:.5g}; {', '.join(told) or f'action {describe(step.action)}'}"
    )


def _value(value: Any, labels: list[str] | None) -> str:
    if labels and isinstance(value, int | np.integer) and 0 <= value < len(labels):
        return labels[value]
    numbers = np.ravel(np.array(value))
    if len(numbers) <= FEW_NUMBERS or numbers.dtype.kind not in "iuf":
        return shorten(describe(value), LONGEST_VALUE)
    if np.all(numbers == numbers[0]):
        return f"{len(numbers)} times {numbers[0]:.5g}"
    return f"[{numbers[0]:.5g}, {numbers[1]:.5g}, ...] with the sum {numbers.sum():.5g}"


def _spread(values: list[float]) -> float:
    return max(values) - min(values)


def _clearly(larger: tuple[float, ...], smaller: tuple[float, ...], spread: float) -> bool:
    """Whether the one is above the other on every seed, and by more than a trifle."""
    differences = np.subtract(larger, smaller)
    return bool(np.all(differences > CLEAR * spread)) and spread > 0
