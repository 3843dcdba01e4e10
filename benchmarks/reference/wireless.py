"""Which of four users to serve in each slot, from ``tasks/wireless/description.md``.

A slot cannot change a later one, so to serve the best channel is optimal, and the mean returns
follow from the distribution of the gains.
"""

import math
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

DISTANCES = np.array([50.0, 100.0, 150.0, 200.0])  # m
MEAN_GAINS = -30.0 - 35.0 * np.log10(DISTANCES)  # dB
SHADOWING = 8.0  # dB, standard deviation
LOWEST_GAIN, HIGHEST_GAIN = -130.0, -60.0  # dB
BANDWIDTH = 10e6  # Hz
POWER = 200.0  # mW
NOISE = 10 ** (-174.0 / 10) * BANDWIDTH  # mW
SLOTS = 100

Numbers = NDArray[np.float64]


def rate(gain: Any) -> Any:
    """Shannon rate in Mbit/s at a channel gain in dB."""
    return BANDWIDTH * np.log2(1 + POWER * 10 ** (np.asarray(gain) / 10) / NOISE) / 1e6


class Wireless(gymnasium.Env[NDArray[np.float32], Any]):
    """Observed: gain of each user in dB (4). Action: the user served. Reward: rate in Mbit/s."""

    def __init__(self) -> None:
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Box(LOWEST_GAIN, HIGHEST_GAIN, (4,), np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin with freshly drawn gains."""
        super().reset(seed=seed)
        self.slot = 0
        self._draw_gains()
        return self.gains.astype(np.float32), {}

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Serve user ``action`` on the gains that were observed."""
        reward = float(rate(self.gains[int(action)]))
        self.slot += 1
        self._draw_gains()
        return self.gains.astype(np.float32), reward, False, self.slot >= SLOTS, {}

    def _draw_gains(self) -> None:
        drawn = MEAN_GAINS + self.np_random.normal(0.0, SHADOWING, 4)
        self.gains: Numbers = np.clip(drawn, LOWEST_GAIN, HIGHEST_GAIN)


def greedy(observation: Any, time_step: int) -> int:
    """The user with the best channel."""
    return int(np.argmax(observation[:4]))


def best_return() -> float:
    """Mean return of :func:`greedy`, by integration over the best gain."""
    return SLOTS * _mean_rate(MEAN_GAINS)


def random_return() -> float:
    """Mean return of serving a random user."""
    return SLOTS * float(np.mean([_mean_rate(MEAN_GAINS[k : k + 1]) for k in range(4)]))


def _mean_rate(mean_gains: Numbers, points: int = 20_001) -> float:
    """Mean rate of the best of users with these mean gains: the integral of P(rate > r) over r."""
    gains = np.linspace(LOWEST_GAIN, HIGHEST_GAIN, points)
    middles = (gains[1:] + gains[:-1]) / 2
    below = np.ones_like(middles)
    for mean in mean_gains:
        z = (middles - mean) / (SHADOWING * math.sqrt(2))
        below *= 0.5 * (1 + np.array([math.erf(value) for value in z]))
    rates = rate(gains)
    return float(rates[0] + np.sum(np.diff(rates) * (1 - below)))
