"""One of four is served in each of 100 slots; the states of their links are seen beforehand."""

from typing import ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces


class Environment(gymnasium.Env):
    metadata: ClassVar = {"render_modes": []}

    def __init__(self):
        self.horizon = 100
        self.mean_gain = np.array([-89.5, -100.0, -106.2, -110.5])
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Box(-130.0, -60.0, (4,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.time_step = 0
        self.user = 0
        self.rate = 0.0
        self._draw()
        return self._observation(), {"quantities": self._quantities()}

    def step(self, action):
        seen = self.gain
        self.user = int(action)
        self.time_step += 1
        self.rate = float(np.log2(1 + 10 ** ((seen[self.user] + 100) / 10)))
        quantities = self._quantities()
        self._draw()
        terms = {"rate": self.rate}
        info = {"quantities": quantities, "reward_terms": terms, "objective": self.rate}
        truncated = self.time_step >= self.horizon
        return self._observation(), float(sum(terms.values())), False, truncated, info

    def _draw(self):
        gain = self.mean_gain + self.np_random.normal(0.0, 8.0, 4)
        self.gain = np.clip(gain, -130.0, -60.0)

    def _observation(self):
        return self.gain.astype(np.float32)

    def _quantities(self):
        return {
            "user": self.user,
            "gain": self.gain.tolist(),
            "rate": self.rate,
            "time_step": self.time_step,
        }
