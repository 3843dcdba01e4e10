"""Which attempts to make, from the form of the problem, and what next after which symptom."""

from dataclasses import replace
from typing import Any

from gymnasium import spaces

from sandbox.training import study
from sandbox.training.actions import ActionCoding
from sandbox.training.fitted_discount import fitted_discount
from sandbox.training.numeric_choices import USUAL
from sandbox.training.problem import Problem
from sandbox.training.request import (
    CURRICULUM,
    MASK,
    SHAPING,
    STUDY,
    Attempt,
    Circumstances,
    Wishes,
)

STEPS = {
    "dqn": 120_000, "qr-dqn": 120_000, "ppo": 400_000, "maskable-ppo": 400_000, "sac": 30_000,
    "td3": 30_000, "additive": 500_000,
}  # fmt: skip
# Where no later step counts, learning is plain regression and needs less.
STEPS_OF_ONE_STEP_PROBLEMS = {
    **STEPS, "dqn": 40_000, "qr-dqn": 40_000, "ppo": 200_000, "maskable-ppo": 200_000,
    "additive": 200_000,
}  # fmt: skip
PARALLEL = {
    "dqn": 4, "qr-dqn": 4, "ppo": 8, "maskable-ppo": 8, "sac": 1, "td3": 1, "additive": 64,
    "imitation": 64, "planning": 64, "exact": 1, "factored": 1,
}  # fmt: skip
LEARNED_FROM_EXAMPLES = ("imitation", "planning")
SOLVED = ("exact", "factored")
PLANNED_EXAMPLES = 400_000
DEARER = 16
"""So many times fewer where one episode is stepped at a time."""
BASIC = ["scaled observations", "scaled rewards", "persistent exploration"]
MASKABLE = ("dqn", "qr-dqn", "maskable-ppo")
MASKED = ("maskable-ppo", "MaskablePPO beside it, for some choices are not possible at times.")
LOST = ("flat", "worse", "collapsed", "below a constant")
"""Symptoms of a training that found nothing."""
SHAPED = (
    "Nearly all random episodes earn the same, so steps are also paid for what the state they lead "
    "to is worth, as looking around found."
)
SLOWER = 0.1
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
    planning = ("planning", "Imitation of a planner, in case looking ahead finds gains that chance "
                "hardly ever meets.")  # fmt: skip
    factored = ("factored", "Value iteration for each component of the decision by itself, in case "
                "they do not touch each other.")  # fmt: skip
    chosen = _algorithms(coding, problem)
    if _may_be_planned(problem, coding, circumstances):
        chosen = [planning, *chosen]
    if _may_be_factored(problem, coding, circumstances):
        chosen = [factored, *chosen]
    if circumstances.heuristic:
        chosen = [imitation, *chosen]
    if not isinstance(coding.own, spaces.Box):
        chosen = [exact, *chosen]
    if wishes.algorithm != "auto":
        chosen = [(wishes.algorithm, "Asked for.")]
    few = bool(coding.choices) and circumstances.possible and MASK not in wishes.without
    if few and wishes.algorithm == "auto":
        chosen = [MASKED if method == "ppo" else (method, reason) for method, reason in chosen]
    attempts = [
        _attempt(method, reason, problem, wishes, circumstances, seconds_of_an_example)
        for method, reason in chosen
        if method not in wishes.without
    ]
    return [replace(a, name=f"{k + 1}-{a.method}") for k, a in enumerate(attempts)]


def _may_be_planned(problem: Problem, coding: ActionCoding, circumstances: Circumstances) -> bool:
    """Whether thousands of ways can be tried out, and ways matter."""
    return circumstances.batched and bool(coding.choices) and problem.shapes_future


