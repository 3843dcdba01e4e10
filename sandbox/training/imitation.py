"""Learning a network from a teacher, in the states that the network itself gets into.

Data aggregation (DAgger: Ross, Gordon and Bagnell, 2011): first the teacher plays, later the
student, and the teacher says in every state what it would have done.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sandbox.training.keep_best import KeepBest
from sandbox.training.network import NetworkPolicy
from sandbox.training.simulator import Simulator, random_actions
from sandbox.training.teachers import Teacher

BATCH = 256
LEARNING_RATE = 1e-3
STRAYING = 0.1
"""Share of random steps while examples are gathered, so that mistakes are met and put right."""


@dataclass(frozen=True)
class ImitationSettings:
    """How to learn.

    Attributes:
        total_timesteps: states to ask the teacher about.
        rounds: evaluations on the way; the student plays from the second round on.
        passes: times that each example is learned from, in the mean.
    """

    total_timesteps: int
    seed: int
    rounds: int = 10
    passes: int = 8
    straying: float = STRAYING


class Examples:
    """Features and good answers, growing."""

    def __init__(self) -> None:
        self.features: list[NDArray[np.float32]] = []
        self.answers: list[NDArray[Any]] = []

    def add(self, features: NDArray[np.float32], answers: NDArray[Any]) -> None:
        """Add n examples."""
        self.features.append(features)
        self.answers.append(answers)

    def tensors(self) -> tuple[torch.Tensor, torch.Tensor]:
        """All examples."""
        return (
            torch.as_tensor(np.concatenate(self.features)),
            torch.as_tensor(np.concatenate(self.answers)),
        )


def learn(
    simulator: Simulator,
    teacher: Teacher,
    policy: NetworkPolicy,
    settings: ImitationSettings,
    judge: KeepBest,
    folder: Path,
    *,
    experienced: bool = False,
) -> int:
    """Teach ``policy``; returns the states asked about. The best policy is in ``folder``.

    ``experienced`` says that the policy plays from the first round on.
    """
    torch.manual_seed(settings.seed)
    random = np.random.default_rng(settings.seed)
    optimizer = torch.optim.Adam(policy.network.parameters(), lr=LEARNING_RATE, fused=True)
    examples = Examples()
    seen = simulator.reset(settings.seed)
    time_steps = np.zeros(simulator.size, dtype=np.int64)
    a_round = max(settings.total_timesteps // settings.rounds, simulator.size)
    asked = 0
    for number in range(settings.rounds):
        student_plays = experienced or number > 0
        wanted = asked + a_round
        while asked < wanted:
            labels = teacher.labels(simulator, seen, time_steps)
            examples.add(policy.features(seen, time_steps), policy.coding.from_own(labels))
            asked += simulator.size
            played = policy.actions(seen, time_steps) if student_plays else labels
            stray = random.random(simulator.size) < settings.straying
            drawn = random_actions(simulator.action_space, simulator.size, random)
            step = simulator.step(np.where(_like(stray, played), drawn, played))
            time_steps += 1
            seen = step.observations.copy()
            which = np.flatnonzero(step.terminated | step.truncated)
            if len(which):
                time_steps[which] = 0
                seen[which] = simulator.restart(which)
            if judge.out_of_time():
                break
        left = 1 - number / settings.rounds
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * max(left, 0.1)
        _fit(policy, optimizer, examples, a_round * settings.passes // BATCH, random, judge)
        if judge.consider(asked, policy, lambda: policy.save(folder)):
            break
    return asked


def _like(mask: NDArray[np.bool_], actions: NDArray[Any]) -> NDArray[np.bool_]:
    return mask.reshape(-1, *[1] * (np.ndim(actions) - 1))


def _fit(
    policy: NetworkPolicy,
    optimizer: torch.optim.Optimizer,
    examples: Examples,
    steps: int,
    random: np.random.Generator,
    judge: KeepBest,
) -> None:
    features, answers = examples.tensors()
    for _ in range(max(steps, 1)):
        k = torch.as_tensor(random.integers(len(features), size=BATCH))
        loss = policy.loss(features[k], answers[k])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        if judge.out_of_time():
            break
