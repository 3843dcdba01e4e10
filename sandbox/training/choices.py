"""Which attempts to make, from the form of the problem, and what next after which symptom."""

from dataclasses import replace
from typing import Any

from gymnasium import spaces

from sandbox.training.actions import ActionCoding
from sandbox.training.fitted_discount import fitted_discount
from sandbox.training.problem import Problem
from sandbox.training.request import Attempt, Circumstances, Wishes

STEPS = {"dqn": 120_000, "ppo": 400_000, "sac": 30_000, "td3": 30_000, "additive": 500_000}
# Where no later step counts, learning is plain regression and needs less.
STEPS_OF_ONE_STEP_PROBLEMS = {**STEPS, "dqn": 40_000, "ppo": 200_000, "additive": 200_000}
PARALLEL = {"dqn": 4, "ppo": 8, "sac": 1, "td3": 1, "additive": 64, "imitation": 64, "exact": 1}
BASIC = ["scaled observations", "scaled rewards", "persistent exploration"]
IMITATION = ["scaled observations", "differences", "kinds", "own parts"]
EXAMPLES = (20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000)
EVALUATION_STEPS = 8000
MOST_EVALUATION_EPISODES = 400
EXAMPLES_SECONDS = 60.0
"""Time that gathering examples may take at most, unless even the fewest take more."""


def first_attempts(
    problem: Problem,
    coding: ActionCoding,
    wishes: Wishes,
    circumstances: Circumstances,
    seconds_of_an_example: float,
) -> list[Attempt]:
    """What to try first, the likeliest to succeed at the front; two are trained side by side."""
    exact = ("exact", "Value iteration, in case all states can be gone through.")
    imitation = ("imitation", "Imitation of the heuristic that was written from the description.")
    chosen = _algorithms(coding, problem)
    if wishes.algorithm != "auto":
        chosen = [(wishes.algorithm, "Asked for.")]
    else:
        chosen = [*([imitation] if circumstances.heuristic else []), *chosen]
        chosen = [*([exact] if not isinstance(coding.own, spaces.Box) else []), *chosen]
    attempts = [
        _attempt(method, reason, problem, wishes, circumstances, seconds_of_an_example)
        for method, reason in chosen
        if method not in wishes.without
    ]
    return [replace(a, name=f"{k + 1}-{a.method}") for k, a in enumerate(attempts)]


def _algorithms(coding: ActionCoding, problem: Problem) -> list[tuple[str, str]]:
    if coding.choices:
        why = f"the decision is one choice among {coding.choices}"
        return [
            ("dqn", f"DQN, for {why}."),
            ("ppo", f"PPO beside it, for {why}, and it often arrives sooner."),
        ]
    if isinstance(coding.own, spaces.MultiDiscrete):
        count = len(coding.own.nvec)
        return [
            ("additive", f"Additive values, for {count} choices at once have far too many "
             "combinations to list."),
            ("ppo", "PPO beside it, which decides on each of them separately."),
        ]  # fmt: skip
    return [
        ("sac", "SAC, for the decision is made of real numbers."),
        ("ppo", "PPO beside it, which makes fewer gradient steps a step."),
    ]


def _attempt(
    method: str,
    reason: str,
    problem: Problem,
    wishes: Wishes,
    circumstances: Circumstances,
    seconds_of_an_example: float,
) -> Attempt:
    discount, why = fitted_discount(problem)
    reasons = [reason, why]
    steps = (STEPS if discount > 0 else STEPS_OF_ONE_STEP_PROBLEMS).get(method, 1)
    remedies = [*BASIC, "own parts"] if method == "additive" else BASIC
    if method in ("imitation", "exact"):
        discount, reasons = 1.0, [reason]
        remedies = IMITATION if method == "imitation" else []
    if method == "imitation":
        fitting = [n for n in EXAMPLES if n * seconds_of_an_example <= EXAMPLES_SECONDS]
        steps = max([EXAMPLES[0], *fitting])
    return Attempt(
        name=method,
        method=method,
        discount=discount,
        total_timesteps=wishes.steps or steps,
        seed=wishes.seed,
        parallel=PARALLEL[method],
        batched=circumstances.batched,
        remedies=[r for r in remedies if r not in wishes.without],
        evaluation_episodes=_evaluation_episodes(problem, circumstances),
        reasons=reasons,
    )


def _evaluation_episodes(problem: Problem, circumstances: Circumstances) -> int:
    """Many where episodes are short, for then each says little, and where they are cheap."""
    least = 128 if circumstances.batched else 20
    return max(least, min(EVALUATION_STEPS // problem.horizon, MOST_EVALUATION_EPISODES))


def next_attempt(
    finished: list[Attempt], made: list[dict[str, Any]], running: list[Attempt], wishes: Wishes
) -> Attempt | None:
    """What to try after these attempts did not arrive, from their symptoms; None at the end.

    ``made`` are the results of ``finished``. The best is put right first.
    """
    if wishes.steps is not None:
        return None  # the caller set a bound, which further attempts would pass
    tried = {_key(attempt) for attempt in [*finished, *running]}
    pairs = zip(finished, made, strict=True)
    for attempt, result in sorted(pairs, key=lambda pair: -float(pair[1]["best_evaluation"])):
        for changed in _remedied(attempt, str(result["symptom"])):
            if _key(changed) not in tried and not set(changed.remedies) & set(wishes.without):
                number = len(finished) + len(running) + 1
                return replace(changed, name=f"{number}-{changed.method}")
    return None


def _key(attempt: Attempt) -> tuple[Any, ...]:
    return attempt.method, attempt.seed, tuple(attempt.remedies), attempt.start_from


def _remedied(attempt: Attempt, symptom: str) -> list[Attempt]:
    """The table from symptom to remedy."""
    said = f"The curve of {attempt.name} was {symptom}"
    if attempt.method == "imitation" and symptom == "below its teacher":
        why = "it is taught on, from more examples."
        name, seed = attempt.name, attempt.seed + 1
        return [replace(attempt, start_from=name, seed=seed, reasons=[f"{said}: {why}"])]
    if attempt.method in ("imitation", "exact"):
        return []
    found = []
    if "own parts" in attempt.remedies:
        rest = [r for r in attempt.remedies if r != "own parts"]
        why = "each component sees the whole observation now, for they may depend on each other."
        found.append(replace(attempt, remedies=rest, reasons=[f"{said}: {why}"]))
    adding = {"time left": "the time left in the episode is observed now."}
    if symptom in ("flat", "worse"):
        adding["differences"] = "differences of like quantities are observed now."
    for remedy, why in adding.items():
        if remedy not in attempt.remedies:
            remedies = [*attempt.remedies, remedy]
            found.append(replace(attempt, remedies=remedies, reasons=[f"{said}: {why}"]))
    other = replace(attempt, seed=attempt.seed + 1, reasons=[f"{said}: the same, another seed."])
    return [*found, other]
