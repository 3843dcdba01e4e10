"""Policies that are compared with each other, all with one way of being asked.

A policy sees the environments only to look one step ahead (``OneStepGreedy``); the others see the
observations.
"""

import itertools
from pathlib import Path
from typing import Any, Protocol

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sandbox.training.actions import FLAT_ACTIONS
from sandbox.training.environments import import_file

Environments = list[gymnasium.Env[Any, Any]]
Observations = NDArray[np.float32]


class Policy(Protocol):
    """Something that decides for several environments at once."""

    def act(
        self, environments: Environments, observations: Observations, time_step: int
    ) -> list[Any]:
        """One action for each environment, in the environment's own action space.

        ``time_step`` decisions were taken before in each of their episodes.
        """


class RandomPolicy:
    """Uniformly random actions, from a generator of its own."""

    def __init__(self, space: spaces.Space[Any], seed: int) -> None:
        self.space = space
        space.seed(seed)

    def act(
        self, environments: Environments, observations: Observations, time_step: int
    ) -> list[Any]:
        """One random action for each environment."""
        return [self.space.sample() for _ in environments]


class ConstantPolicy:
    """The same action in every step."""

    def __init__(self, action: Any) -> None:
        self.action = action

    def act(
        self, environments: Environments, observations: Observations, time_step: int
    ) -> list[Any]:
        """The constant action for each environment."""
        return [self.action for _ in environments]


class HeuristicPolicy:
    """What heuristic.py decides, one environment after the other."""

    def __init__(self) -> None:
        self.decide = import_file("heuristic").act

    def act(
        self, environments: Environments, observations: Observations, time_step: int
    ) -> list[Any]:
        """The heuristic's action for each environment."""
        return [self.decide(observation) for observation in observations]


class TrainedPolicy:
    """What training kept: policy.zip, asked as policy_setup.json says."""

    def __init__(self, folder: Path, space: spaces.Space[Any]) -> None:
        # Only here, for the other policies need neither torch nor the training package.
        from sandbox.training.policy import load_policy

        self.policy = load_policy(folder, space)

    def act(
        self, environments: Environments, observations: Observations, time_step: int
    ) -> list[Any]:
        """The policy's action for each environment."""
        time_steps = np.full(len(environments), time_step, dtype=np.int64)
        return list(self.policy.actions(observations, time_steps))


def all_actions(space: spaces.Space[Any]) -> list[Any] | None:
    """Every action of a small discrete space, None for any other."""
    if isinstance(space, spaces.Discrete):
        return [int(space.start) + k for k in range(int(space.n))]
    if isinstance(space, spaces.MultiDiscrete) and np.prod(space.nvec) <= FLAT_ACTIONS:
        return [np.array(a) for a in itertools.product(*(range(n) for n in space.nvec))]
    return None
