"""Playing episodes with a policy, as anyone would."""

import numpy as np

from sandbox.training.environments import Environment
from sandbox.training.policy import Policy


def play(environment: Environment, policy: Policy, episodes: int) -> tuple[float, float]:
    """Mean return and its standard error."""
    returns = []
    for seed in range(episodes):
        observation, _ = environment.reset(seed=seed)
        total, time_step, over = 0.0, 0, False
        while not over:
            action = policy.actions(np.asarray(observation)[None], np.array([time_step]))[0]
            observation, reward, terminated, truncated, _ = environment.step(action)
            total += float(reward)
            time_step += 1
            over = terminated or truncated
        returns.append(total)
    return float(np.mean(returns)), float(np.std(returns) / np.sqrt(episodes))
