"""Running episodes under a policy on given seeds, side by side."""

import json
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sandbox.programs.faults import AnswerInvalid
from sandbox.programs.policies import Policy
from sandbox.programs.remote import RemoteEpisodes

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

    def add(self, others: "Episodes") -> None:
        """Append what came of others."""
        self.returns += others.returns
        self.lengths += others.lengths
        self.objectives += others.objectives
        self.first += others.first
        self.last += others.last

    def to_json(self, seeds: list[int]) -> str:
        """A JSON list with seed, episode_return, length, first and last of each episode."""
        rows = zip(seeds, self.returns, self.lengths, self.first, self.last, strict=False)
        names = ("seed", "episode_return", "length", "first", "last")
        return json.dumps([dict(zip(names, row, strict=True)) for row in rows], default=_plain)


def _plain(value: Any) -> Any:
    """Numbers of numpy as Python's own; anything else as its text."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else repr(value)


def run_episodes(
    environments: RemoteEpisodes,
    policy: Policy,
    seeds: list[int],
    deadline: float,
    least: int,
    side_by_side: int = SIDE_BY_SIDE,
    most_steps: int | None = None,
) -> Episodes:
    """One episode for each seed, fewer if ``time.monotonic()`` passes ``deadline``.

    At least ``least`` are run in any case, and ``most_steps`` steps of each. ``objectives`` stays
    empty where the environment reports none.

    Raises:
        AnswerInvalid: what the environment or the policy answers is not what was asked for, or
            its rewards do not add up to finite numbers.
        ForeignCodeRaised, OtherSideEnded: see ``Ask``.
    """
    done = Episodes()
    for first in range(0, len(seeds), side_by_side):
        if first >= least and time.monotonic() > deadline:
            break
        batch = _run_batch(environments, policy, seeds[first : first + side_by_side], most_steps)
        done.add(batch)
    return done


def _run_batch(
    environments: RemoteEpisodes, policy: Policy, seeds: list[int], most_steps: int | None
) -> Episodes:
    begun = environments.begin(seeds)
    held = [environments.one(number) for number in begun.numbers]
    seen = begun.observations
    last = list(begun.quantities)
    returns, objectives = np.zeros(len(seeds)), np.zeros(len(seeds))
    lengths = np.zeros(len(seeds), dtype=int)
    reports_objective = True
    running = np.arange(len(seeds))
    time_step = 0
    while len(running) and time_step != most_steps:
        actions = policy.act([held[k] for k in running], seen, time_step)
        steps = environments.step([begun.numbers[k] for k in running], actions)
        returns[running] += steps.rewards
        lengths[running] += 1
        if steps.objectives is None:
            reports_objective = False
        else:
            objectives[running] += steps.objectives
        for k, quantities in zip(running[steps.ended], steps.quantities, strict=True):
            last[k] = quantities
        running, seen = running[~steps.ended], steps.observations[~steps.ended]
        time_step += 1
    if not np.isfinite(returns).all() or not np.isfinite(objectives).all():
        raise AnswerInvalid("the rewards of an episode do not add up to a finite number")
    reported = objectives.tolist() if reports_objective else []
    return Episodes(returns.tolist(), lengths.tolist(), reported, begun.quantities, last)
