"""Value iteration for many choices at once that do not touch each other.

Where each component of the decision has numbers of its own in the observation, and nothing else is
seen but the time, each is taken for a problem by itself: how its own numbers go on and what it
earns is counted in a million random steps of all together. Nobody says what a single component
earns: the parts are fitted such that they add up to the one reward. A problem whose components do
touch each other is solved worse than promised, and other methods do better.
"""

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sandbox.training.additive import own_parts
from sandbox.training.factored_policy import FactoredPolicy, OwnStates
from sandbox.training.keep_best import KeepBest
from sandbox.training.problem import Piece, Problem
from sandbox.training.simulator import MakeSimulator, Simulator

EPISODES = 4000
"""Side by side."""
ROUNDS = 4
STEPS = 250
"""Of every episode in a round, for not too many components."""
MOST_NUMBERS = 10_000_000
"""States of components that are met in a round at most."""
MOST_ENTRIES = 4_000_000
"""Of the table of what follows what."""
MOST_WORK = 4_000_000_000
"""Entries times time steps."""
RENEWED = 0.1
"""Chance in each step that a component draws its options from another range."""
FOLLOWED = 0.5
"""Share of the options that are those of the best policy so far, after the first round."""
SWEEPS = 6
LEAST_TRIES = 50
"""An option that was tried less often in a state is not taken there."""
DOUBT = 1.0
"""Standard errors by which the value of an option is taken lower than it was counted."""
AS_PROMISED = 0.01
"""Share of the promised gain over chance by which a policy may fall short of it."""


class NotFactored(Exception):
    """The components of the decision are no problems by themselves; says why."""


def own_states(problem: Problem, space: spaces.Space[Any]) -> tuple[OwnStates, NDArray[np.int64]]:
    """The states of each component of a decision in ``space``, and how many options it has.

    Raises:
        NotFactored: some have no numbers of their own, or numbers that are not whole or have no
            limits, or far too many states.
    """
    if not isinstance(space, spaces.MultiDiscrete):
        raise NotFactored("the decision is not made of many choices")
    own = own_parts(problem, len(space.nvec))
    if len({len(indices) for indices in own}) != 1 or not own[0]:
        raise NotFactored("not every component has numbers of its own")
    pieces = [piece for piece in problem.observation for _ in range(piece.size)]
    limits = {tuple(_limits(pieces[index]) for index in indices) for indices in own}
    if len(limits) != 1:
        raise NotFactored("the components have different ranges")
    low, high = np.array(limits.pop(), dtype=np.int64).T
    states = OwnStates(np.array(own, dtype=np.int64), low, high - low + 1)
    entries = float(len(own)) * states.size**2 * int(space.nvec.max())
    if entries > MOST_ENTRIES or entries * problem.horizon > MOST_WORK:
        raise NotFactored("the components have too many states")
    return states, space.nvec.astype(np.int64)


def _limits(piece: Piece) -> tuple[int, int]:
    if piece.dtype == "real" or piece.low is None or piece.high is None:
        raise NotFactored("the components' own numbers are not whole or have no limits")
    return round(piece.low), round(piece.high)


