"""How good a policy is: mean undiscounted return on common seeds."""

import numpy as np
from numpy.typing import NDArray

from sandbox.training.policy import Policy
from sandbox.training.simulator import Simulator

SELECTION_SEED = 500_000_000
"""First seed on which policies are compared while training; none below it is used there."""


def episode_returns(
    policy: Policy, simulator: Simulator, horizon: int, seed: int = SELECTION_SEED
) -> NDArray[np.float64]:
    """Undiscounted returns (n,) of one episode at each place of ``simulator``."""
    seen = simulator.reset(seed)
    returns = np.zeros(simulator.size)
    running = np.ones(simulator.size, dtype=bool)
    time_steps = np.zeros(simulator.size, dtype=np.int64)
    for _ in range(horizon):
        step = simulator.step(policy.actions(seen, time_steps))
        returns += np.where(running, step.rewards, 0.0)
        running &= ~(step.terminated | step.truncated)
        if not running.any():
            break
        seen = step.observations
        time_steps += 1
    return returns
