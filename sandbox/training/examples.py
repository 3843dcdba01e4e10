"""Examples of good decisions, and those that a rule gives."""

from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from sandbox.training.keep_best import KeepBest
from sandbox.training.network import NetworkPolicy
from sandbox.training.policy import Policy
from sandbox.training.simulator import Simulator, random_actions

STRAYING = 0.1
"""Share of random steps while examples are gathered, so that mistakes are met and put right."""


class Examples:
    """Observations and good answers, growing."""

    def __init__(self) -> None:
        self.observations: list[NDArray[np.float32]] = []
        self.time_steps: list[NDArray[np.int64]] = []
        self.answers: list[NDArray[Any]] = []
        self.count = 0

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
        self.count += len(answers)

    def arrays(self) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[Any]]:
        """All examples; kept in one piece from now on."""
        self.observations = [np.concatenate(self.observations)]
        self.time_steps = [np.concatenate(self.time_steps)]
        self.answers = [np.concatenate(self.answers)]
        return self.observations[0], self.time_steps[0], self.answers[0]


class Source(Protocol):
    """Where examples come from, and how good a policy would be that always did the same."""

    examples: Examples

    @property
    def mean_return(self) -> float | None:
        """Of a policy that always did what the examples say; None as long as it is not known."""

    def go_on(self, fresh: Any) -> None:
        """After a checkpoint was read: take from a source just made what it did not hold."""

    def gather(
        self, wanted: float, policy: NetworkPolicy, judge: KeepBest, *, student_plays: bool
    ) -> None:
        """Add examples until there are as many as wanted or the judge's time is used up.

        They are of states that the source itself leads to, or ``policy`` if the student plays.
        """


class RuleExamples:
    """Asks a rule about every state on the way."""

    def __init__(
        self, simulator: Simulator, teacher: Policy, seed: int, mean_return: float | None = None
    ) -> None:
        self.simulator, self.teacher, self.mean_return = simulator, teacher, mean_return
        self.random = np.random.default_rng(seed)
        self.examples = Examples()
        self.seen = simulator.reset(seed)
        self.time_steps = np.zeros(simulator.size, dtype=np.int64)

    def __getstate__(self) -> dict[str, Any]:
        """All but the teacher."""
        return {k: v for k, v in vars(self).items() if k != "teacher"}

    def go_on(self, fresh: Self) -> None:
        """Take the teacher."""
        self.teacher = fresh.teacher

    def gather(
        self, wanted: float, policy: NetworkPolicy, judge: KeepBest, *, student_plays: bool
    ) -> None:
        """Let episodes be played, and ask the rule in each state."""
        while self.examples.count < wanted and not judge.out_of_time():
            labels = self.teacher.actions(self.seen, self.time_steps)
            self.examples.add(self.seen, self.time_steps, policy.coding.from_own(labels))
            played = labels
            if student_plays:
                # The teacher helps out half of the time, so that no example is of standing still.
                helped = self._some(0.5, labels)
                played = np.where(helped, labels, policy.actions(self.seen, self.time_steps))
            drawn = random_actions(self.simulator.action_space, self.simulator.size, self.random)
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
