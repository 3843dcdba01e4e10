"""Policies that are compared with each other, all with one way of being asked.

A policy sees the environments only to look one step ahead (``OneStepGreedy``); the others see the
observations.
"""

import itertools
import json
from pathlib import Path
from typing import Any, Protocol

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sandbox.programs.scaling import ObservationScaling

Environments = list[gymnasium.Env[Any, Any]]
Observations = NDArray[np.float32]

# Below this many joint actions, a vector of choices counts as one choice.
FLAT_ACTIONS = 64


class Policy(Protocol):
    """Something that decides for several environments at once."""

    def act(self, environments: Environments, observations: Observations) -> list[Any]:
        """One action for each environment, in the environment's own action space."""


class RandomPolicy:
    """Uniformly random actions, from a generator of its own."""

    def __init__(self, space: spaces.Space[Any], seed: int) -> None:
        self.space = space
        space.seed(seed)

    def act(self, environments: Environments, observations: Observations) -> list[Any]:
        """One random action for each environment."""
        return [self.space.sample() for _ in environments]


class ConstantPolicy:
    """The same action in every step."""

    def __init__(self, action: Any) -> None:
        self.action = action

    def act(self, environments: Environments, observations: Observations) -> list[Any]:
        """The constant action for each environment."""
        return [self.action for _ in environments]


class TrainedPolicy:
    """What train.py kept: policy.zip, asked as policy_setup.json says."""

    def __init__(self, folder: Path, space: spaces.Space[Any]) -> None:
        import stable_baselines3

        setup = json.loads((folder / "policy_setup.json").read_text())
        algorithm = getattr(stable_baselines3, setup["algorithm"])
        self.model = algorithm.load(folder / "policy.zip", device="cpu")
        self.scaling = ObservationScaling(setup["observation_scaling"])
        self.flattened = bool(setup["flattened"])
        self.space = space

    def act(self, environments: Environments, observations: Observations) -> list[Any]:
        """The policy's most likely action for each environment."""
        chosen, _ = self.model.predict(self.scaling(observations), deterministic=True)
        return [self._own_action(action) for action in chosen]

    def _own_action(self, action: Any) -> Any:
        if self.flattened and isinstance(self.space, spaces.MultiDiscrete):
            return np.array(np.unravel_index(int(action), tuple(self.space.nvec)))
        if isinstance(self.space, spaces.Box):
            middle = (self.space.low + self.space.high) / 2
            half = (self.space.high - self.space.low) / 2
            moved = middle + half * np.clip(action, -1, 1)
            return np.clip(moved, self.space.low, self.space.high).astype(self.space.dtype)
        return action


def all_actions(space: spaces.Space[Any]) -> list[Any] | None:
    """Every action of a small discrete space, None for any other."""
    if isinstance(space, spaces.Discrete):
        return [int(space.start) + k for k in range(int(space.n))]
    if isinstance(space, spaces.MultiDiscrete) and np.prod(space.nvec) <= FLAT_ACTIONS:
        return [np.array(a) for a in itertools.product(*(range(n) for n in space.nvec))]
    return None
