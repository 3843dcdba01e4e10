"""A small study of the numbers of a learner, with Optuna; its trials are kept as attempts.

Nothing is kept between two questions: each time the study is made anew from the attempts so far,
so that a search that was broken off goes on with the same one.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sandbox.training.numeric_choices import USUAL, numbers_of
from sandbox.training.records import CURVE
from sandbox.training.request import Attempt

if TYPE_CHECKING:
    from optuna import Study
    from optuna.distributions import BaseDistribution

FREE_TRIALS = 3
"""Attempts before numbers are drawn where earlier ones did well, and before any is pruned."""
FIRST_PRUNED = 5
"""Evaluations that each trial has at least."""
FEW, MANY = 0.002, 0.1
"""Least and largest share by which a reward counts less a step later."""


def is_open_to(attempt: Attempt) -> bool:
    """Whether there are numbers to choose for this way of training."""
    return attempt.method in USUAL


def next_trial(
    base: Attempt,
    finished: Sequence[Attempt],
    made: Sequence[dict[str, Any]],
    running: Sequence[Attempt],
) -> Attempt:
    """Train as ``base`` but with other numbers, from what ``finished`` attempts came to.

    Those ``running`` count, so that none is asked for twice.
    """
    known = [
        (attempt, float(result["best_evaluation"]))
        for attempt, result in zip(finished, made, strict=True)
        if _alike(attempt, base)
    ]
    number = len(known) + sum(_alike(attempt, base) for attempt in running)
    study = _study(base.seed + number)
    ranges = _ranges(base)
    for attempt, value in known:
        study.add_trial(_trial(attempt, ranges, value))
    chosen = study.ask(ranges).params
    settings = {name: chosen[name] for name in ("learning_rate", "width", "exploration")}
    discount = 1 - chosen["forgetting"] if "forgetting" in chosen else base.discount
    told = ", ".join(f"{name} {value:.3g}" for name, value in chosen.items())
    reason = f"Trial {number} of a study of the numbers of {base.method}: {told}."
    return replace(
        base, settings=settings, discount=discount, seed=base.seed + number, trial=True,
        reasons=[reason],
    )  # fmt: skip


def is_hopeless(attempt: Attempt, finished: Sequence[Attempt], folder: Path) -> bool:
    """Whether a trial under way is behind the median of those before, by their curves.

    The curves lie in ``folder``, each in the folder of its attempt.
    """
    own = _curve(folder / attempt.name)
    others = [_curve(folder / other.name) for other in finished if _alike(other, attempt)]
    if len(own) < FIRST_PRUNED or len(others) < FREE_TRIALS:
        return False
    study = _study(attempt.seed)
    for curve in others:
        study.add_trial(_trial(attempt, _ranges(attempt), max(curve, default=0.0), curve))
    trial = study.ask()
    for step, value in enumerate(own):
        trial.report(value, step)
    return bool(trial.should_prune())


def _study(seed: int) -> "Study":
    # Only here: a search that arrives without a study need not load it.
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna.create_study(
        direction="maximize",
        sampler=optuna.samplers.TPESampler(seed=seed, n_startup_trials=FREE_TRIALS),
        pruner=optuna.pruners.MedianPruner(FREE_TRIALS, FIRST_PRUNED),
    )


def _ranges(attempt: Attempt) -> "dict[str, BaseDistribution]":
    from optuna.distributions import CategoricalDistribution, FloatDistribution

    exploration = {
        "ppo": FloatDistribution(1e-4, 3e-2, log=True),
        "sac": FloatDistribution(0.1, 1.0),
        "dqn": FloatDistribution(0.05, 0.6),
    }
    families = {"maskable-ppo": "ppo", "td3": "sac", "qr-dqn": "dqn"}
    found: dict[str, BaseDistribution] = {
        "learning_rate": FloatDistribution(1e-4, 1e-2, log=True),
        "width": CategoricalDistribution([64, 128, 256]),
        "exploration": exploration[families.get(attempt.method, attempt.method)],
    }
    if attempt.discount > 0:
        found["forgetting"] = FloatDistribution(FEW, MANY, log=True)
    return found


def _trial(
    attempt: Attempt,
    ranges: "Mapping[str, BaseDistribution]",
    value: float,
    curve: Sequence[float] = (),
) -> Any:
    """A finished attempt as Optuna knows it, its numbers brought into their ranges."""
    from optuna.distributions import FloatDistribution
    from optuna.trial import create_trial

    numbers = {**vars(numbers_of(attempt.method, attempt.settings))}
    numbers["forgetting"] = 1 - attempt.discount
    within = {
        name: min(max(numbers[name], range_.low), range_.high)
        if isinstance(range_, FloatDistribution)
        else numbers[name]
        for name, range_ in ranges.items()
    }
    return create_trial(
        params=within,
        distributions=dict(ranges),
        value=value,
        intermediate_values=dict(enumerate(curve)),
    )


def _alike(attempt: Attempt, other: Attempt) -> bool:
    """Whether they differ in nothing but numbers and seed."""
    return (attempt.method, attempt.remedies) == (other.method, other.remedies)


def _curve(folder: Path) -> list[float]:
    """Mean returns of the evaluations so far."""
    try:
        with (folder / CURVE).open(newline="") as lines:
            return [float(row["mean_return"]) for row in csv.DictReader(lines)]
    except FileNotFoundError:
        return []
