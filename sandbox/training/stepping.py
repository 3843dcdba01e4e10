"""Taking any step of an environment from any of its states, with chances from a script."""

import copy
from typing import Any, NamedTuple

import numpy as np

from sandbox.training.chances import ScriptedGenerator
from sandbox.training.environments import Environment
from sandbox.training.time_counter import TimeCounter
from sandbox.training.uniform_draw import NotEnumerable
from sandbox.training.watched_attributes import Snapshot, WatchedAttributes
from sandbox.training.wrappers import Wrappers

_WARM_EPISODES = 6
_WARM_STEPS = 40

Generator = np.random.Generator | ScriptedGenerator


class Arrival(NamedTuple):
    """Where a step or a reset led: ``state`` and ``seen`` are keys; ``time`` 0 where no matter.

    After an end, ``state`` is empty.
    """

    state: tuple[Any, ...]
    seen: bytes
    time: int
    reward: float
    ended: bool


class DependenciesGrew(Exception):
    """A step read an attribute that was not known to be part of the state."""


class Stepper:
    """One environment whose state is put in place, stepped, and read at will.

    Attributes:
        kept: the states met, under their keys.
        taken: steps and resets so far.

    Raises:
        NotEnumerable: its state or its draws cannot be reached.
    """

    def __init__(self, environment: Environment) -> None:
        self.wrappers = Wrappers(environment)
        self.environment: Environment = environment.unwrapped
        self.watch = WatchedAttributes(self.environment)
        self.kept: dict[tuple[Any, ...], Snapshot] = {}
        self.time_used: set[str] = set()
        self.counters: list[str] = []
        self.names: list[str] = []
        self.clock: str | None = None
        self.taken = 0
        # A copy: sampling would change the environment's own.
        self._warm_up(copy.deepcopy(environment.action_space))
        self._known = self._extent()

    def forget(self) -> None:
        """Begin anew with what is now known of the state."""
        self.kept = {}
        self.clock = next((name for name in self.counters if name in self.time_used), None)
        self.names = self._state_names()
        self._known = self._extent()

    def reset(self, generator: Generator) -> Arrival:
        """Begin an episode with these chances."""
        self.taken += 1
        values = self.watch.values
        values["_np_random"] = generator
        self.watch.begin(step=False)
        observation, _ = self.environment.reset()
        self._check_generator(generator)
        return self._arrival(observation, 0.0, False, True)

    def step(
        self, state: Snapshot, action: Any, generator: Generator, *, keep: bool = True
    ) -> Arrival:
        """Take ``action`` in a state of ``kept``, and ``keep`` what follows or give no key."""
        watch = self.watch
        watch.restore(state)
        watch.values["_np_random"] = generator
        for name in self.counters:
            if name not in self.time_used:
                watch.values[name] = self._counter(name)
        return self.go_on(action, keep=keep)

    def go_on(self, action: Any, *, keep: bool = True) -> Arrival:
        """Take ``action`` in the state in which the environment is."""
        self.taken += 1
        self.watch.begin(step=True)
        done = self.wrappers.done(action)
        observation, reward, terminated, truncated, _ = self.environment.step(done)
        earned = self.wrappers.earned(reward)
        return self._arrival(observation, earned, bool(terminated or truncated), keep)

    def check(self) -> None:
        """Raise ``DependenciesGrew`` where more belongs to the state than was thought."""
        if self._extent() != self._known:
            self._known = self._extent()
            if self._state_names() != self.names:
                raise DependenciesGrew

    def _state_names(self) -> list[str]:
        own = set(self.watch.state_names()) - set(self.counters)
        return sorted(own | self.time_used)

    def _arrival(self, observation: Any, reward: float, ended: bool, keep: bool) -> Arrival:
        seen = (self.wrappers.seen(observation) + np.float32(0)).tobytes()
        if ended or not keep:
            return Arrival((), seen, 0, reward, ended)
        state = self.watch.key(self.names)
        if state not in self.kept:
            self.kept[state] = self.watch.snapshot(self.names)
        time = int(self.watch.values[self.clock]) if self.clock else 0
        return Arrival(state, seen, time, reward, False)

    def _extent(self) -> tuple[int, int, bool, int]:
        watch = self.watch
        return (
            len(watch.written), len(watch.read_first), watch.everything_read, len(self.time_used)
        )  # fmt: skip

    def _counter(self, name: str) -> TimeCounter:
        horizon = self.wrappers.own_horizon
        return TimeCounter(0, horizon, lambda: self.time_used.add(name))

    def _check_generator(self, generator: Generator) -> None:
        if self.watch.values.get("_np_random") is not generator:
            raise NotEnumerable("the environment seeds its generator anew when it is reset")

    def _warm_up(self, space: Any) -> None:
        """Some random episodes, to learn what a step reads and writes and which numbers count."""
        random = np.random.default_rng(0)
        space.seed(0)
        candidates: set[str] | None = None
        for _ in range(_WARM_EPISODES):
            self.reset(random)
            for _ in range(_WARM_STEPS):
                before = self._whole_numbers()
                ended = self.go_on(space.sample()).ended
                after = self._whole_numbers()
                rising = {n for n, value in before.items() if after.get(n) == value + 1}
                candidates = rising if candidates is None else candidates & rising
                if ended:
                    break
            self.watch.check_generators()
            self.watch.note_changes_in_place()
        self.counters = sorted(candidates or ())

    def _whole_numbers(self) -> dict[str, int]:
        return {n: value for n, value in self.watch.values.items() if type(value) is int}
