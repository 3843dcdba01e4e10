"""Does a numpy-batched environment do, step by step, what the plain one does?

Both are given the same actions. What the plain environments draw is recorded and dealt out to the
batched one in the same order, so that the two must agree in random problems as well. It is also
checked that the batched one asks for each draw with the same parameters.
"""

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandbox.training.replay import RELATIVE, Difference, Recorder, Script

MOVED_EVERY = 5
"""Steps after which states are moved about, for what is planned begins at states put together."""
RELATIVE_SEEN = 1e-6
"""Most by which observations may differ, which are single-precision numbers."""


def differs(plain_environment: Any, batched_environment: Any, steps: int, seed: int) -> str:
    """What is first seen to differ in ``steps`` steps of all episodes; empty where nothing is.

    ``plain_environment`` is a Gymnasium environment that draws from its ``np_random`` only,
    ``batched_environment`` an object of the generated class ``BatchedEnvironment``, of any size.
    Neither is changed. Episodes that end are begun anew.
    """
    comparison = _Comparison(plain_environment, batched_environment, seed)
    try:
        comparison.begin()
        for _ in range(steps):
            comparison.step()
    except Difference as difference:
        return str(difference)
    except Exception as error:
        # An environment that fails cannot be called equal to the other.
        return f"{comparison.moment}: {type(error).__name__}: {error}"
    return ""


class _Comparison:
    def __init__(self, plain: Any, batched: Any, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.batched = copy.deepcopy(batched)
        self.size = int(self.batched.size)
        self.recorders = [Recorder(g) for g in self.random.spawn(self.size)]
        self.plain = [copy.deepcopy(plain.unwrapped) for _ in range(self.size)]
        for environment, recorder in zip(self.plain, self.recorders, strict=True):
            environment.np_random = recorder
        self.script = Script(self.recorders)
        self.batched.draws = self.script
        self.space = self.plain[0].action_space
        self.space.seed(seed)
        self.actions = [self.space.sample() for _ in range(self.size)]
        self.count = 0

    @property
    def moment(self) -> str:
        return f"in step {self.count}" if self.count else "in reset"

    def begin(self) -> None:
        with np.errstate(all="ignore"):
            seen = [environment.reset()[0] for environment in self.plain]
        self._compare("observation", np.stack(seen), self.batched.reset())
        self._all_drawn()

    def step(self) -> None:
        self.count += 1
        self._choose()
        if self.count % MOVED_EVERY == 0:
            self._move()
        with np.errstate(all="ignore"):
            results = [e.step(a) for e, a in zip(self.plain, self.actions, strict=True)]
        seen, rewards, terminated, truncated, infos = zip(*results, strict=True)
        other = self.batched.step(np.stack(self.actions))
        named = zip(("observation", "reward", "terminated", "truncated"), other, strict=True)
        for (name, values), own in zip(named, (seen, rewards, terminated, truncated), strict=True):
            self._compare(name, np.stack(own), values)
        if all("objective" in info for info in infos) and hasattr(self.batched, "objective"):
            objective = np.array([info["objective"] for info in infos])
            self._compare("objective", objective, self.batched.objective)
        self._all_drawn()
        ended = np.flatnonzero(np.logical_or(terminated, truncated))
        if len(ended):
            self._restart(ended)

    def _choose(self) -> None:
        """New actions for about half of the episodes: what is repeated leads further away."""
        for episode in np.flatnonzero(self.random.random(self.size) < 0.5):
            self.actions[episode] = self.space.sample()

    def _move(self) -> None:
        """Take all states out and put them back, in another order each time."""
        order = self.random.permutation(self.size)
        self.batched.put(order, self.batched.part(order))

    def _restart(self, which: NDArray[np.int64]) -> None:
        with np.errstate(all="ignore"):
            seen = [self.plain[episode].reset()[0] for episode in which]
        self.script.episodes = [int(episode) for episode in which]
        observations = self.batched.restart(which)
        self.script.episodes = list(range(self.size))
        self._compare("observation of the next episode", np.stack(seen), observations)
        self._all_drawn()

    def _compare(self, name: str, plain: NDArray[Any], batched: Any) -> None:
        if np.shape(batched) != plain.shape:
            raise Difference(f"{self.moment}: {name} of shape {np.shape(batched)} is no "
                              f"{plain.shape}")  # fmt: skip
        relative = RELATIVE_SEEN if plain.dtype == np.float32 else RELATIVE
        same = np.isclose(plain, batched, rtol=relative, atol=relative, equal_nan=True)
        if not same.all():
            place = tuple(int(i) for i in np.argwhere(~same)[0])
            raise Difference(
                f"{self.moment}: {name} {place} is {plain[place]} in the plain environment and "
                f"{np.asarray(batched)[place]} in the batched one"
            )

    def _all_drawn(self) -> None:
        for episode, recorder in enumerate(self.recorders):
            if recorder.drawn:
                raise Difference(
                    f"{self.moment}: episode {episode} draws one {recorder.drawn[0].method} more "
                    "in the plain form"
                )
