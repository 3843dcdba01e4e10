"""One training of one policy, with every number that it depends on written down.

The same attempt on the same machine gives the same policy, unless its time runs out.
"""

import json
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces

from sandbox.training import additive, factored, imitation
from sandbox.training.actions import ActionCoding
from sandbox.training.checkpoint import Checkpoint
from sandbox.training.curriculum import Curriculum
from sandbox.training.enumeration import Limits, enumerate_environment
from sandbox.training.environments import import_file, make_environment
from sandbox.training.examples import RuleExamples, Source
from sandbox.training.features import Features, Scaling
from sandbox.training.keep_best import KeepBest
from sandbox.training.measure import Measured, measure
from sandbox.training.network import NetworkPolicy
from sandbox.training.numeric_choices import USUAL
from sandbox.training.planned_examples import PlannedExamples
from sandbox.training.planner import planner_for
from sandbox.training.policy import LearnedPolicy, Policy, content_sha256, load_policy
from sandbox.training.possible import PossibleActions
from sandbox.training.problem import Problem
from sandbox.training.relations import few_kinds, like_pairs
from sandbox.training.request import CURRICULUM, MASK, OPTIMUM, RESULT, SHAPING, Attempt
from sandbox.training.shaping import Potential
from sandbox.training.simulator import MakeSimulator, batched_maker, plain_maker
from sandbox.training.teacher import RuleTeacher
from sandbox.training.value_iteration import solve
from sandbox.training.ways import Ways, explore

GRADIENT_STEPS_A_STEP = 0.1
LEAST_GRADIENT_STEPS = 8000
EXAMPLES_A_GRADIENT_STEP = 25
"""Of planned examples, which are dearer than gradient steps."""
LOOKING_SHARE = 0.2
"""Of the time of an attempt, for looking around before it."""


