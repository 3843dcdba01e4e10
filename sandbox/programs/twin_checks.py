"""Checks of an environment.py that is said to be a standard environment."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sandbox.programs.findings import CheckFailed
from sandbox.programs.rule_checks import same
from sandbox.programs.subject import Subject, describe

RANDOM_EPISODES, KEPT_UP_EPISODES = 4, 6
MOST_EPISODES, MOST_STEPS = 400, 16_000
PARTS = ("observation", "reward", "terminated", "truncated")


def does_what_the_standard_one_does(subject: Subject) -> None:
    """With the same seeds and actions it gives what the standard environment gives.

    Actions are random, kept up, or follow linear policies, of which the one that earned most is
    varied at random, so that some episodes lead far.
    """
    own, standard = subject.make(), subject.make_standard()
    probes = _Probes(subject, standard.action_space)
    steps = 0
    for episode in range(MOST_EPISODES):
        if steps > MOST_STEPS:
            return
        seed = subject.request.seed + episode
        observation = standard.reset(seed=seed)
        _compare("observation", own.reset(seed=seed), observation, f"after a reset, seed {seed}")
        decide, earned = probes.policy(episode), 0.0
        for step in range(1, subject.request.horizon + 2):
            action = decide(np.asarray(observation, dtype=float).ravel())
            one, other = own.step(action)[:4], standard.step(action)[:4]
            where = f"at step {step} of an episode with seed {seed}, action {describe(action)}"
            for part, mine, theirs in zip(PARTS, one, other, strict=True):
                _compare(part, mine, theirs, where)
            observation, steps, earned = other[0], steps + 1, earned + float(other[1])
            if other[2] or other[3]:
                break
        probes.learn(earned)


class _Probes:
    """How the actions of each episode are chosen."""

    def __init__(self, subject: Subject, space: Any) -> None:
        self.space = space
        space.seed(subject.request.seed)
        self.random = np.random.default_rng(subject.request.seed)
        seen = [np.asarray(t.observation, dtype=float).ravel() for t in subject.transitions[:500]]
        spread = np.std(np.stack(seen), axis=0, keepdims=True)
        self.scale: NDArray[np.float64] = spread[0] + 1e-9
        self.best = self.tried = np.zeros((self._outputs(), self.scale.size))
        self.most: float = -math.inf

    def _outputs(self) -> int:
        return int(self.space.n) if isinstance(self.space, spaces.Discrete) else self._size()

    def _size(self) -> int:
        return int(np.prod(self.space.shape or (1,)))

    def policy(self, episode: int) -> Callable[[NDArray[np.float64]], Any]:
        """The decisions of an episode."""
        space, kept_up = self.space, self.space.sample()
        if episode < RANDOM_EPISODES:
            return lambda seen: space.sample()
        linear = isinstance(space, spaces.Discrete | spaces.Box)
        if episode < RANDOM_EPISODES + KEPT_UP_EPISODES or not linear:
            return lambda seen: kept_up
        self.tried = np.asarray(self.random.normal(size=self.best.shape))
        if episode % 4:
            self.tried = self.best + 0.5 * self.tried
        weights = self.tried / self.scale
        if isinstance(space, spaces.Discrete):
            return lambda seen: int(space.start) + int(np.argmax(weights @ seen))
        middle, half = (space.high + space.low) / 2, (space.high - space.low) / 2
        return lambda seen: (middle + half * np.tanh(weights @ seen).reshape(space.shape)).astype(
            space.dtype
        )

    def learn(self, earned: float) -> None:
        """Keep the policy just tried where none earned more."""
        if earned >= self.most:
            self.best, self.most = self.tried, earned


def _compare(part: str, one: Any, other: Any, where: str) -> None:
    if not same(one, other):
        raise CheckFailed(
            "environment",
            f"{part} differs from that of the standard environment",
            place=part,
            expected=describe(np.asarray(other)),
            found=f"{describe(np.asarray(one))} {where}",
        )
