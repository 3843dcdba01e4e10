"""How good a policy is: mean undiscounted return on common seeds."""

import math
import time
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sandbox.training.policy import Policy
from sandbox.training.simulator import Simulator

SELECTION_SEED = 500_000_000
"""First seed on which policies are compared while training; none below it is used there."""
MOST_CONSTANTS = 16


class ConstantPolicy:
    """The same action always."""

    def __init__(self, action: NDArray[Any]) -> None:
        self.action = action

    def actions(self, observations: NDArray[Any], time_steps: NDArray[np.int64]) -> NDArray[Any]:
        """The action, once for each episode."""
        return np.repeat(self.action[None], len(observations), axis=0)


def some_actions(space: spaces.Space[Any]) -> list[NDArray[Any]]:
    """All of a few actions; of many, those with each component lowest, in the middle, highest."""
    if isinstance(space, spaces.Discrete):
        count = min(int(space.n), MOST_CONSTANTS)
        numbers = np.unique(np.rint(np.linspace(0, int(space.n) - 1, count)).astype(np.int64))
        return [np.asarray(space.start + k) for k in numbers]
    if isinstance(space, spaces.MultiDiscrete):
        middles = [np.rint(share * (space.nvec - 1)) for share in (0.0, 0.5, 1.0)]
        return [space.start + middle.astype(np.int64) for middle in middles]
    if isinstance(space, spaces.Box):
        ends = [space.low + share * (space.high - space.low) for share in (0.0, 0.5, 1.0)]
        return [end.astype(space.dtype) for end in ends]
    return []


class OutOfTime(Exception):
    """Playing took longer than it was to."""


class Watched:
    """A policy as it is, with a look at whether it always decides the same."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self._first: NDArray[Any] | None = None
        self._other = False

    @property
    def always_same(self) -> bool:
        """Whether all decisions so far, of which there were some, are the same."""
        return self._first is not None and not self._other

    def actions(self, observations: NDArray[Any], time_steps: NDArray[np.int64]) -> NDArray[Any]:
        """What the policy decides."""
        chosen = self.policy.actions(observations, time_steps)
        if self._first is None:
            self._first = chosen[:1].copy()
        self._other = self._other or bool(np.any(chosen != self._first))
        return chosen


def episode_returns(
    policy: Policy,
    simulator: Simulator,
    horizon: int,
    seed: int = SELECTION_SEED,
    deadline: float = math.inf,
) -> NDArray[np.float64]:
    """Undiscounted returns (n,) of one episode at each place of ``simulator``.

    Raises:
        OutOfTime: the clock passed ``deadline`` meanwhile.
    """
    seen = simulator.reset(seed)
    returns = np.zeros(simulator.size)
    running = np.ones(simulator.size, dtype=bool)
    time_steps = np.zeros(simulator.size, dtype=np.int64)
    for _ in range(horizon):
        if time.monotonic() > deadline:
            raise OutOfTime
        step = simulator.step(policy.actions(seen, time_steps))
        returns += np.where(running, step.rewards, 0.0)
        running &= ~(step.terminated | step.truncated)
        if not running.any():
            break
        seen = step.observations
        time_steps += 1
    return returns
