"""Policies that are compared with each other, all with one way of being asked.

A policy sees the environments only to look one step ahead (``OneStepGreedy``); the others see the
observations. What generated code decides is asked of the process in which it runs.
"""

import itertools
from typing import Any, Protocol

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sandbox.programs import space_data
from sandbox.programs.asking import Ask
from sandbox.programs.faults import AnswerInvalid, mapping
from sandbox.programs.remote import RemoteEnvironment
from sandbox.training.actions import FLAT_ACTIONS

Environments = list[RemoteEnvironment]
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

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self.seconds = 0.0
        """Processor seconds of all decisions, as the other process tells."""

    def act(
        self, environments: Environments, observations: Observations, time_step: int
    ) -> list[Any]:
        """The heuristic's action for each environment."""
        told = mapping(self._ask("decide", observations=observations))
        actions, seconds = told.get("actions"), told.get("seconds")
        if not isinstance(actions, list) or len(actions) != len(observations):
            raise AnswerInvalid("there is not one decision for each observation")
        self.seconds += seconds if isinstance(seconds, float) else 0.0
        return actions


class TrainedPolicy:
    """What training kept: policy.zip, asked as policy_setup.json says."""

    def __init__(self, ask: Ask, space: spaces.Space[Any]) -> None:
        self._ask, self._shape = ask, space.shape or ()
        ask("load", space=space_data.as_plain(space))

    def act(
        self, environments: Environments, observations: Observations, time_step: int
    ) -> list[Any]:
        """The policy's action for each environment."""
        actions = self._ask("decide", observations=observations, time_step=time_step)
        shape = (len(observations), *self._shape)
        if not isinstance(actions, np.ndarray) or actions.shape != shape:
            raise AnswerInvalid("the trained policy does not give an action for each observation")
        return list(actions)


def all_actions(space: spaces.Space[Any]) -> list[Any] | None:
    """Every action of a small discrete space, None for any other."""
    if isinstance(space, spaces.Discrete):
        return [int(space.start) + k for k in range(int(space.n))]
    if isinstance(space, spaces.MultiDiscrete) and np.prod(space.nvec) <= FLAT_ACTIONS:
        return [np.array(a) for a in itertools.product(*(range(n) for n in space.nvec))]
    return None
