"""Playing episodes with a policy that is a plain function."""

from collections.abc import Callable, Iterable
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

Policy = Callable[[Any, int], Any]
"""From an observation, and the number of decisions taken before in the episode, to an action."""


def episode_returns(
    environment: gymnasium.Env[Any, Any], policy: Policy, seeds: Iterable[int]
) -> NDArray[np.float64]:
    """Undiscounted return of one episode for each seed."""
    return np.array([_episode_return(environment, policy, seed) for seed in seeds])


def _episode_return(environment: gymnasium.Env[Any, Any], policy: Policy, seed: int) -> float:
    observation, _ = environment.reset(seed=seed)
    total, time_step, running = 0.0, 0, True
    while running:
        action = policy(observation, time_step)
        observation, reward, terminated, truncated, _ = environment.step(action)
        total += float(reward)
        time_step += 1
        running = not (terminated or truncated)
    return total


def random_policy(environment: gymnasium.Env[Any, Any], seed: int = 0) -> Policy:
    """Actions drawn evenly from the action space of ``environment``."""
    environment.action_space.seed(seed)
    return lambda observation, time_step: environment.action_space.sample()
