"""Ten goods are ordered every day, before the demand of that day is known."""

from typing import ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces


class Environment(gymnasium.Env):
    metadata: ClassVar = {"render_modes": []}

    def __init__(self):
        self.horizon = 100
        self.action_space = spaces.MultiDiscrete([31] * 10)
        self.observation_space = spaces.Box(0.0, 40.0, (10,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.time_step = 0
        self.stock = np.zeros(10)
        self.previous_stock = self.stock
        self.order = np.zeros(10)
        self.demand = np.zeros(10)
        return self._observation(), {"quantities": self._quantities()}

    def step(self, action):
        self.order = np.asarray(action, dtype=float)
        self.previous_stock = self.stock
        self.time_step += 1
        self.demand = self.np_random.poisson(8.0, 10).astype(float)
        available = np.minimum(self.stock + self.order, 40.0)
        sold = np.minimum(available, self.demand)
        self.stock = available - sold
        terms = {
            "sales": float(6.0 * sold.sum()),
            "ordering": float(-(10.0 * (self.order > 0) + 2.0 * self.order).sum()),
            "holding": float(-0.5 * self.stock.sum()),
            "lost": float(-(self.demand - sold).sum()),
        }
        profit = sum(terms.values())
        info = {"quantities": self._quantities(), "reward_terms": terms, "objective": profit}
        return self._observation(), profit, False, self.time_step >= self.horizon, info

    def _observation(self):
        return self.stock.astype(np.float32)

    def _quantities(self):
        return {
            "order": self.order.tolist(),
            "demand": self.demand.tolist(),
            "stock": self.stock.tolist(),
            "previous_stock": self.previous_stock.tolist(),
            "time_step": self.time_step,
        }
