"""Looking through an environment's wrappers to the environment itself."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import wrappers
from numpy.typing import NDArray

from sandbox.training.environments import Environment
from sandbox.training.uniform_draw import NotEnumerable

# These change nothing of what is seen, done or earned; a time limit is counted apart.
_TRANSPARENT = (wrappers.TimeLimit, wrappers.OrderEnforcing, wrappers.PassiveEnvChecker)


class Wrappers:
    """What the wrappers of an environment make of its observations, actions and rewards.

    Attributes:
        horizon: steps of an episode at most, None without such a limit.

    Raises:
        NotEnumerable: there is a wrapper whose doing is not known.
    """

    def __init__(self, environment: Environment) -> None:
        self._chain: list[Any] = []
        self._seen: dict[Any, NDArray[np.float32]] = {}
        limits: list[int] = []
        while isinstance(environment, gymnasium.Wrapper):
            if isinstance(environment, wrappers.TimeLimit):
                limits.append(environment._max_episode_steps)
            if isinstance(
                environment,
                (gymnasium.ObservationWrapper, gymnasium.ActionWrapper, gymnasium.RewardWrapper),
            ):
                self._chain.append(environment)
            elif not isinstance(environment, _TRANSPARENT):
                name = type(environment).__name__
                raise NotEnumerable(f"what the wrapper {name} does is not known")
            environment = environment.env
        self.own_horizon = _whole(getattr(environment, "horizon", None))
        if self.own_horizon is not None:
            limits.append(self.own_horizon)
        self.horizon = min(limits, default=None)

    def seen(self, observation: Any) -> NDArray[np.float32]:
        """The observation (d,) that comes out of the outermost wrapper."""
        # Only plain numbers, and tuples of them, make a quick key.
        if self._chain and isinstance(observation, (int, tuple)):
            known = self._seen.get(observation)
            if known is None:
                known = self._seen[observation] = self._through(observation)
            return known
        return self._through(observation)

    def _through(self, observation: Any) -> NDArray[np.float32]:
        for wrapper in reversed(self._chain):
            if isinstance(wrapper, gymnasium.ObservationWrapper):
                observation = wrapper.observation(observation)
        return np.asarray(observation, dtype=np.float32)

    def done(self, action: Any) -> Any:
        """The action that reaches the environment itself."""
        for wrapper in self._chain:
            if isinstance(wrapper, gymnasium.ActionWrapper):
                action = wrapper.action(action)
        return action

    def earned(self, reward: Any) -> float:
        """The reward that comes out of the outermost wrapper."""
        for wrapper in reversed(self._chain):
            if isinstance(wrapper, gymnasium.RewardWrapper):
                reward = wrapper.reward(reward)
        return float(reward)


def _whole(value: Any) -> int | None:
    return value if type(value) is int and value > 0 else None
