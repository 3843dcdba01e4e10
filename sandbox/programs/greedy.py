"""The one-step-greedy policy: the action whose next reward is the largest on average.

It tries actions on copies of the environment whose random generator is seeded anew, so that it
knows what the agent could know: what is already drawn stays, what is yet to be drawn is unknown.
"""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sandbox.programs.policies import Environments, Observations, all_actions
from sandbox.training.simulator import copied_environment

SAMPLES = 6
COARSE_LEVELS = 7
BOX_CANDIDATES = 24


class OneStepGreedy:
    """Maximises the expected reward of the next step and looks no further.

    Small discrete spaces are searched in full. Vectors of choices are searched one component
    after the other, first coarsely and then around the best level; boxes by sampling, then again
    around the best sample. Ties are broken at random.
    """

    def __init__(self, seed: int, samples: int) -> None:
        self.random = np.random.default_rng(seed)
        self.samples = samples

    def act(
        self, environments: Environments, observations: Observations, time_step: int
    ) -> list[Any]:
        """The greedy action for each environment."""
        return [self.best_action(environment) for environment in environments]

    def best_action(self, environment: gymnasium.Env[Any, Any]) -> Any:
        """The greedy action in the present state of ``environment``, which stays untouched."""
        ahead = _LookAhead(environment, self.random.integers(2**31, size=self.samples).tolist())
        space = environment.action_space
        listed = all_actions(space) or (
            [space.start + k for k in range(int(space.n))]
            if isinstance(space, spaces.Discrete)
            else None
        )
        if listed is not None:
            return self._best_of(ahead, listed)
        if isinstance(space, spaces.MultiDiscrete):
            return self._sweep(ahead, space.nvec)
        if isinstance(space, spaces.Box):
            return self._search_box(ahead, space)
        raise TypeError(f"no greedy search over {space}")

    def _best_of(self, ahead: "_LookAhead", actions: list[Any]) -> Any:
        rewards = np.array([ahead.mean_reward(action) for action in actions])
        best = np.flatnonzero(rewards >= rewards.max() - 1e-12 * max(1.0, abs(rewards.max())))
        return actions[int(self.random.choice(best))]

    def _sweep(self, ahead: "_LookAhead", sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        action = np.zeros(len(sizes), dtype=np.int64)
        for place in self.random.permutation(len(sizes)):
            top = int(sizes[place]) - 1
            coarse = {round(level) for level in np.linspace(0, top, min(COARSE_LEVELS, top + 1))}
            action = self._best_of(ahead, [_with(action, place, level) for level in sorted(coarse)])
            step = max(1, round(top / (COARSE_LEVELS - 1)))
            around = int(action[place])
            near = range(max(0, around - step + 1), min(top, around + step - 1) + 1)
            action = self._best_of(ahead, [_with(action, place, level) for level in near])
        return action

    def _search_box(self, ahead: "_LookAhead", space: spaces.Box) -> Any:
        def clipped(values: NDArray[np.float64]) -> Any:
            return np.clip(values, space.low, space.high).astype(space.dtype)

        low, high = space.low.astype(np.float64), space.high.astype(np.float64)
        width = high - low
        wide = [low, high, low + width / 2]
        wide += [low + width * self.random.random(width.shape) for _ in range(BOX_CANDIDATES)]
        best = self._best_of(ahead, [clipped(values) for values in wide])
        for radius in (0.15, 0.03):
            steps = self.random.normal(0, radius, (BOX_CANDIDATES // 2, *width.shape))
            best = self._best_of(ahead, [best, *(clipped(best + width * step) for step in steps)])
        return best


def _with(action: NDArray[np.int64], place: int, level: int) -> NDArray[np.int64]:
    changed = action.copy()
    changed[place] = level
    return changed


class _LookAhead:
    """Steps copies of one environment; each action meets the same few futures."""

    def __init__(self, environment: gymnasium.Env[Any, Any], seeds: list[int]) -> None:
        self.environment = environment
        self.futures = [np.random.default_rng(seed) for seed in seeds]
        self.beginnings = [future.bit_generator.state for future in self.futures]

    def mean_reward(self, action: Any) -> float:
        """Mean reward of the next step if ``action`` is taken."""
        return float(np.mean([self._reward(action, k) for k in range(len(self.futures))]))

    def _reward(self, action: Any, future: int) -> float:
        generator = self.futures[future]
        generator.bit_generator.state = self.beginnings[future]
        return float(copied_environment(self.environment, generator).step(action)[1])


def samples_needed(environment: gymnasium.Env[Any, Any], seed: int) -> int:
    """1 if the next reward is certain once the action is chosen, ``SAMPLES`` if it is not.

    Judged on 40 states of a random walk, each stepped with two different futures.
    """
    environment.action_space.seed(seed)
    environment.reset(seed=seed)
    for step in range(40):
        action = environment.action_space.sample()
        one, other = (_LookAhead(environment, [2 * step + k + 1]) for k in (0, 1))
        if one.mean_reward(action) != other.mean_reward(action):
            return SAMPLES
        _, _, terminated, truncated, _ = environment.step(action)
        if terminated or truncated:
            environment.reset()
    return 1
