"""A judge whose evaluations are told beforehand."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sandbox.training import keep_best
from sandbox.training.judge import SELECTION_SEED
from sandbox.training.keep_best import KeepBest
from sandbox.training.policy import Policy
from sandbox.training.simulator import Simulator

JudgeOf = Callable[..., KeepBest]


class NoPolicy:
    """Stands for a policy where nobody asks it."""

    def actions(self, observations: NDArray[Any], time_steps: NDArray[np.int64]) -> NDArray[Any]:
        raise AssertionError("nobody asks")


def let_returns_be(monkeypatch: pytest.MonkeyPatch, means: Sequence[float]) -> None:
    """Let the next evaluations come to these means, on whatever seeds."""
    coming = iter(means)
    present = 0.0

    def returns(
        policy: Policy, simulator: Simulator, horizon: int, seed: int = SELECTION_SEED
    ) -> NDArray[np.float64]:
        nonlocal present
        if seed == SELECTION_SEED:
            present = next(coming)
        return np.full(4, present)

    monkeypatch.setattr(keep_best, "episode_returns", returns)


def keep_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each policy seem better than those before, so that what was learned last is kept."""
    monkeypatch.setattr(
        KeepBest, "_mean_return", lambda judge, policy, seed: float(len(judge.history))
    )


def considered(
    judge: KeepBest,
    monkeypatch: pytest.MonkeyPatch,
    means: Sequence[float],
    every: int = 100,
    save: Callable[[], None] = lambda: None,
) -> list[bool]:
    """What the judge says after each of these evaluations, ``every`` steps apart."""
    let_returns_be(monkeypatch, means)
    return [judge.consider(every * (k + 1), NoPolicy(), save) for k in range(len(means))]
