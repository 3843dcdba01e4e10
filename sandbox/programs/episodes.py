"""Running episodes under a policy on given seeds, side by side."""

import json
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sandbox.programs.policies import Policy
from sandbox.training.environments import make_environment

SIDE_BY_SIDE = 20


@dataclass
class Episodes:
    """Undiscounted return, length and objective of each finished episode, in order of the seeds.

    ``first`` and ``last`` hold the named quantities at the start and at the end of each episode,
    empty where the environment names none.
    """

    returns: list[float] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    objectives: list[float] = field(default_factory=list)
    first: list[dict[str, Any]] = field(default_factory=list)
    last: list[dict[str, Any]] = field(default_factory=list)

    def to_json(self, seeds: list[int]) -> str:
        """A JSON list with seed, episode_return, length, first and last of each episode."""
        rows = zip(seeds, self.returns, self.lengths, self.first, self.last, strict=False)
        names = ("seed", "episode_return", "length", "first", "last")
        return json.dumps([dict(zip(names, row, strict=True)) for row in rows], default=_plain)


def _plain(value: Any) -> Any:
    """Numbers of numpy as Python's own; whatever else code of a model's may have put there."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else repr(value)


def run_episodes(
    gymnasium_id: str,
    policy: Policy,
    seeds: list[int],
    deadline: float,
    least: int,
    side_by_side: int = SIDE_BY_SIDE,
) -> Episodes:
    """One episode for each seed, fewer if ``time.monotonic()`` passes ``deadline``.

    At least ``least`` are run in any case. ``objectives`` stays empty where the environment
    reports none.
    """
    done = Episodes()
    for first in range(0, len(seeds), side_by_side):
        if first >= least and time.monotonic() > deadline:
            break
        batch = _run_batch(gymnasium_id, policy, seeds[first : first + side_by_side])
        done.returns += batch.returns
        done.lengths += batch.lengths
        done.objectives += batch.objectives
        done.first += batch.first
        done.last += batch.last
    return done


def _run_batch(gymnasium_id: str, policy: Policy, seeds: list[int]) -> Episodes:
    environments = [make_environment(gymnasium_id) for _ in seeds]
    begun = [
        environment.reset(seed=seed) for environment, seed in zip(environments, seeds, strict=True)
    ]
    observations = [observation for observation, _ in begun]
    first = [info.get("quantities", {}) for _, info in begun]
    last = list(first)
    returns, objectives = np.zeros(len(seeds)), np.zeros(len(seeds))
    lengths = np.zeros(len(seeds), dtype=int)
    reports_objective = True
    running = list(range(len(seeds)))
    time_step = 0
    while running:
        seen = np.stack([np.asarray(observations[k]) for k in running])
        actions = policy.act([environments[k] for k in running], seen, time_step)
        still_running = []
        for k, action in zip(running, actions, strict=True):
            observations[k], reward, terminated, truncated, info = environments[k].step(action)
            returns[k] += float(reward)
            lengths[k] += 1
            reports_objective = reports_objective and "objective" in info
            objectives[k] += float(info.get("objective", 0.0))
            last[k] = info.get("quantities", {})
            if not (terminated or truncated):
                still_running.append(k)
        running = still_running
        time_step += 1
    reported = objectives.tolist() if reports_objective else []
    return Episodes(returns.tolist(), lengths.tolist(), reported, first, last)
