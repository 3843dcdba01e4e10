"""Episodes that begin near success first, and farther from it as success rises.

Reverse curriculum (Florensa et al., Reverse curriculum generation for reinforcement learning, 2017)
over states from which a gain is known: a stage holds those nearest to it, and the next one opens
when most episodes from the present one do about as well as is known to be possible (Salimans and
Chen, 2018). In the end all episodes begin as they truly do.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandbox.training.simulator import Simulator
from sandbox.training.ways import Ways

STAGES = 10
STATES_A_STAGE = 32
TRUE_SHARE = 0.3
"""Of the episodes, which begin as they truly do from the first stage on."""
ENOUGH = 0.5
"""Share of the known gain that makes an episode a success, and share of successes to go on."""
WINDOW = 20
"""Episodes of the present stage on which it is judged."""
LONGEST = 0.7
"""Share of the training after which all episodes begin as they truly do."""


class Curriculum:
    """Says where episodes begin; ``total_steps`` are those of the training."""

    def __init__(self, ways: Ways, discount: float, total_steps: int, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.discount, self.usual = discount, ways.usual
        self.until = LONGEST * total_steps
        parts = np.array_split(ways.gaining, STAGES)
        chosen = [
            np.sort(self.random.choice(part, min(len(part), STATES_A_STAGE), replace=False))
            for part in parts if len(part)
        ]  # fmt: skip
        self.stage_of = np.repeat(np.arange(len(chosen)), [len(part) for part in chosen])
        which = np.concatenate(chosen)
        self.states: Simulator = ways.states.copies(which)
        self.seen, self.times, self.values = (
            ways.seen[which],
            ways.times[which],
            ways.reached[which],
        )
        self.stage, self.last_stage = 0, len(chosen) - 1
        self.steps = 0
        self.outcomes: list[bool] = []
        self.begun: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        """State in which each episode began, -1 for a true beginning."""
        self.returns: NDArray[np.float64] = np.zeros(0)
        self.weights: NDArray[np.float64] = np.zeros(0)

    @property
    def over(self) -> bool:
        """Whether all episodes begin as they truly do from now on."""
        return self.stage > self.last_stage or self.steps >= self.until

    def begin(
        self, simulator: Simulator, which: NDArray[np.int64], seen: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Put some of the episodes ``which``, just begun and ``seen``, into states of this stage.

        Returns what is seen of them (k, d) and how many steps are behind (k,).
        """
        if len(self.begun) != simulator.size:
            self.begun = np.full(simulator.size, -1)
            self.returns, self.weights = np.zeros(simulator.size), np.ones(simulator.size)
        seen, times = seen.copy(), np.zeros(len(which), dtype=np.int64)
        self.begun[which], self.returns[which], self.weights[which] = -1, 0.0, 1.0
        if self.over:
            return seen, times
        moved = np.flatnonzero(self.random.random(len(which)) >= TRUE_SHARE)
        if len(moved):
            # Half of them in the newest stage, which is judged, the others where all is known.
            newest = self.random.random(len(moved)) < ENOUGH
            first = np.searchsorted(self.stage_of, np.where(newest, self.stage, 0))
            last = np.searchsorted(self.stage_of, self.stage, side="right")
            states = self.random.integers(first, last)
            simulator.put(which[moved], self.states.copies(states))
            self.begun[which[moved]] = states
            seen[moved], times[moved] = self.seen[states], self.times[states]
        return seen, times

    def note(
        self, rewards: NDArray[Any], terminated: NDArray[np.bool_], truncated: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """See how the episodes go on; rewards (n,) are the true ones.

        Returns which of them are to be broken off, for they began in a state of the curriculum and
        cannot come to a success any more.
        """
        self.steps += len(rewards)
        self.returns += self.weights * rewards
        self.weights *= self.discount
        moved = self.begun >= 0
        wanted = self.usual + ENOUGH * (self.values[self.begun] - self.usual)
        hopeless = self.returns + self.weights * self.values.max() < wanted
        broken_off: NDArray[np.bool_] = moved & hopeless & ~terminated & ~truncated
        earned = self.returns + np.where(terminated, 0.0, self.weights * self.usual)
        judged = moved & (terminated | truncated | broken_off)
        judged &= self.stage_of[self.begun] == self.stage
        self.outcomes += (earned >= wanted)[judged].tolist()
        if len(self.outcomes) >= WINDOW:
            self.stage += int(np.mean(self.outcomes) >= ENOUGH)
            self.outcomes = []
        return broken_off
