"""The kept policy beside simple ones, also by the objective's own measure, as evidence.

Where a policy is no better than deciding at random or always the same, or earns more reward than
another but serves the objective less, training is not what is wrong.
"""

import math
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sandbox.training.environments import make_environment
from sandbox.training.judge import OutOfTime
from sandbox.training.policy import Policy
from sandbox.training.simulator import random_actions

EPISODES = 16
FIRST_SEED = 700_000_000
TRAINED = "trained"


class RandomPolicy:
    """Actions drawn evenly."""

    def __init__(self, space: spaces.Space[Any], seed: int) -> None:
        self.space, self.random = space, np.random.default_rng(seed)

    def actions(self, observations: NDArray[Any], time_steps: NDArray[np.int64]) -> NDArray[Any]:
        """An action for each of n observations."""
        return random_actions(self.space, len(observations), self.random)


def probe(
    gymnasium_id: str, folder: Any, policies: Mapping[str, Policy], horizon: int, deadline: float
) -> list[dict[str, Any]]:
    """How far the policy called ``trained`` is ahead of each of the others on common seeds.

    An account for each other policy, up to the first that breaks or passes ``deadline``: by how
    much the trained one has the larger return and, in generated environments, the larger sum of
    what the steps add to the objective; both with the standard error of the mean difference.
    """
    played: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
    try:
        for name, policy in policies.items():
            environments = [make_environment(gymnasium_id, folder) for _ in range(EPISODES)]
            played[name] = _play(environments, policy, horizon, deadline)
    except OutOfTime:
        print(f"there was no time to compare with {name}", flush=True)
    except Exception as error:  # whatever the environment or a rule of thumb raises
        print(f"not compared with {name}: {type(error).__name__}: {error}", flush=True)
    own = played.pop(TRAINED, None)
    if own is None:
        return []
    return [{"policy": name, **_ahead(own, others)} for name, others in played.items()]


def _play(
    environments: list[Any], policy: Policy, horizon: int, deadline: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns and objectives (n,), the latter not a number where no step tells of them."""
    seen = [e.reset(seed=FIRST_SEED + k)[0] for k, e in enumerate(environments)]
    returns, objectives = np.zeros(len(environments)), np.zeros(len(environments))
    running = list(range(len(environments)))
    for time_step in range(horizon):
        if time.monotonic() > deadline:
            raise OutOfTime
        shown = np.stack(seen).astype(np.float32)
        actions = policy.actions(shown, np.full(len(seen), time_step, dtype=np.int64))
        for k in list(running):
            seen[k], reward, terminated, truncated, info = environments[k].step(actions[k])
            returns[k] += float(reward)
            objectives[k] += float(info.get("objective", math.nan))
            if terminated or truncated:
                running.remove(k)
        if not running:
            break
    return returns, objectives


def _ahead(own: tuple[Any, Any], others: tuple[Any, Any]) -> dict[str, float | None]:
    (returns, objectives), (other_returns, other_objectives) = own, others
    more, error = _difference(returns - other_returns)
    better, its_error = _difference(objectives - other_objectives)
    return {
        "return_ahead": more,
        "return_error": error,
        "objective_ahead": better,
        "objective_error": its_error,
    }


def _difference(differences: NDArray[np.float64]) -> tuple[float | None, float | None]:
    if not np.isfinite(differences).all():
        return None, None
    return float(differences.mean()), float(differences.std() / math.sqrt(len(differences)))
