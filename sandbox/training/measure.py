"""What random actions meet: observations, rewards, returns, and how dear a step is."""

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sandbox.training.simulator import MakeSimulator, random_actions

EPISODES = 20
STEPS = 4000
RARE = 0.01
"""Share of the steps whose rewards are not usual ones."""
ALIKE = 0.9
"""Share of episodes with one and the same return from which chance is said to change little."""


@dataclass(frozen=True)
class Measured:
    """Of random actions on a few thousand steps.

    Attributes:
        observations: (k, d).
        mean_reward: of a step.
        reward_scale: spread of the discounted return, by which rewards are divided.
        usual_rewards: between which all but a hundredth of the rewards at either end lie.
        returns: undiscounted, one a finished episode.
        step_seconds: of one step of one episode, side by side with others.
    """

    observations: NDArray[np.float64]
    mean_reward: float
    reward_scale: float
    usual_rewards: tuple[float, float]
    returns: NDArray[np.float64]
    step_seconds: float

    @property
    def arrives_rarely(self) -> bool:
        """Whether nearly all episodes earn the same, so that there is hardly anything to learn."""
        counts = np.unique(np.round(self.returns, 9), return_counts=True)[1]
        return bool(counts.max() >= ALIKE * len(self.returns))


def measure(make: MakeSimulator, horizon: int, discount: float, seed: int) -> Measured:
    """Let random actions play in a few episodes side by side."""
    simulator = make(EPISODES)
    random = np.random.default_rng(seed)
    seen = simulator.reset(seed)
    observations, rewards, running_returns = [], [], []
    returns: list[float] = []
    running, episode = np.zeros(EPISODES), np.zeros(EPISODES)
    began, steps = time.monotonic(), 0
    while steps < STEPS or (not returns and steps < EPISODES * horizon):
        observations.append(seen.astype(np.float64))
        step = simulator.step(random_actions(simulator.action_space, EPISODES, random))
        steps += EPISODES
        running = discount * running + step.rewards
        episode += step.rewards
        rewards.append(step.rewards)
        running_returns.append(running.copy())
        seen = step.observations.copy()
        which = np.flatnonzero(step.terminated | step.truncated)
        if len(which):
            returns += episode[which].tolist()
            running[which] = episode[which] = 0.0
            seen[which] = simulator.restart(which)
    seconds = time.monotonic() - began
    all_rewards = np.concatenate(rewards)
    spread = float(np.std(np.concatenate(running_returns)))
    low, high = np.quantile(all_rewards, [RARE, 1 - RARE], method="nearest")
    return Measured(
        observations=np.concatenate(observations),
        mean_reward=float(all_rewards.mean()),
        reward_scale=spread or float(np.abs(all_rewards).mean()) or 1.0,
        usual_rewards=(float(low), float(high)),
        returns=np.array(returns or episode.tolist()),
        step_seconds=seconds / steps,
    )
