"""Many episodes of one problem side by side, with copies of any of them at will."""

import copy
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, Self

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sandbox.training.environments import Environment

Observations = NDArray[np.float32]
Indices = NDArray[np.int64]


class Step(NamedTuple):
    """One step of n episodes: observations (n, d), and three rows of n."""

    observations: Observations
    rewards: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]


class Simulator(Protocol):
    """n episodes side by side; none begins anew by itself."""

    size: int
    action_space: spaces.Space[Any]
    observation_space: spaces.Box

    def reset(self, seed: int) -> Observations:
        """Begin all episodes anew from ``seed``; their observations (n, d)."""

    def step(self, actions: Any) -> Step:
        """One step of each episode; ``actions`` are n actions in the environment's own terms."""

    def restart(self, which: Indices) -> Observations:
        """Begin new episodes at these places; their observations (k, d)."""

    def copies(self, which: Indices) -> "Simulator":
        """Other episodes, number j in the state of ``which[j]``, with chances of their own."""

    def part(self, which: Indices) -> "Simulator":
        """The episodes at these places, each named once, on their own.

        They may be the very ones that are here: both must not be stepped on.
        """

    def put(self, which: Indices, others: Any) -> None:
        """Let the episodes of ``others``, which end there, go on at these places."""


class PlainSimulator:
    """Gymnasium environments one after the other."""

    def __init__(self, environments: Sequence[Environment], seed: int = 0) -> None:
        self.environments = list(environments)
        self.size = len(self.environments)
        first = self.environments[0]
        self.action_space = first.action_space
        assert isinstance(first.observation_space, spaces.Box)
        self.observation_space = first.observation_space
        self.random = np.random.default_rng(seed)
        self.last: list[tuple[Any, float, bool, bool] | None] = [None] * self.size

    def reset(self, seed: int) -> Observations:
        """Begin episode k from ``seed + k``."""
        self.random = np.random.default_rng(seed)
        self.last = [None] * self.size
        seen = [e.reset(seed=seed + k)[0] for k, e in enumerate(self.environments)]
        return np.stack(seen).astype(np.float32)

    def step(self, actions: Any) -> Step:
        """One step of each environment; where an episode has ended, nothing happens."""
        results = []
        for k, action in enumerate(actions):
            last = self.last[k]
            if last is None:
                seen, reward, terminated, truncated, _ = self.environments[k].step(action)
                last = (seen, 0.0, bool(terminated), bool(truncated))
                self.last[k] = last if terminated or truncated else None
                last = (seen, float(reward), last[2], last[3])
            results.append(last)
        observations, rewards, ended, cut = zip(*results, strict=True)
        return Step(
            np.stack(observations).astype(np.float32),
            np.array(rewards, dtype=np.float64),
            np.array(ended, dtype=bool),
            np.array(cut, dtype=bool),
        )

    def restart(self, which: Indices) -> Observations:
        """Begin new episodes at these places, each with its own generator going on."""
        for k in which:
            self.last[k] = None
        return np.stack([self.environments[k].reset()[0] for k in which]).astype(np.float32)

    def copies(self, which: Indices) -> Self:
        """Deep copies, of which each is given a generator of its own."""
        seeds = self.random.integers(2**31, size=len(which))
        copied = [
            copied_environment(self.environments[k], np.random.default_rng(int(seed)))
            for k, seed in zip(which, seeds, strict=True)
        ]
        others = type(self)(copied, int(self.random.integers(2**31)))
        others.last = [self.last[k] for k in which]
        return others

    def part(self, which: Indices) -> Self:
        """The same environments."""
        others = type(self)([self.environments[k] for k in which])
        others.random = self.random
        others.last = [self.last[k] for k in which]
        return others

    def put(self, which: Indices, others: Self) -> None:
        """Take the environments of ``others``."""
        for place, environment, last in zip(which, others.environments, others.last, strict=True):
            self.environments[place], self.last[place] = environment, last


def copied_environment(environment: Environment, generator: np.random.Generator) -> Environment:
    """A copy in the same state that draws from ``generator``.

    Spaces are shared: nothing in a step changes them, and copying them is slow.
    """
    shared = [environment.action_space, environment.observation_space, environment.spec]
    memo: dict[int, Any] = {id(thing): thing for thing in shared}
    memo[id(environment.unwrapped.np_random)] = generator
    return copy.deepcopy(environment, memo)


class BatchedSimulator:
    """The generated environment in its numpy form, which steps all episodes at once."""

    def __init__(self, batched: Any) -> None:
        self.batched = batched
        self.size = int(batched.size)
        self.action_space = batched.action_space
        self.observation_space = batched.observation_space

    def reset(self, seed: int) -> Observations:
        """Begin all episodes anew from one generator with this seed."""
        observations: Observations = self.batched.reset(seed=seed)
        return observations

    def step(self, actions: Any) -> Step:
        """One step of all episodes."""
        return Step(*self.batched.step(np.asarray(actions)))

    def restart(self, which: Indices) -> Observations:
        """Begin new episodes at these places."""
        observations: Observations = self.batched.restart(which)
        return observations

    def copies(self, which: Indices) -> Self:
        """Copies of the arrays."""
        return type(self)(self.batched.copies(which))

    def part(self, which: Indices) -> Self:
        """Copies of the arrays that draw from the same generator."""
        return type(self)(self.batched.part(which))

    def put(self, which: Indices, others: Self) -> None:
        """Copy the arrays of ``others``."""
        self.batched.put(which, others.batched)


MakeSimulator = Callable[[int], Simulator]


def plain_maker(make: Callable[[], Environment]) -> MakeSimulator:
    """Simulators of any size over environments that ``make`` makes."""
    return lambda size: PlainSimulator([make() for _ in range(size)])


def batched_maker(batched_class: Any) -> MakeSimulator:
    """Simulators of any size over the generated class ``BatchedEnvironment``."""
    return lambda size: BatchedSimulator(batched_class(size))


def random_actions(
    space: spaces.Space[Any], size: int, random: np.random.Generator
) -> NDArray[Any]:
    """``size`` actions drawn evenly."""
    if isinstance(space, spaces.Discrete):
        numbers: NDArray[Any] = space.start + random.integers(space.n, size=size)
        return numbers
    if isinstance(space, spaces.MultiDiscrete):
        return space.start + random.integers(space.nvec, size=(size, len(space.nvec)))
    if isinstance(space, spaces.Box):
        low, high = space.low.astype(np.float64), space.high.astype(np.float64)
        drawn = random.uniform(low, high, size=(size, *space.shape))
        return drawn.astype(np.float32)
    raise gymnasium.error.Error(f"no random actions for {space}")
