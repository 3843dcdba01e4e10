"""Learning a network from examples, in the states that the network itself gets into.

Data aggregation (DAgger: Ross, Gordon and Bagnell, 2011): first the teacher plays, later the
student, and the teacher says in every state what it would have done.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch

from sandbox.training.checkpoint import Checkpoint
from sandbox.training.examples import Source
from sandbox.training.keep_best import KeepBest
from sandbox.training.network import NetworkPolicy

BATCH = 256
LEARNING_RATE = 1e-3
NEARLY = 0.005
"""Share of the teacher's gain over chance by which the student may fall short of it."""


@dataclass(frozen=True)
class Rounds:
    """Shares of the examples that are gathered while the teacher plays, then the student.

    In each round the student is judged ``parts`` times.
    """

    teacher: tuple[float, ...]
    student: tuple[float, ...]
    parts: int


RULE = Rounds((0.02, 0.04, 0.08, 0.16, 0.3), (0.1,) * 4, parts=2)
PLANS = Rounds((0.02, 0.04, 0.08, 0.1), (0.095,) * 8, parts=1)
"""Plans are dear: most are made where the student needs them."""


@dataclass(frozen=True)
class ImitationSettings:
    """How to learn: from so many examples, with so many gradient steps in all."""

    total_timesteps: int
    seed: int
    gradient_steps: int
    rounds: Rounds


class _Lessons:
    """Learns from the examples of a source, in parts."""

    def __init__(
        self, source: Source, policy: NetworkPolicy, settings: ImitationSettings, judge: KeepBest
    ) -> None:
        torch.manual_seed(settings.seed)
        self.source, self.policy, self.settings, self.judge = source, policy, settings, judge
        self.random = np.random.default_rng(settings.seed)
        self.optimizer = torch.optim.Adam(policy.network.parameters(), LEARNING_RATE, fused=True)
        self.learned = 0
        self.place = 0
        """Parts of rounds that are done."""

    def __getstate__(self) -> dict[str, Any]:
        """All but the judge, who is there anew when a checkpoint is read."""
        return {k: v for k, v in vars(self).items() if k != "judge"}

    def go_on(self, source: Source, judge: KeepBest) -> Self:
        """The same lessons, of which a checkpoint was read, with what it did not hold."""
        self.source.go_on(source)
        self.judge = judge
        return self

    def gather(self, share: float, *, student_plays: bool) -> None:
        """Get more examples, ``share`` of all of them."""
        wanted = self.source.examples.count + share * self.settings.total_timesteps
        self.source.gather(wanted, self.policy, self.judge, student_plays=student_plays)

    def learn(self, share: float) -> None:
        """Learn from all examples so far, in ``share`` of all gradient steps."""
        observations, time_steps, answers = self.source.examples.arrays()
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
    source: Source,
    policy: NetworkPolicy,
    settings: ImitationSettings,
    judge: KeepBest,
    folder: Path,
    *,
    checkpoint: Checkpoint,
    experienced: bool = False,
) -> int:
    """Teach ``policy``; returns the number of examples. The best policy is in ``folder``.

    ``experienced`` says that the policy plays from the first round on. It ends early when it does
    as well as the source. It goes on from the ``checkpoint`` where there is one.
    """
    begun = checkpoint.read()
    if begun is None:
        lessons = _Lessons(source, policy, settings, judge)
    else:
        lessons = begun["lessons"].go_on(source, judge)
        judge.recall(begun["judge"])
    rounds, examples = settings.rounds, lessons.source.examples
    shares = [*rounds.teacher, *rounds.student]
    while lessons.place < rounds.parts * len(shares):
        if checkpoint.due():
            checkpoint.write({"lessons": lessons, "judge": judge.memory()})
        number, part = divmod(lessons.place, rounds.parts)
        if part == 0:
            student_plays = experienced or number >= len(rounds.teacher)
            lessons.gather(shares[number], student_plays=student_plays)
            judge.wanted = lessons.source.mean_return
        lessons.learn(shares[number] / rounds.parts)
        lessons.place += 1
        if judge.evaluated_at and judge.out_of_time():
            # Only half learned: with the time there is, nobody could do the same again.
            return judge.evaluated_at[-1]
        if _consider_both(lessons.policy, examples.count, judge, folder):
            return examples.count
        if judge.wanted is not None and judge.reaches(judge.wanted, NEARLY):
            judge.stopped_because = "converged"
            return examples.count
    return examples.count


def _consider_both(policy: NetworkPolicy, asked: int, judge: KeepBest, folder: Path) -> bool:
    """Judge the policy as it is and drawing its actions; True if the training should end."""
    ended = judge.consider(asked, policy, lambda: policy.save(folder))
    sampled = policy.as_sampled()
    if sampled is not policy:
        ended = judge.consider(asked, sampled, lambda: sampled.save(folder)) or ended
    return ended
