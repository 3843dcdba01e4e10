"""Planning without learning: the best of some random sequences of actions, made anew each step.

Actions are kept up for some steps at random, which leads further than changing them in every step;
the plan of the step before is tried again (random shooting with a receding horizon).
"""

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sandbox.programs.policies import Environments, Observations
from sandbox.programs.remote import Ahead, RemoteEpisodes
from sandbox.training.simulator import random_actions

PLANS = 40
DEPTH = 20
KEPT = 0.7
"""Chance that an action of a plan is that of the step before."""


class Shooting:
    """Takes the first action of the plan with the best mean return over ``DEPTH`` steps."""

    def __init__(
        self, environments: RemoteEpisodes, space: spaces.Space[Any], seed: int, samples: int
    ) -> None:
        self.environments, self.space, self.samples = environments, space, samples
        self.random = np.random.default_rng(seed)
        self._plans: dict[int, NDArray[Any]] = {}

    def act(
        self, environments: Environments, observations: Observations, time_step: int
    ) -> list[Any]:
        """An action for each environment, all of which stay untouched."""
        if time_step == 0:
            self._plans = {}
        tried = {e.number: self._candidates(e.number) for e in environments}
        wanted = [
            Ahead(number, list(plans), self.random.integers(2**31, size=self.samples).tolist())
            for number, plans in tried.items()
        ]
        for one, returns in zip(wanted, self.environments.look_further(wanted), strict=True):
            self._plans[one.number] = tried[one.number][int(returns.mean(axis=1).argmax())]
        return [self._plans[environment.number][0] for environment in environments]

    def _candidates(self, number: int) -> NDArray[Any]:
        """Sequences (``PLANS``, ``DEPTH``, ...); the first goes on with what was planned before."""
        drawn = random_actions(self.space, PLANS * DEPTH, self.random)
        plans = drawn.reshape(PLANS, DEPTH, *drawn.shape[1:])
        kept = self.random.random((PLANS, DEPTH)) < KEPT
        for step in range(1, DEPTH):
            plans[kept[:, step], step] = plans[kept[:, step], step - 1]
        if number in self._plans:
            plans[0, :-1] = self._plans[number][1:]
        return plans
