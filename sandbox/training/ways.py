"""Ways from the true beginnings to gains that chance hardly ever meets, and what states are worth.

Copies of states that were found are let go on by random options, rather from cells that were
seldom gone on from than from others, and each new cell's first state is kept (Ecoffet et al., First
return, then explore, 2021). What followed each option in each cell makes a rough model, and value
iteration in it says what the cells are worth. Apart from that, the best of what really followed on
each state is kept.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sandbox.training.cells import Cells
from sandbox.training.measure import Measured
from sandbox.training.planner import LEAST_MARGIN, MARGIN, WATCHED
from sandbox.training.problem import Problem
from sandbox.training.rough_model import END, LIMIT, Links, values_of
from sandbox.training.simulator import MakeSimulator, Simulator, random_actions

BEGINNINGS = 20
MOST_OPTIONS = 12
SIDE_BY_SIDE = 256
"""States that are gone on from at once."""
RUN = 20
"""Steps from a state that was found."""
RENEWED = 0.2
"""Share of the steps in which another option is drawn."""
STEPS = 60_000
"""In all, about: seconds where one episode is stepped at a time, nothing where many are."""
MOST_STATES = 20_000
CELLS = 100_000
"""Finer than those of a search for the soonest gain, for no tree grows from each state."""
EXACT = 1e-4
"""Share of the margin of gains to which values are computed."""


class NoWay(Exception):
    """No way to anything better than usual was found; says why."""


@dataclass
class Ways:
    """What was found: n states, each the first of its cell.

    Attributes:
        states: the n states.
        seen: observations (n, d).
        times: (n,) steps that led there.
        values: (n,) discounted returns by the rough model.
        reached: (n,) best discounted return of those that really followed, and ``usual`` after it.
        usual: discounted return of going on without any gain, for ever.
        margin: what a value must be above ``usual`` to count as a gain.
        steps: that were taken to find this.
    """

    states: Simulator
    seen: NDArray[np.float32]
    times: NDArray[np.int64]
    values: NDArray[np.float64]
    reached: NDArray[np.float64]
    usual: float
    margin: float
    steps: int

    @property
    def gaining(self) -> NDArray[np.int64]:
        """The states that really led to a gain, the nearest to it first."""
        better = np.flatnonzero(self.reached > self.usual + self.margin)
        return better[np.argsort(-self.reached[better], kind="stable")]


def explore(
    problem: Problem,
    make: MakeSimulator,
    measured: Measured,
    discount: float,
    seed: int,
    deadline: float,
    is_solved: Callable[[], bool] = lambda: False,
) -> Ways:
    """Look around from the true beginnings; ``measured`` is what random actions meet.

    Raises:
        NoWay: nothing better than usual was found, or not before ``deadline`` or ``is_solved``.
    """
    low, high = measured.usual_rewards
    margin = max(MARGIN * (high - low), LEAST_MARGIN)
    usual = high / (1 - discount)
    search = _Exploration(problem, make, seed, discount, usual)
    while search.steps < STEPS:
        if time.monotonic() > deadline:
            raise NoWay("looking around took too long")
        if is_solved():
            raise NoWay("the problem is solved")
        search.go_on()
    ways = search.ways(margin)
    if not len(ways.gaining):
        raise NoWay("nothing better than usual was found ahead")
    return ways


def options_of(space: spaces.Space[Any], seed: int) -> NDArray[Any]:
    """All of a few actions, else some drawn at random, of real numbers half of them at the ends."""
    if isinstance(space, spaces.Discrete) and space.n <= MOST_OPTIONS:
        return np.asarray(space.start + np.arange(space.n))
    if isinstance(space, spaces.MultiDiscrete) and np.prod(space.nvec) <= MOST_OPTIONS:
        each = np.stack(np.unravel_index(np.arange(np.prod(space.nvec)), space.nvec), axis=1)
        return np.asarray(space.start + each)
    drawn = random_actions(space, MOST_OPTIONS, np.random.default_rng(seed))
    if isinstance(space, spaces.Box):
        half = drawn[: MOST_OPTIONS // 2]
        half[:] = np.where(half > (space.low + space.high) / 2, space.high, space.low)
    return drawn


class _Exploration:
    def __init__(
        self, problem: Problem, make: MakeSimulator, seed: int, discount: float, usual: float
    ) -> None:
        self.discount, self.usual = discount, usual
        self.random = np.random.default_rng(seed)
        self.cells = Cells.fitted(problem, make(WATCHED), seed, CELLS)
        roots = make(BEGINNINGS)
        seen = roots.reset(seed).copy()
        self.options = options_of(roots.action_space, seed)
        self.archive, self.steps, self.count = roots, 0, 0
        self.numbers: dict[int, int] = {}
        """Of the states, under the keys of their cells."""
        self.seen = seen
        self.times = np.zeros(roots.size, dtype=np.int64)
        self.begun = np.zeros(roots.size)
        """How often each state was gone on from."""
        self.links: list[Links] = []
        self.followed: list[float] = []
        """Best discounted return that followed on each state, without those found on the way."""
        self.origins: list[tuple[int, float, int]] = []
        """For each state, the one from which it was found, the rewards and the steps between."""
        self._numbers(roots, seen, self.times.copy(), [(-1, 0.0, 0)] * roots.size)

    def _numbers(
        self,
        there: Simulator,
        seen: NDArray[np.float32],
        times: NDArray[np.int64],
        origins: list[tuple[int, float, int]],
    ) -> NDArray[np.int64]:
        """The numbers of the states of these cells; first ones are kept."""
        keys = self.cells.keys(seen, np.zeros(len(seen), dtype=np.int64)).tolist()
        new = []
        for k, key in enumerate(keys):
            if key not in self.numbers and self.count < MOST_STATES:
                self.numbers[key] = self.count
                self.count += 1
                new.append(k)
                self.origins.append(origins[k])
                self.followed.append(self.usual)
        if new:
            rows, places = np.array(new), np.arange(self.count - len(new), self.count)
            while self.archive.size < self.count:
                self._double()
            self.archive.put(places, there.copies(rows))
            self.seen[places], self.times[places], self.begun[places] = seen[rows], times[rows], 0
        return np.array([self.numbers.get(key, LIMIT) for key in keys])

    def _double(self) -> None:
        everyone = np.arange(self.archive.size)
        self.archive = self.archive.copies(np.concatenate([everyone, everyone]))
        self.seen = np.concatenate([self.seen, self.seen])
        self.times = np.concatenate([self.times, self.times])
        self.begun = np.concatenate([self.begun, self.begun])

    def go_on(self) -> None:
        """Let random options follow on some of the states."""
        odds = 1 / (1 + self.begun[: self.count])
        state = self.random.choice(self.count, size=SIDE_BY_SIDE, p=odds / odds.sum())
        np.add.at(self.begun, state, 1)
        running, times = self.archive.copies(state), self.times[state]
        origin, earned = state, np.zeros(len(state))
        option = self.random.integers(len(self.options), size=len(state))
        for depth in range(1, RUN + 1):
            step = running.step(self.options[option])
            self.steps += len(option)
            times = times + 1
            earned = earned + self.discount ** (depth - 1) * step.rewards
            self._follow(origin, earned, depth, step.terminated)
            to = np.where(step.terminated, END, LIMIT)
            going = np.flatnonzero(~step.terminated & ~step.truncated)
            if len(going):
                running, seen = running.part(going), step.observations[going].copy()
                origins = [(int(origin[k]), float(earned[k]), depth) for k in going]
                to[going] = self._numbers(running, seen, times[going], origins)
            self.links.append(Links(state, option, to, step.rewards))
            known = to[going] >= 0
            if not known.any():
                return
            running, going = running.part(np.flatnonzero(known)), going[known]
            state, times, option = to[going], times[going], option[going]
            origin, earned = origin[going], earned[going]
            renewed = self.random.random(len(option)) < RENEWED
            drawn = self.random.integers(len(self.options), size=len(option))
            option = np.where(renewed, drawn, option)

    def _follow(
        self,
        origin: NDArray[np.int64],
        earned: NDArray[np.float64],
        depth: int,
        terminated: NDArray[np.bool_],
    ) -> None:
        """Note what was earned in so many steps from states, and that what is usual follows."""
        returns = earned + np.where(terminated, 0.0, self.discount**depth * self.usual)
        for state, value in zip(origin.tolist(), returns.tolist(), strict=True):
            self.followed[state] = max(self.followed[state], value)

    def _reached(self) -> NDArray[np.float64]:
        """The best that followed on each state, also by way of those found from it."""
        best = np.array(self.followed)
        for state in range(self.count - 1, -1, -1):
            origin, rewards, steps = self.origins[state]
            if origin >= 0:
                best[origin] = max(best[origin], rewards + self.discount**steps * best[state])
        return best

    def ways(self, margin: float) -> Ways:
        """What is known by now; gains are more than ``margin``."""
        links = Links.joined(self.links)
        values = values_of(links, self.count, self.discount, self.usual, EXACT * margin)
        everyone = np.arange(self.count)
        return Ways(
            self.archive.part(everyone), self.seen[everyone], self.times[everyone],
            values, self._reached(), self.usual, margin, self.steps,
        )  # fmt: skip
