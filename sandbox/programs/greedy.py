"""The one-step-greedy policy: the action whose next reward is the largest on average.

It tries actions on copies of the environment whose random generator is seeded anew, so that it
knows what the agent could know: what is already drawn stays, what is yet to be drawn is unknown.
"""

from collections.abc import Generator
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sandbox.programs.policies import Environments, Observations, all_actions
from sandbox.programs.remote import Ahead, RemoteEpisodes

SAMPLES = 6
COARSE_LEVELS = 7
BOX_CANDIDATES = 24

Search = Generator[list[Any], NDArray[np.float64], Any]
"""Yields actions to try, is sent their mean rewards, and returns the best action."""


class OneStepGreedy:
    """Maximises the expected reward of the next step and looks no further.

    Small discrete spaces are searched in full. Vectors of choices are searched one component
    after the other, first coarsely and then around the best level; boxes by sampling, then again
    around the best sample. Ties are broken at random.
    """

    def __init__(
        self, environments: RemoteEpisodes, space: spaces.Space[Any], seed: int, samples: int
    ) -> None:
        self.environments = environments
        self.space = space
        self.seed = seed
        self.samples = samples
        self._begun = 0
        self._randoms: dict[int, np.random.Generator] = {}

    def act(
        self, environments: Environments, observations: Observations, time_step: int
    ) -> list[Any]:
        """The greedy action for each environment, all of which stay untouched."""
        if time_step == 0:
            # One generator for each episode, so that it does not matter which run side by side.
            self._randoms = {e.number: self._next_random() for e in environments}
        searches = {e.number: self._search(self._randoms[e.number]) for e in environments}
        seeds = {n: random.integers(2**31, size=self.samples).tolist()
                 for n, random in self._randoms.items()}  # fmt: skip
        wanted = [Ahead(n, next(search), seeds[n]) for n, search in searches.items()]
        best: dict[int, Any] = {}
        while wanted:
            rewards = self.environments.look_ahead(wanted)
            again: list[Ahead] = []
            for one, found in zip(wanted, rewards, strict=True):
                try:
                    actions = searches[one.number].send(found.mean(axis=1))
                    again.append(one._replace(actions=actions))
                except StopIteration as end:
                    best[one.number] = end.value
            wanted = again
        return [best[environment.number] for environment in environments]

    def _next_random(self) -> np.random.Generator:
        self._begun += 1
        return np.random.default_rng([self.seed, self._begun])

    def _search(self, random: np.random.Generator) -> Search:
        space = self.space
        listed = all_actions(space) or (
            [space.start + k for k in range(int(space.n))]
            if isinstance(space, spaces.Discrete)
            else None
        )
        if listed is not None:
            return _best_of(listed, random)
        if isinstance(space, spaces.MultiDiscrete):
            return _sweep(space.nvec, random)
        if isinstance(space, spaces.Box):
            return _search_box(space, random)
        raise TypeError(f"no greedy search over {space}")


def _best_of(actions: list[Any], random: np.random.Generator) -> Search:
    rewards = yield actions
    best = np.flatnonzero(rewards >= rewards.max() - 1e-12 * max(1.0, abs(rewards.max())))
    return actions[int(random.choice(best))]


def _sweep(sizes: NDArray[np.int64], random: np.random.Generator) -> Search:
    action = np.zeros(len(sizes), dtype=np.int64)
    for place in random.permutation(len(sizes)):
        top = int(sizes[place]) - 1
        coarse = {round(level) for level in np.linspace(0, top, min(COARSE_LEVELS, top + 1))}
        action = yield from _best_of([_with(action, place, k) for k in sorted(coarse)], random)
        step = max(1, round(top / (COARSE_LEVELS - 1)))
        around = int(action[place])
        near = range(max(0, around - step + 1), min(top, around + step - 1) + 1)
        action = yield from _best_of([_with(action, place, k) for k in near], random)
    return action


def _search_box(space: spaces.Box, random: np.random.Generator) -> Search:
    def clipped(values: NDArray[np.float64]) -> Any:
        return np.clip(values, space.low, space.high).astype(space.dtype)

    low, high = space.low.astype(np.float64), space.high.astype(np.float64)
    width = high - low
    wide = [low, high, low + width / 2]
    wide += [low + width * random.random(width.shape) for _ in range(BOX_CANDIDATES)]
    best = yield from _best_of([clipped(values) for values in wide], random)
    for radius in (0.15, 0.03):
        steps = random.normal(0, radius, (BOX_CANDIDATES // 2, *width.shape))
        tried = [best, *(clipped(best + width * step) for step in steps)]
        best = yield from _best_of(tried, random)
    return best


def _with(action: NDArray[np.int64], place: int, level: int) -> NDArray[np.int64]:
    changed = action.copy()
    changed[place] = level
    return changed


def samples_needed(environments: RemoteEpisodes, seed: int) -> int:
    """1 if the next reward is certain once the action is chosen, ``SAMPLES`` if it is not.

    Judged on 40 states of a random walk, each stepped with two different futures.
    """
    environment = environments.new()
    environment.action_space.seed(seed)
    environment.reset(seed=seed)
    for step in range(40):
        action = environment.action_space.sample()
        ahead = Ahead(environment.number, [action], [2 * step + 1, 2 * step + 2])
        one, other = environments.look_ahead([ahead])[0][0]
        if one != other:
            return SAMPLES
        _, _, terminated, truncated, _ = environment.step(action)
        if terminated or truncated:
            environment.reset()
    return 1
