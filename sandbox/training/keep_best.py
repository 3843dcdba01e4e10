"""Judging a policy while it learns: keep the best, see when it has arrived, write progress."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandbox.training.judge import SELECTION_SEED, Watched, episode_returns
from sandbox.training.policy import Policy
from sandbox.training.records import Records
from sandbox.training.simulator import Simulator

PATIENCE = 8
"""Evaluations in a row, all about as good as the best, that end a training."""
STEADY = 0.01
"""Share of the gain over chance by which such evaluations may fall short of the best."""
LINGERING = 3.0
"""A training ends early once it has spent so many times the steps that took it to the best."""
FAR = 0.02
"""Share of a teacher's gain over chance: whoever falls short by more can still learn from it."""
BRIEFLY = 4
"""Such evaluations that suffice where another training came to the same return."""
LEAST_EPISODES = 100
"""On which a policy that seems the best so far is judged before it is kept."""
SEEDS_APART = 10_000


@contextmanager
def _not_ended_meanwhile() -> Iterator[None]:
    """Holds a request to end (SIGTERM) back, so that no file is left half written."""
    asked: list[int] = []
    # Blocking it would not do, for then it reaches another thread, and that ends the process.
    before = signal.signal(signal.SIGTERM, lambda number, frame: asked.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
        if asked:
            os.kill(os.getpid(), signal.SIGTERM)


class KeepBest:
    """Evaluates policies on the same seeds, keeps the best and knows when to stop.

    ``save`` of the policy that is best so far is called at once, so that whatever ends the
    training leaves it behind.
    """

    def __init__(
        self,
        simulator: Simulator,
        horizon: int,
        chance: NDArray[np.float64],
        *,
        total_timesteps: int,
        deadline: float,
        folder: Path,
        stop_after: int | None = None,
        seconds_before: float = 0.0,
    ) -> None:
        """``chance`` are returns of random actions; after ``stop_after`` steps training ends.

        ``seconds_before`` this training others were made; the curve's clock counts them in.
        """
        self.simulator = simulator
        self.horizon = horizon
        self.chance, self.chance_spread = float(chance.mean()), float(chance.std())
        self.total_timesteps = total_timesteps
        self.deadline = deadline
        self.records = Records(folder, seconds_before)
        self.stop_after = stop_after
        self.confirmations = max(1, -(-LEAST_EPISODES // simulator.size) - 1)
        self.best = -np.inf
        self.best_at_first = -np.inf
        """The best policy's mean return on the seeds that every policy meets."""
        self.always_same = False
        """Whether the best policy always decides the same."""
        self.diverged = False
        """Whether the learner's numbers got out of hand."""
        self.history: list[float] = []
        self.evaluated_at: list[int] = []
        self.started = time.monotonic()
        self.resumed = 0
        """How often this training was broken off and gone on with."""
        self.wanted: float | None = None
        self.stopped_because = "total_timesteps"

    def consider(self, timesteps: int, policy: Policy, save: Callable[[], None]) -> bool:
        """Evaluate ``policy``; True if the training should end now."""
        watched = Watched(policy)
        mean = self._mean_return(watched, SELECTION_SEED)
        self.history.append(mean)
        self.evaluated_at.append(timesteps)
        with _not_ended_meanwhile():
            if (
                mean > self.best_at_first
                and (confirmed := self._confirmed(policy, mean)) > self.best
            ):
                self.best, self.best_at_first = confirmed, mean
                self.always_same = watched.always_same
                save()
            self._report(timesteps, mean)
        if self._has_converged(timesteps):
            self.stopped_because = "converged"
        elif (self.stop_after is not None and timesteps >= self.stop_after) or self.out_of_time():
            return True
        return self.stopped_because == "converged"

    def mean_return(self, policy: Policy) -> float:
        """On all seeds that decide what is kept."""
        return self._confirmed(policy, self._mean_return(policy, SELECTION_SEED))

    def _mean_return(self, policy: Policy, seed: int) -> float:
        return float(episode_returns(policy, self.simulator, self.horizon, seed).mean())

    def _confirmed(self, policy: Policy, mean: float) -> float:
        """Mean return on more seeds, so that none is kept for its luck on the first ones."""
        more = [
            self._mean_return(policy, SELECTION_SEED + SEEDS_APART * (k + 1))
            for k in range(self.confirmations)
        ]
        return float(np.mean([mean, *more]))

    def reaches(self, wanted: float, share: float) -> bool:
        """Whether the best falls short by no more than a share of the wanted gain over chance."""
        return bool(self.best >= wanted - share * abs(wanted - self.chance))

    def out_of_time(self) -> bool:
        """Whether the time is used up."""
        if time.monotonic() < self.deadline:
            return False
        self.stopped_because = "time_budget"
        return True

    def seconds(self) -> float:
        """Seconds since the training began."""
        return time.monotonic() - self.started

    def close(self) -> None:
        """Close the files."""
        self.records.close()

    def memory(self) -> dict[str, Any]:
        """All that is remembered of this training, for its checkpoint."""
        names = (
            "best", "best_at_first", "always_same", "history", "evaluated_at", "wanted", "resumed"
        )  # fmt: skip
        remembered = {name: getattr(self, name) for name in names}
        return {**remembered, "rows": self.records.rows, "seconds": self.seconds()}

    def recall(self, memory: dict[str, Any]) -> None:
        """Go on with the same training, of which ``memory`` gave this before it was broken off."""
        remembered = dict(memory)
        self.records.recall(remembered.pop("rows"))
        self.started = time.monotonic() - remembered.pop("seconds")
        for name, value in remembered.items():
            setattr(self, name, value)
        self.resumed += 1

    def result(self, method: str, timesteps: int) -> dict[str, Any]:
        """The account of the training."""
        return {
            "method": method,
            "timesteps": int(timesteps),
            "seconds": round(self.seconds(), 3),
            "stopped_because": self.stopped_because,
            "best_evaluation": self.best,
            "chance": self.chance,
            "symptom": self.symptom(),
            "wanted": self.wanted,
            "resumed": self.resumed,
        }

    def symptom(self) -> str:
        """In a word or two, what the curve looks like.

        "better" than chance, "flat", "worse", "fell" back, "below its teacher", "diverged", or
        "collapsed", where the best policy always decides the same.
        """
        if self.diverged:
            return "diverged"
        if self.wanted is not None and not self.reaches(self.wanted, FAR):
            return "below its teacher"
        if self.always_same:
            return "collapsed"
        spread = max(self.chance_spread, 1e-9) / np.sqrt(max(self.simulator.size, 1))
        gain = self.best - self.chance
        if gain <= 2 * spread:
            return "flat" if len(set(np.round(self.history, 9))) <= 2 or gain > -spread else "worse"
        last = float(np.mean(self.history[-3:]))
        return "fell" if last < self.chance + 0.5 * gain else "better"

    def _has_converged(self, timesteps: int) -> bool:
        """Clearly better than chance, of late always about as good as the best, for long enough.

        Plateaus on the way up are common: they end nothing until they have lasted for twice the
        steps that led to them.
        """
        if not self._is_steady(PATIENCE):
            return False
        enough = self.best_at_first - STEADY * (self.best_at_first - self.chance)
        reached = next(
            at for at, mean in zip(self.evaluated_at, self.history, strict=True) if mean >= enough
        )
        return timesteps >= LINGERING * reached

    def _is_steady(self, evaluations: int) -> bool:
        gain = self.best_at_first - self.chance
        recent = self.history[-evaluations:]
        steady = len(recent) == evaluations and min(recent) >= self.best_at_first - STEADY * gain
        return steady and bool(gain > 2 * self.chance_spread / np.sqrt(self.simulator.size))

    def _report(self, timesteps: int, mean: float) -> None:
        self.records.add(
            {
                "timesteps": int(timesteps),
                "total_timesteps": self.total_timesteps,
                "seconds": round(self.seconds(), 1),
                "seconds_left": round(max(0.0, self.deadline - time.monotonic()), 1),
                "mean_return": mean,
                "best": self.best,
                "chance": self.chance,
                "wanted": self.wanted,
                "steady": self._is_steady(BRIEFLY),
            }
        )