@dataclass
class _Model:
    """What was counted; all tables have the shape (c, s, a, s')."""

    shape: tuple[int, int, int, int]
    base: float = 0.0
    tries: NDArray[np.float64] = field(init=False)
    earned: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        self.tries, self.earned = np.zeros(self.shape), np.zeros(self.shape)

    def fit(self, met: NDArray[np.int32], rewards: NDArray[np.float64]) -> None:
        """Fit what each transition of a component earns, such that the sums (n,) come out.

        ``met`` (n, c) are places in the flat tables. One component after the other takes over what
        the others leave unexplained (backfitting).
        """
        count, size = self.shape[0], int(np.prod(self.shape[1:]))
        counted = np.bincount(met.ravel(), minlength=self.tries.size)
        self.tries = counted.astype(np.float64).reshape(self.shape)
        self.base = float(rewards.mean())
        earned, tries = self.earned.reshape(count, size), self.tries.reshape(count, size)
        places = met - np.arange(count, dtype=np.int32) * size
        explained = self.base + sum(earned[k][places[:, k]] for k in range(count))
        for _ in range(SWEEPS):
            for k in range(count):
                place = places[:, k]
                before = earned[k][place]
                left = np.bincount(place, rewards - explained + before, minlength=size)
                earned[k] = left / np.maximum(tries[k], 1)
                explained += earned[k][place] - before

    def solve(self, horizon: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The best options (T, c, s) and their values (c, s) at the beginning, without ``base``."""
        tries = self.tries.sum(axis=3)
        shares = self.tries / np.maximum(tries, 1)[..., None]
        expected = np.einsum("csax,csax->csa", shares, self.earned)
        squares = np.einsum("csax,csax->csa", shares, self.earned**2)
        values = np.zeros(self.shape[:2])
        chosen = []
        for _ in range(horizon):
            ahead = np.einsum("csax,cx->csa", shares, values)
            cross = np.einsum("csax,csax,cx->csa", shares, self.earned, values)
            ahead_squares = np.einsum("csax,cx->csa", shares, values**2)
            mean = expected + ahead
            variance = squares + 2 * cross + ahead_squares - mean**2
            doubtful = DOUBT * np.sqrt(np.maximum(variance, 0) / np.maximum(tries, 1))
            worth = np.where(tries >= LEAST_TRIES, mean - doubtful, -np.inf)
            chosen.append(worth.argmax(axis=2))
            best = worth.max(axis=2)
            # A state that was hardly met is worth as little as any.
            values = np.where(np.isfinite(best), best, best[np.isfinite(best)].min(initial=0.0))
        return np.array(chosen[::-1], dtype=np.int64), values


def learn(make: MakeSimulator, problem: Problem, seed: int, judge: KeepBest, folder: Path) -> int:
    """Count and solve in rounds; returns the steps. The best policy is in ``folder``.

    Raises:
        NotFactored: more is seen than the components' own numbers and the time, or episodes end.
    """
    space = make(1).action_space
    states, sizes = own_states(problem, space)
    model = _Model((len(sizes), states.size, int(sizes.max()), states.size))
    play = _Play(make(EPISODES), states, sizes, seed)
    met, rewards = [], []
    policy: FactoredPolicy | None = None
    promised, steps = 0.0, 0
    for _ in range(ROUNDS):
        more, earned = play.round(policy, judge)
        met.append(more)
        rewards.append(earned)
        steps += len(earned)
        model.fit(np.concatenate(met), np.concatenate(rewards))
        choices, values = model.solve(problem.horizon)
        policy = FactoredPolicy(states, choices, space)
        first = values[np.arange(len(sizes)), play.beginnings].sum(axis=1).mean()
        promised = float(first) + problem.horizon * model.base
        if judge.consider(steps, policy, partial(policy.save, folder)):
            return steps
    if judge.reaches(promised, AS_PROMISED):
        judge.stopped_because = "converged"
    return steps


class _Play:
    """Plays at random, each component from a range of options that it keeps for a while."""

    def __init__(
        self, simulator: Simulator, states: OwnStates, sizes: NDArray[np.int64], seed: int
    ) -> None:
        self.simulator, self.states, self.sizes = simulator, states, sizes
        self.start = getattr(simulator.action_space, "start", 0)
        self.steps = max(1, min(STEPS, MOST_NUMBERS // (simulator.size * len(sizes))))
        self.random = np.random.default_rng(seed)
        self.seen = self.simulator.reset(seed)
        self.beginnings = states(self.seen)
        """States (n, c) in which episodes begin."""
        self.time = 0
        self.first, self.last = self._ranges(), self._ranges()

    def _ranges(self) -> NDArray[np.int64]:
        return self.random.integers(self.sizes, size=(self.simulator.size, len(self.sizes)))

    def round(
        self, policy: FactoredPolicy | None, judge: KeepBest
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Places (n, c) in the tables of what was met, and rewards (n,)."""
        count, options, size = len(self.sizes), int(self.sizes.max()), self.states.size
        component = np.arange(count)
        met, rewards = [], []
        own = self.states(self.seen)
        for _ in range(self.steps):
            chosen = self._chosen(policy)
            step = self.simulator.step(chosen + self.start)
            self._look_at(step.observations, step.terminated)
            after = self.states(step.observations)
            places = ((component * size + own) * options + chosen) * size + after
            met.append(places.astype(np.int32))
            rewards.append(step.rewards)
            self.seen, self.time, own = step.observations, self.time + 1, after
            if step.truncated.all():
                self.seen = self.simulator.restart(np.arange(self.simulator.size))
                self.time, own = 0, self.states(self.seen)
            if judge.out_of_time():
                break
        return np.concatenate(met), np.concatenate(rewards)

    def _chosen(self, policy: FactoredPolicy | None) -> NDArray[np.int64]:
        shape = self.first.shape
        renewed = self.random.random(shape) < RENEWED
        self.first = np.where(renewed, self._ranges(), self.first)
        self.last = np.where(renewed, self._ranges(), self.last)
        low, high = np.minimum(self.first, self.last), np.maximum(self.first, self.last)
        chosen: NDArray[np.int64] = self.random.integers(low, high, endpoint=True)
        if policy is not None:
            best = policy.options(self.seen, np.full(self.simulator.size, self.time))
            chosen = np.where(self.random.random(shape) < FOLLOWED, best, chosen)
        return chosen

    def _look_at(self, observations: NDArray[np.float32], terminated: NDArray[np.bool_]) -> None:
        if terminated.any():
            raise NotFactored("episodes end before their time")
        shared = np.delete(observations, self.states.inputs.ravel(), axis=1)
        if np.any(shared != shared[0]):
            raise NotFactored("more is seen than the components' own numbers and the time")