def _may_be_factored(problem: Problem, coding: ActionCoding, circumstances: Circumstances) -> bool:
    """Whether a million steps can be made, and a decision has many components."""
    many = isinstance(coding.own, spaces.MultiDiscrete) and not coding.choices
    return circumstances.batched and many and problem.shapes_future


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
    if circumstances.possible and method in MASKABLE:
        remedies = [*remedies, MASK]
    if circumstances.ways and method in USUAL and discount > 0 and SHAPING not in wishes.without:
        remedies = [*remedies, SHAPING]
        reasons.append(SHAPED)
    if method in (*LEARNED_FROM_EXAMPLES, *SOLVED):
        discount, reasons = 1.0, [reason]
        remedies = IMITATION if method in LEARNED_FROM_EXAMPLES else []
    parallel = PARALLEL[method]
    if method == "planning":
        steps = PLANNED_EXAMPLES
        if not circumstances.batched:
            steps, parallel = steps // DEARER, parallel // DEARER
    if method == "imitation":
        fitting = [n for n in EXAMPLES if n * seconds_of_an_example <= EXAMPLES_SECONDS]
        steps = max([EXAMPLES[0], *fitting])
    return Attempt(
        name=method,
        method=method,
        discount=discount,
        total_timesteps=wishes.steps or steps,
        seed=wishes.seed,
        parallel=parallel,
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
    number = len(finished) + len(running) + 1
    pairs = zip(finished, made, strict=True)
    ranked = sorted(pairs, key=lambda pair: -float(pair[1]["best_evaluation"]))
    for attempt, result in ranked:
        for changed in _remedied(attempt, str(result["symptom"])):
            unwanted = {changed.method, *changed.remedies} & set(wishes.without)
            if _key(changed) not in tried and not unwanted:
                return replace(changed, name=f"{number}-{changed.method}")
    learners = [a for a, _ in ranked if a.method not in (*LEARNED_FROM_EXAMPLES, *SOLVED)]
    if not learners:
        return None
    best = learners[0]
    if STUDY not in wishes.without and study.is_open_to(best):
        following = study.next_trial(best, finished, made, running)
    else:
        seed = 1 + max(attempt.seed for attempt in [*finished, *running])
        why = f"Nothing else is left to try: as {best.name}, from another seed."
        following = replace(best, seed=seed, reasons=[why])
    return replace(following, name=f"{number}-{following.method}")


def _key(attempt: Attempt) -> tuple[Any, ...]:
    settings = tuple(sorted(attempt.settings.items()))
    return attempt.method, attempt.seed, tuple(attempt.remedies), attempt.start_from, settings


def _remedied(attempt: Attempt, symptom: str) -> list[Attempt]:
    """The table from symptom to remedy."""
    said = f"The curve of {attempt.name} was {symptom}"
    if attempt.method in LEARNED_FROM_EXAMPLES and symptom == "below its teacher":
        why = "it is taught on, from more examples."
        name, seed = attempt.name, attempt.seed + 1
        return [replace(attempt, start_from=name, seed=seed, reasons=[f"{said}: {why}"])]
    if attempt.method in (*LEARNED_FROM_EXAMPLES, *SOLVED) or attempt.trial:
        return []
    found = []
    if symptom == "diverged" and attempt.method in USUAL and not attempt.settings:
        slower = {"learning_rate": USUAL[attempt.method].learning_rate * SLOWER}
        why = "its learning rate is a tenth now."
        found.append(replace(attempt, settings=slower, reasons=[f"{said}: {why}"]))
    if "own parts" in attempt.remedies:
        rest = [r for r in attempt.remedies if r != "own parts"]
        why = "each component sees the whole observation now, for they may depend on each other."
        found.append(replace(attempt, remedies=rest, reasons=[f"{said}: {why}"]))
    adding = {}
    if symptom in LOST and attempt.method in USUAL and attempt.discount > 0:
        adding[SHAPING] = "each step is also paid for what the state it leads to is worth now."
        adding[CURRICULUM] = "episodes begin near known gains now, and farther off by and by."
    adding |= {"time left": "the time left in the episode is observed now."}
    if symptom in LOST:
        adding["differences"] = "differences of like quantities are observed now."
    for remedy, why in adding.items():
        if remedy not in attempt.remedies:
            remedies = [*attempt.remedies, remedy]
            found.append(replace(attempt, remedies=remedies, reasons=[f"{said}: {why}"]))
    return found
