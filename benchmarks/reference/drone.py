"""A drone with three packages and one battery, from ``tasks/drone-delivery/description.md``."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

WIDTH = 50
PACKAGES = 3
LEAST_ENERGY, MOST_ENERGY = 300, 400
NORTH, SOUTH, EAST, WEST, PICK_UP, DELIVER = range(6)
MOVES = {NORTH: (0, 1), SOUTH: (0, -1), EAST: (1, 0), WEST: (-1, 0)}
WAITING, CARRIED, DELIVERED = range(3)
DELIVERY_COST = 2
# The description names no rewards; above all that a battery holds, it does not matter which.
DELIVERY_REWARD = 500.0


class Drone(gymnasium.Env[NDArray[np.float32], Any]):
    """Observed (18): cell (2), energy, pick-up cells (3 x 2), target cells (3 x 2), states (3).

    Action: north, south, east, west, pick up, deliver. Reward: ``DELIVERY_REWARD`` for a delivery,
    less the energy used.
    """

    def __init__(self) -> None:
        self.action_space = spaces.Discrete(6)
        edge = WIDTH - 1
        high = np.array([edge] * 2 + [MOST_ENERGY] + [edge] * 12 + [DELIVERED] * 3, np.float32)
        self.observation_space = spaces.Box(np.zeros(18, np.float32), high)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Draw a layout and a battery."""
        super().reset(seed=seed)
        self.cell = self.np_random.integers(WIDTH, size=2)
        self.pickup = self.np_random.integers(WIDTH, size=(PACKAGES, 2))
        self.target = self.np_random.integers(WIDTH, size=(PACKAGES, 2))
        self.energy = int(self.np_random.integers(LEAST_ENERGY, MOST_ENERGY + 1))
        self.states = np.full(PACKAGES, WAITING)
        return self._observation(), {}

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Do what is asked, pay for it, and see whether that was the end."""
        before = int(np.sum(self.states == DELIVERED))
        cost = self._do(int(action))
        used = min(cost, self.energy)
        self.energy -= used
        delivered = int(np.sum(self.states == DELIVERED))
        reward = DELIVERY_REWARD * (delivered - before) - used
        over = delivered == PACKAGES or self.energy == 0
        return self._observation(), reward, over, False, {}

    def _do(self, action: int) -> int:
        """The energy that the action costs, whether or not that much is left."""
        if action in MOVES:
            moved = self.cell + np.array(MOVES[action])
            if np.all((moved >= 0) & (moved < WIDTH)):
                self.cell = moved
            return 1
        carried = np.flatnonzero(self.states == CARRIED)
        if action == PICK_UP:
            here = np.all(self.pickup == self.cell, axis=1) & (self.states == WAITING)
            if len(carried) == 0 and here.any():
                self.states[np.argmax(here)] = CARRIED
                return 0
        elif len(carried) == 1 and np.array_equal(self.target[carried[0]], self.cell):
            self.states[carried[0]] = DELIVERED
            return DELIVERY_COST
        return 1

    def _observation(self) -> NDArray[np.float32]:
        parts: list[Any] = [
            self.cell,
            [self.energy],
            self.pickup.ravel(),
            self.target.ravel(),
            self.states,
        ]
        return np.concatenate(parts).astype(np.float32)