class Workshop:
    """What all attempts at one problem in one folder share: simulators, features, measurements."""

    def __init__(
        self, problem: Problem, folder: Path, attempt: Attempt, seconds_before: float = 0.0
    ) -> None:
        self.problem, self.folder, self.attempt = problem, folder, attempt
        self.seconds_before = seconds_before
        self.make: MakeSimulator = plain_maker(
            lambda: make_environment(problem.gymnasium_id, folder)
        )
        if attempt.batched:
            self.make = batched_maker(import_file("batched_environment", folder).BatchedEnvironment)

    @cached_property
    def measured(self) -> Measured:
        """What random actions meet."""
        return measure(self.make, self.problem.horizon, self.attempt.discount, self.attempt.seed)

    @cached_property
    def action_space(self) -> spaces.Space[Any]:
        """Of the environment."""
        return make_environment(self.problem.gymnasium_id, self.folder).action_space

    @cached_property
    def coding(self) -> ActionCoding:
        """How a learner's answers become actions."""
        return ActionCoding(self.action_space)

    @cached_property
    def features(self) -> Features:
        """What a learner sees."""
        samples = self.measured.observations
        space = make_environment(self.problem.gymnasium_id, self.folder).observation_space
        assert isinstance(space, spaces.Box)
        scaled = "scaled observations" in self.attempt.remedies
        scaling = Scaling.fitted(space, samples) if scaled else Scaling.off(samples.shape[1])
        horizon = self.problem.horizon if "time left" in self.attempt.remedies else 0
        features = Features(scaling, horizon)
        if "differences" in self.attempt.remedies:
            features.pairs = like_pairs(self.problem)
        if "kinds" in self.attempt.remedies:
            features.kinds = few_kinds(self.problem)
        if MASK in self.attempt.remedies:
            features.possible = PossibleActions.of(self.folder, self.coding)
        return features

    @cached_property
    def components(self) -> additive.Components | None:
        """What each component of a large joint action sees; None for any other action."""
        space = self.coding.space
        if not isinstance(space, spaces.MultiDiscrete):
            return None
        everything = "own parts" not in self.attempt.remedies
        sizes = space.nvec.astype(np.int64)
        return additive.components_of(self.problem, sizes, self.features, everything=everything)

    @property
    def reward_scaling(self) -> tuple[float, float]:
        """Shift and scale; shifting all rewards changes nothing only where no later step counts."""
        if "scaled rewards" not in self.attempt.remedies:
            return 0.0, 1.0
        shift = self.measured.mean_reward if self.attempt.discount == 0 else 0.0
        return shift, self.measured.reward_scale

    def ways(self, deadline: float, is_solved: Callable[[], bool] = lambda: False) -> Ways:
        """What looking around finds.

        Raises:
            NoWay: nothing better than usual, or not before ``deadline`` or ``is_solved``.
        """
        discount, seed = self.attempt.discount, self.attempt.seed
        return explore(self.problem, self.make, self.measured, discount, seed, deadline, is_solved)

    def helps(self, deadline: float) -> dict[str, Any]:
        """A potential and a curriculum, where they are asked for.

        Raises:
            NoWay: nothing was found to make them of.
        """
        attempt = self.attempt
        if not {SHAPING, CURRICULUM} & set(attempt.remedies):
            return {}
        discount, seed = attempt.discount, attempt.seed
        now = time.monotonic()
        ways = self.ways(now + LOOKING_SHARE * (deadline - now))
        helps: dict[str, Any] = {}
        if SHAPING in attempt.remedies:
            scaling = self.features.scaling
            helps["potential"] = Potential.fitted(ways, scaling, discount, seed)
        if CURRICULUM in attempt.remedies:
            helps["curriculum"] = Curriculum(ways, discount, attempt.total_timesteps, seed)
        return helps

    def judge(self, out: Path, deadline: float) -> KeepBest:
        """What keeps the best policy in ``out``."""
        return KeepBest(
            self.make(self.attempt.evaluation_episodes),
            self.problem.horizon,
            self.measured.returns,
            total_timesteps=self.attempt.total_timesteps,
            deadline=deadline,
            folder=out,
            stop_after=self.attempt.stop_after,
            seconds_before=self.seconds_before,
        )

    @property
    def evaluate_every(self) -> int:
        """Steps from one evaluation to the next."""
        return max(self.attempt.total_timesteps // self.attempt.evaluations, 200)


def run_attempt(
    problem: Problem,
    attempt: Attempt,
    folder: Path,
    out: Path,
    seconds: float,
    seconds_before: float = 0.0,
) -> dict[str, Any]:
    """Train in ``folder`` (where environment.py lies) and leave policy and result in ``out``.

    Raises whatever the environment raises; ``ValueError`` for a method that does not exist or
    does not fit the action space.
    """
    out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)  # more threads cost more than they give on networks this small
    torch.set_flush_denormal(True)
    torch.manual_seed(attempt.seed)  # before the first network is made
    deadline = time.monotonic() + seconds
    workshop = Workshop(problem, folder, attempt, seconds_before)
    judge = workshop.judge(out, deadline)
    checkpoint = checkpoint_of(problem, attempt, out)
    try:
        made = METHODS[attempt.method](workshop, judge, out, checkpoint)
    finally:
        judge.close()
    result = {
        **judge.result(attempt.method, made),
        "policy_sha256": content_sha256(out),
        "attempt": attempt.as_json(),
    }
    (out / RESULT).write_text(json.dumps(result, indent=1))
    checkpoint.remove()
    return result


def checkpoint_of(problem: Problem, attempt: Attempt, out: Path) -> Checkpoint:
    """The checkpoint of this attempt in ``out``, from which a killed one goes on."""
    return Checkpoint(out, {"problem": asdict(problem), "attempt": attempt.as_json()})


def _reinforce(workshop: Workshop, judge: KeepBest, out: Path, checkpoint: Checkpoint) -> int:
    from sandbox.training.reinforce import EvaluateAndKeep, is_finite

    features = workshop.features  # first, for a checkpoint may need what it loads
    begun = checkpoint.read()
    model = begun["model"] if begun else _new_model(workshop, judge.deadline)
    policy = LearnedPolicy(model, features, workshop.coding)
    keeper = EvaluateAndKeep(judge, policy, workshop.evaluate_every, out, checkpoint)
    if begun:
        keeper.recall(begun)
    left = workshop.attempt.total_timesteps - model.num_timesteps
    try:
        model.learn(left, callback=keeper, reset_num_timesteps=not begun)
    except ValueError:
        # What the library says when it is to draw from a distribution without numbers.
        if is_finite(model.policy):
            raise
        judge.diverged = True
    return int(model.num_timesteps)


def _new_model(workshop: Workshop, deadline: float) -> Any:
    from sandbox.training.reinforce import make_model
    from sandbox.training.vector_environment import SimulatorVecEnv

    attempt = workshop.attempt
    shift, scale = workshop.reward_scaling
    environments = SimulatorVecEnv(
        workshop.make(attempt.parallel),
        workshop.features,
        workshop.coding,
        seed=attempt.seed,
        reward_shift=shift,
        reward_scale=scale,
        **workshop.helps(deadline),
    )
    return make_model(
        attempt.method,
        environments,
        discount=attempt.discount,
        total_timesteps=attempt.total_timesteps,
        seed=attempt.seed,
        persistent="persistent exploration" in attempt.remedies,
        masked=MASK in attempt.remedies,
        settings=attempt.settings,
    )


