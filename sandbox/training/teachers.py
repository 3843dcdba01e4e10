"""Who can say what would be good to do in a given state of the simulator."""

import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sandbox.training.actions import ActionCoding
from sandbox.training.policy import Policy
from sandbox.training.simulator import Simulator

CLEARLY = 1e-6
"""Relative gain below which a foreseen return counts as no better than another."""


class Teacher(Protocol):
    """Names good actions for the present states of a simulator."""

    def labels(
        self, simulator: Simulator, seen: NDArray[Any], time_steps: NDArray[np.int64]
    ) -> NDArray[Any]:
        """Actions (n, ...) in the environment's own terms."""


class RuleTeacher:
    """A function of one observation, such as a heuristic someone wrote."""

    def __init__(self, act: Callable[[NDArray[np.float32]], Any]) -> None:
        self.act = act

    def labels(
        self, simulator: Simulator, seen: NDArray[Any], time_steps: NDArray[np.int64]
    ) -> NDArray[Any]:
        """What the rule says about each observation."""
        return self.actions(seen, time_steps)

    def actions(self, observations: NDArray[Any], time_steps: NDArray[np.int64]) -> NDArray[Any]:
        """The same, as a policy."""
        return np.stack([np.asarray(self.act(one)) for one in observations])


class LookaheadTeacher:
    """Tries every first action and then follows a policy to the end (rollout algorithm).

    Of few actions the best is at least as good as the policy's own, up to chance (Bertsekas,
    Rollout, Policy Iteration, and Distributed Reinforcement Learning, 2020). The policy's own
    action is kept unless another is clearly better.
    """

    def __init__(
        self, policy: Policy, coding: ActionCoding, *, depth: int, samples: int, discount: float
    ) -> None:
        self.policy, self.coding = policy, coding
        self.depth, self.samples, self.discount = depth, samples, discount

    def labels(
        self, simulator: Simulator, seen: NDArray[Any], time_steps: NDArray[np.int64]
    ) -> NDArray[Any]:
        """The action with the best mean return ahead, for each episode."""
        n, choices, samples = simulator.size, self.coding.choices, self.samples
        which = np.repeat(np.arange(n), choices * samples)
        first = np.tile(np.repeat(np.arange(choices), samples), n)
        returns = self._returns(simulator.copies(which), first, time_steps[which])
        grouped = returns.reshape(n, choices, samples)
        means = grouped.mean(axis=2)
        own = self.coding.from_own(self.policy.actions(seen, time_steps))
        best = means.argmax(axis=1)
        rows = np.arange(n)
        gain = (grouped[rows, best] - grouped[rows, own]).mean(axis=1)
        noise = np.abs(means).max(axis=1) * CLEARLY
        if samples > 1:
            difference = grouped[rows, best] - grouped[rows, own]
            noise = noise + difference.std(axis=1, ddof=1) / math.sqrt(samples)
        return self.coding.to_own(np.where(gain > noise, best, own))

    def _returns(
        self, ahead: Simulator, first: NDArray[np.int64], time_steps: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        returns = np.zeros(ahead.size)
        running = np.ones(ahead.size, dtype=bool)
        time_steps = time_steps.copy()
        actions, factor = self.coding.to_own(first), 1.0
        for _ in range(self.depth):
            step = ahead.step(actions)
            returns += factor * np.where(running, step.rewards, 0.0)
            running &= ~(step.terminated | step.truncated)
            if not running.any():
                break
            time_steps += 1
            factor *= self.discount
            actions = self.policy.actions(step.observations, time_steps)
        return returns
