"""The kept policy beside simple ones, also by the objective's own measure, as evidence.

Where a policy is no better than deciding at random or always the same, or earns more reward than
another but serves the objective less, training is not what is wrong.
"""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sandbox.training.environments import make_environment
from sandbox.training.judge import OutOfTime
from sandbox.training.policy import Policy
from sandbox.training.simulator import random_actions

EPISODES = 16
FIRST_STEPS = 5
"""Of the first episode, that are told; the last one is told too."""
MOST_NUMBERS = 10
"""Of an action, that are told."""
FIRST_SEED = 700_000_000
TRAINED = "trained"


@dataclass(frozen=True)
class Played:
    """What a policy came to.

    Attributes:
        returns: (n,) by episode.
        objectives: (n,) sums of what the steps add to the objective, not a number where no step
            tells of it.
        steps: of the first episode, in words.
    """

    returns: NDArray[np.float64]
    objectives: NDArray[np.float64]
    steps: list[str]


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
    what the steps add to the objective; both with the standard error of the mean difference. Its
    first episode is told beside what the other makes of the same beginning.
    """
    played: dict[str, Played] = {}
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
    return [_ahead(name, own, other) for name, other in played.items()]


def _play(environments: list[Any], policy: Policy, horizon: int, deadline: float) -> Played:
    seen = [e.reset(seed=FIRST_SEED + k)[0] for k, e in enumerate(environments)]
    returns, objectives = np.zeros(len(environments)), np.zeros(len(environments))
    running, told = list(range(len(environments))), []
    for time_step in range(horizon):
        if time.monotonic() > deadline:
            raise OutOfTime
        shown = np.stack(seen).astype(np.float32)
        actions = policy.actions(shown, np.full(len(seen), time_step, dtype=np.int64))
        for k in list(running):
            seen[k], reward, terminated, truncated, info = environments[k].step(actions[k])
            made = float(info.get("objective", math.nan))
            returns[k] += float(reward)
            objectives[k] += made
            if k == 0:
                told.append(_step(time_step, actions[k], float(reward), made))
            if terminated or truncated:
                running.remove(k)
        if not running:
            break
    return Played(returns, objectives, told)


def _step(time_step: int, action: Any, reward: float, objective: float) -> str:
    numbers = [f"{number:.4g}" for number in np.ravel(action)]
    more = ["..."] if len(numbers) > MOST_NUMBERS else []
    decided = ", ".join([*numbers[:MOST_NUMBERS], *more])
    return f"step {time_step + 1}: action {decided}, {_sums(reward, objective)}"


def _sums(reward: float, objective: float) -> str:
    known = f", objective {objective:.5g}" if math.isfinite(objective) else ""
    return f"reward {reward:.5g}{known}"


def _first_episode(name: str, played: Played) -> list[str]:
    """The first steps and the last, and what all of them came to."""
    count = len(played.steps)
    shown = sorted({*range(min(FIRST_STEPS, count)), count - 1})
    whole = _sums(float(played.returns[0]), float(played.objectives[0]))
    return [
        f"Under the {name} policy:",
        *(played.steps[k] for k in shown),
        f"in all {count} steps: {whole}",
    ]


def _ahead(name: str, own: Played, other: Played) -> dict[str, Any]:
    more, error = _difference(own.returns - other.returns)
    better, its_error = _difference(own.objectives - other.objectives)
    end = _sums(float(other.returns[0]), float(other.objectives[0]))
    beside = f"{name}, from the same beginning: {len(other.steps)} steps, {end}"
    return {
        "policy": name,
        "episode": [*_first_episode(TRAINED, own), beside],
        "return_ahead": more,
        "return_error": error,
        "objective_ahead": better,
        "objective_error": its_error,
    }


def _difference(differences: NDArray[np.float64]) -> tuple[float | None, float | None]:
    if not np.isfinite(differences).all():
        return None, None
    return float(differences.mean()), float(differences.std() / math.sqrt(len(differences)))
