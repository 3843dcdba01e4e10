"""Learning a network from a teacher, in the states that the network itself gets into.

Data aggregation (DAgger: Ross, Gordon and Bagnell, 2011): first the teacher plays, later the
student, and the teacher says in every state what it would have done.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray

from sandbox.training.checkpoint import Checkpoint
from sandbox.training.keep_best import KeepBest
from sandbox.training.network import NetworkPolicy
from sandbox.training.policy import Policy
from sandbox.training.simulator import Simulator, random_actions

BATCH = 256
LEARNING_RATE = 1e-3
STRAYING = 0.1
"""Share of random steps while examples are gathered, so that mistakes are met and put right."""
TEACHER_ROUNDS = (0.02, 0.04, 0.08, 0.16, 0.3)
"""Shares of the examples that are gathered while the teacher plays."""
STUDENT_ROUNDS = (0.1, 0.1, 0.1, 0.1)
"""And then while the student plays."""
PARTS = 2
"""Evaluations in each round."""
NEARLY = 0.005
"""Share of the teacher's gain over chance by which the student may fall short of it."""


@dataclass(frozen=True)
class ImitationSettings:
    """How to learn: so many states to ask the teacher about, so many gradient steps in all."""

    total_timesteps: int
    seed: int
    gradient_steps: int


class Examples:
    """Observations and good answers, growing."""

    def __init__(self) -> None:
        self.observations: list[NDArray[np.float32]] = []
        self.time_steps: list[NDArray[np.int64]] = []
        self.answers: list[NDArray[Any]] = []

    def add(
        self,
        observations: NDArray[np.float32],
        time_steps: NDArray[np.int64],
        answers: NDArray[Any],
    ) -> None:
        """Add n examples."""
        self.observations.append(observations.copy())
        self.time_steps.append(time_steps.copy())
        self.answers.append(answers)

    def arrays(self) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[Any]]:
        """All examples; kept in one piece from now on."""
        self.observations = [np.concatenate(self.observations)]
        self.time_steps = [np.concatenate(self.time_steps)]
        self.answers = [np.concatenate(self.answers)]
        return self.observations[0], self.time_steps[0], self.answers[0]


class _Lessons:
    """Gathers examples and learns from them, in rounds."""

    def __init__(
        self,
        simulator: Simulator,
        teacher: Policy,
        policy: NetworkPolicy,
        settings: ImitationSettings,
        judge: KeepBest,
    ) -> None:
        torch.manual_seed(settings.seed)
        self.simulator, self.teacher, self.policy = simulator, teacher, policy
        self.settings, self.judge = settings, judge
        self.random = np.random.default_rng(settings.seed)
        self.optimizer = torch.optim.Adam(policy.network.parameters(), LEARNING_RATE, fused=True)
        self.examples = Examples()
        self.seen = simulator.reset(settings.seed)
        self.time_steps = np.zeros(simulator.size, dtype=np.int64)
        self.asked = self.learned = 0
        self.place = 0
        """Parts of rounds that are done."""

    def __getstate__(self) -> dict[str, Any]:
        """All but the teacher and the judge, who are there anew when a checkpoint is read."""
        return {k: v for k, v in vars(self).items() if k not in ("teacher", "judge")}

    def go_on(self, teacher: Policy, judge: KeepBest) -> Self:
        """The same lessons, of which a checkpoint was read, with both again."""
        self.teacher, self.judge = teacher, judge
        return self

    def gather(self, share: float, *, student_plays: bool) -> None:
        """Ask the teacher about more states, ``share`` of all of them."""
        wanted = self.asked + share * self.settings.total_timesteps
        policy, size = self.policy, self.simulator.size
        while self.asked < wanted and not self.judge.out_of_time():
            labels = self.teacher.actions(self.seen, self.time_steps)
            self.examples.add(self.seen, self.time_steps, policy.coding.from_own(labels))
            self.asked += size
            played = labels
            if student_plays:
                # The teacher helps out half of the time, so that no example is of standing still.
                helped = self._some(0.5, labels)
                played = np.where(helped, labels, policy.actions(self.seen, self.time_steps))
            drawn = random_actions(self.simulator.action_space, size, self.random)
            played = np.where(self._some(STRAYING, labels), drawn, played)
            step = self.simulator.step(played)
            self.time_steps += 1
            self.seen = step.observations.copy()
            which = np.flatnonzero(step.terminated | step.truncated)
            if len(which):
                self.time_steps[which] = 0
                self.seen[which] = self.simulator.restart(which)

    def _some(self, share: float, actions: NDArray[Any]) -> NDArray[np.bool_]:
        """True for a random share of the episodes, in a shape that fits ``actions``."""
        drawn = self.random.random(len(actions)) < share
        return drawn.reshape(-1, *[1] * (np.ndim(actions) - 1))

    def learn(self, share: float) -> None:
        """Learn from all examples so far, in ``share`` of all gradient steps."""
        observations, time_steps, answers = self.examples.arrays()
        total = self.settings.gradient_steps
        for _ in range(max(1, round(share * total))):
            self.optimizer.param_groups[0]["lr"] = LEARNING_RATE * max(
                1 - self.learned / total, 0.05
            )
            k = self.random.integers(len(observations), size=BATCH)
            features = self.policy.features(observations[k], time_steps[k])
            loss = self.policy.loss(torch.as_tensor(features), torch.as_tensor(answers[k]))
            self.optimizer.zero_grad(set_to_none=True)
            torch.autograd.backward(loss)
            self.optimizer.step()
            self.learned += 1
            if self.judge.out_of_time():
                break


def learn(
    simulator: Simulator,
    teacher: Policy,
    policy: NetworkPolicy,
    settings: ImitationSettings,
    judge: KeepBest,
    folder: Path,
    *,
    checkpoint: Checkpoint,
    experienced: bool = False,
    teacher_return: float | None = None,
) -> int:
    """Teach ``policy``; returns the states asked about. The best policy is in ``folder``.

    ``experienced`` says that the policy plays from the first round on. It ends early when it does
    as well as ``teacher_return``, the teacher's own mean return on the judge's seeds. It goes on
    from the ``checkpoint`` where there is one.
    """
    begun = checkpoint.read()
    if begun is None:
        lessons = _Lessons(simulator, teacher, policy, settings, judge)
    else:
        lessons = begun["lessons"].go_on(teacher, judge)
        judge.recall(begun["judge"])
    shares = [*TEACHER_ROUNDS, *STUDENT_ROUNDS]
    while lessons.place < PARTS * len(shares):
        if checkpoint.due():
            checkpoint.write({"lessons": lessons, "judge": judge.memory()})
        number, part = divmod(lessons.place, PARTS)
        if part == 0:
            student_plays = experienced or number >= len(TEACHER_ROUNDS)
            lessons.gather(shares[number], student_plays=student_plays)
        lessons.learn(shares[number] / PARTS)
        lessons.place += 1
        if _consider_both(lessons.policy, lessons.asked, judge, folder):
            return lessons.asked
        if teacher_return is not None and judge.reaches(teacher_return, NEARLY):
            judge.stopped_because = "converged"
            return lessons.asked
    return lessons.asked


def _consider_both(policy: NetworkPolicy, asked: int, judge: KeepBest, folder: Path) -> bool:
    """Judge the policy as it is and drawing its actions; True if the training should end."""
    if judge.consider(asked, policy, lambda: policy.save(folder)):
        return True
    sampled = policy.as_sampled()
    return sampled is not policy and judge.consider(asked, sampled, lambda: sampled.save(folder))
