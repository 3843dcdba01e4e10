"""Telling states apart by what follows from them, tried out, where their attributes tell too much.

A sum of all past rewards, or the order of the cards in a hand, makes states different that behave
alike. Two states that look the same, and go on looking and paying the same in a number of random
futures with the same chances and the same actions, are taken for one.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandbox.training.chances import ScriptedGenerator
from sandbox.training.stepping import Arrival, Stepper
from sandbox.training.watched_attributes import identity

TRIED = 24
"""So many futures of each state are compared."""

_LENGTH = 6
_CHANCES = 512


class RandomScript(ScriptedGenerator):
    """Takes each option as often as it is likely, by fixed random numbers (k,)."""

    def __init__(self, numbers: NDArray[np.float64]) -> None:
        super().__init__()
        self._numbers = numbers.tolist()
        self._next = 0

    def again(self) -> None:
        """Begin with the first number once more."""
        self._next = 0

    def pick(self, probabilities: NDArray[np.float64]) -> int:
        """The option into whose share of the unit interval the next number falls."""
        number = self._numbers[self._next % len(self._numbers)]
        self._next += 1
        sums = np.cumsum(probabilities)
        return int(min(np.searchsorted(sums, number * sums[-1], side="right"), len(sums) - 1))


class Futures:
    """Tries out the same futures for every state of an environment."""

    def __init__(self, stepper: Stepper, actions: NDArray[np.int64]) -> None:
        self._stepper = stepper
        random = np.random.default_rng(0)
        self._scripts = [RandomScript(random.random(_CHANCES)) for _ in range(TRIED)]
        # The first actions are all different as far as that goes.
        first = np.concatenate([random.permutation(len(actions)) for _ in range(TRIED)])[:TRIED]
        later = random.integers(len(actions), size=(TRIED, _LENGTH - 1))
        plans = np.concatenate([first[:, None], later], axis=1)
        self._plans = [[actions[j] for j in plan] for plan in plans]
        self._known: dict[tuple[Any, ...], tuple[Any, ...]] = {}

    def key(self, arrival: Arrival) -> tuple[Any, ...]:
        """Equal for states from which the same followed in all futures that were tried."""
        known = self._known.get(arrival.state)
        if known is None:
            known = self._known[arrival.state] = self._try_out(arrival.state)
        return known

    def _try_out(self, state: tuple[Any, ...]) -> tuple[Any, ...]:
        snapshot = self._stepper.kept[state]
        traces: list[Any] = []
        for script, plan in zip(self._scripts, self._plans, strict=True):
            script.again()
            for k, action in enumerate(plan):
                if k == 0:
                    step = self._stepper.step(snapshot, action, script, keep=False)
                else:
                    step = self._stepper.go_on(action, keep=False)
                traces += (step.seen, identity(step.reward), step.ended)
                if step.ended:
                    break
        # Short instead of all that was seen: hundreds of such keys would not fit otherwise.
        return hash(tuple(traces)), hash((0, *traces)), len(traces)
