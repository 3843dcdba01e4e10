"""Which attempts to make, from the form of the problem and from what was measured of it."""

from dataclasses import replace

from gymnasium import spaces

from sandbox.training.actions import ActionCoding
from sandbox.training.fitted_discount import fitted_discount
from sandbox.training.measure import Measured
from sandbox.training.problem import Problem
from sandbox.training.request import Attempt, Circumstances, Wishes

STEPS = {"dqn": 120_000, "ppo": 400_000, "sac": 30_000, "td3": 30_000, "additive": 500_000}
# Where no later step counts, learning is plain regression and needs less.
STEPS_OF_ONE_STEP_PROBLEMS = {**STEPS, "dqn": 40_000, "ppo": 200_000, "additive": 100_000}
PARALLEL = {"dqn": 4, "ppo": 8, "sac": 1, "td3": 1, "additive": 64}
BASIC = ["scaled observations", "scaled rewards", "persistent exploration"]
EXAMPLES = 100_000


def first_attempts(
    problem: Problem,
    coding: ActionCoding,
    measured: Measured,
    wishes: Wishes,
    circumstances: Circumstances,
) -> list[Attempt]:
    """What to try first, the likeliest to succeed at the front; two are trained side by side."""
    algorithms = _algorithms(coding, problem)
    if wishes.algorithm != "auto":
        algorithms = [(wishes.algorithm, "asked for")]
    found = []
    if circumstances.heuristic and wishes.algorithm in ("auto", "imitation"):
        found.append(_imitation(problem, wishes, circumstances))
    for algorithm, reason in algorithms:
        if algorithm not in ("imitation", "exact"):
            found.append(_attempt(algorithm, reason, problem, wishes, circumstances))
    return [replace(a, name=f"{k + 1}-{a.name}") for k, a in enumerate(found)]


def _algorithms(coding: ActionCoding, problem: Problem) -> list[tuple[str, str]]:
    if coding.choices:
        why = f"the decision is one choice among {coding.choices}"
        if not problem.shapes_future or problem.horizon == 1:
            return [("dqn", f"DQN, for {why}."), ("ppo", "PPO as a second opinion.")]
        return [
            ("dqn", f"DQN, for {why}."),
            ("ppo", f"PPO beside it, for {why} and it often arrives sooner."),
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
        ("ppo", "PPO beside it, which needs fewer gradient steps a step."),
    ]


def _attempt(
    algorithm: str, reason: str, problem: Problem, wishes: Wishes, circumstances: Circumstances
) -> Attempt:
    discount, why = fitted_discount(problem)
    steps = STEPS if discount > 0 else STEPS_OF_ONE_STEP_PROBLEMS
    remedies = [*BASIC, "own parts"] if algorithm == "additive" else list(BASIC)
    return Attempt(
        name=algorithm,
        method=algorithm,
        discount=discount,
        total_timesteps=wishes.steps or steps[algorithm],
        seed=wishes.seed,
        parallel=PARALLEL[algorithm],
        batched=circumstances.batched,
        remedies=[r for r in remedies if r not in wishes.without],
        evaluation_episodes=64 if circumstances.batched else 20,
        reasons=[reason, why],
    )


def _imitation(problem: Problem, wishes: Wishes, circumstances: Circumstances) -> Attempt:
    remedies = [r for r in ("scaled observations", "differences") if r not in wishes.without]
    return Attempt(
        name="imitation",
        method="imitation",
        discount=1.0,
        total_timesteps=EXAMPLES,
        seed=wishes.seed,
        parallel=32,
        batched=circumstances.batched,
        remedies=remedies,
        teacher="heuristic",
        evaluation_episodes=64 if circumstances.batched else 20,
        reasons=["Imitation of the heuristic written from the description."],
    )


def next_attempt(
    made: list[dict[str, object]], attempts: list[Attempt], wishes: Wishes, number: int
) -> Attempt | None:
    """What to try after these attempts did not arrive, from their symptoms; None at the end."""
    if wishes.steps is not None:
        return None  # the caller set a bound, which further attempts would pass
    tried = {(a.method, a.start_from, a.seed, tuple(a.remedies)) for a in attempts}
    for attempt, result in sorted(
        zip(attempts, made, strict=True), key=lambda pair: -float(str(pair[1]["best_evaluation"]))
    ):
        for changed in _remedied(attempt, str(result["symptom"])):
            changed = replace(changed, name=f"{number}-{changed.method}")
            key = (changed.method, changed.start_from, changed.seed, tuple(changed.remedies))
            if key not in tried and not set(changed.remedies) & set(wishes.without):
                return changed
    return None


def _remedied(attempt: Attempt, symptom: str) -> list[Attempt]:
    """The table from symptom to remedy."""
    found = []
    if attempt.method == "additive" and "own parts" in attempt.remedies:
        rest = [r for r in attempt.remedies if r != "own parts"]
        found.append(replace(attempt, remedies=rest, reasons=[
            "Components may depend on each other: each sees the whole observation now."]))  # fmt: skip
    if "time left" not in attempt.remedies and attempt.method != "imitation":
        found.append(replace(attempt, remedies=[*attempt.remedies, "time left"], reasons=[
            f"The last curve was {symptom}: the time left in the episode is observed now."]))  # fmt: skip
    if "differences" not in attempt.remedies and symptom in ("flat", "worse"):
        found.append(replace(attempt, remedies=[*attempt.remedies, "differences"], reasons=[
            f"The last curve was {symptom}: differences of like quantities are observed now."]))  # fmt: skip
    if attempt.method != "imitation":
        found.append(replace(attempt, seed=attempt.seed + 1, reasons=[
            f"The last curve was {symptom}: the same with another seed."]))  # fmt: skip
    return found