def _additive(workshop: Workshop, judge: KeepBest, out: Path, checkpoint: Checkpoint) -> int:
    attempt = workshop.attempt
    if workshop.components is None:
        raise ValueError("additive values need a vector of choices")
    shift, scale = workshop.reward_scaling
    settings = additive.AdditiveSettings(
        discount=attempt.discount,
        total_timesteps=attempt.total_timesteps,
        seed=attempt.seed,
        evaluate_every=workshop.evaluate_every,
        reward_shift=shift,
        reward_scale=scale,
        gradient_steps=max(1, round(attempt.parallel * GRADIENT_STEPS_A_STEP)),
    )
    simulator = workshop.make(attempt.parallel)
    return additive.learn(
        simulator, workshop.components, workshop.features, settings, judge, out, checkpoint
    )


def _factored(workshop: Workshop, judge: KeepBest, out: Path, checkpoint: Checkpoint) -> int:
    """Raises NotFactored where components touch each other; begins anew when killed."""
    return factored.learn(workshop.make, workshop.problem, workshop.attempt.seed, judge, out)


def _imitation(workshop: Workshop, judge: KeepBest, out: Path, checkpoint: Checkpoint) -> int:
    attempt = workshop.attempt
    policy = NetworkPolicy(workshop.features, workshop.coding, workshop.components)
    begun: Policy | None = None
    if attempt.start_from:
        begun = load_policy(out.parent / attempt.start_from, workshop.action_space)
        if isinstance(begun, NetworkPolicy):
            policy = begun
            policy.sampled = False  # both ways of deciding are judged anew
    examples, source = attempt.total_timesteps, _source(workshop, judge)
    settings = imitation.ImitationSettings(
        examples, attempt.seed, gradient_steps(examples), imitation.RULE
    )
    if attempt.method == "planning":
        steps = examples // EXAMPLES_A_GRADIENT_STEP
        settings = replace(settings, gradient_steps=steps, rounds=imitation.PLANS)
    return imitation.learn(
        source, policy, settings, judge, out, checkpoint=checkpoint,
        experienced=isinstance(begun, NetworkPolicy),
    )  # fmt: skip


def _source(workshop: Workshop, judge: KeepBest) -> Source:
    """Raises NoPlan where a planner finds nothing."""
    attempt = workshop.attempt
    if attempt.method == "planning":
        search = planner_for(
            workshop.problem, workshop.make, workshop.coding, workshop.measured.usual_rewards,
            attempt.seed, judge.deadline,
        )  # fmt: skip
        return PlannedExamples(search, workshop.make(attempt.parallel), attempt.seed)
    teacher = RuleTeacher(import_file("heuristic", workshop.folder).act)
    simulator = workshop.make(attempt.parallel)
    return RuleExamples(simulator, teacher, attempt.seed, judge.mean_return(teacher))


def gradient_steps(examples: int) -> int:
    """Steps for so many examples: each is learned from about four times, fewer ones more often."""
    return max(4 * examples // imitation.BATCH, min(examples // 8, LEAST_GRADIENT_STEPS))


def _exact(workshop: Workshop, judge: KeepBest, out: Path, checkpoint: Checkpoint) -> int:
    """Raises NotEnumerable where the states cannot be gone through; begins anew when killed."""
    problem, folder = workshop.problem, workshop.folder
    seconds = judge.deadline - time.monotonic()
    model = enumerate_environment(
        lambda: make_environment(problem.gymnasium_id, folder), Limits(seconds=seconds)
    )
    solution = solve(model)
    judge.consider(1, solution.policy, lambda: solution.policy.save(out))
    judge.stopped_because = "exact" if solution.exact else "total_timesteps"
    (out / OPTIMUM).write_text(
        json.dumps({"optimum": solution.optimum, "value": solution.value, "exact": solution.exact,
                    "remarks": solution.remarks})
    )  # fmt: skip
    return 1


METHODS = {
    **dict.fromkeys(USUAL, _reinforce),
    "additive": _additive,
    "factored": _factored,
    "imitation": _imitation,
    "planning": _imitation,
    "exact": _exact,
}
