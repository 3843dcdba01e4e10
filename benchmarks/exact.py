"""Exact solutions of problems with finitely many states, by backward induction (Bellman, 1957)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Transition = tuple[float, int, float, bool]
"""Probability, next state, reward, whether the episode ends: as Gymnasium's toy problems say it."""


@dataclass(frozen=True)
class FiniteProblem:
    """A Markov decision process with S states and A actions, over a given number of steps.

    Attributes:
        rewards: mean reward (S, A) of a step.
        ahead: from values (S) after the step to their mean (S, A) before it; 0 after an end.
        start: probability (S) of each state at the start.
        horizon: steps of an episode at most.
    """

    rewards: Numbers
    ahead: Callable[[Numbers], Numbers]
    start: Numbers
    horizon: int

    def optimum(self) -> tuple[float, NDArray[np.int64]]:
        """Mean return of the best policy, and its action (horizon, S)."""
        value = np.zeros(len(self.start))
        actions = np.zeros((self.horizon, len(self.start)), dtype=np.int64)
        for step in reversed(range(self.horizon)):
            choices = self.rewards + self.ahead(value)
            # Of choices that differ by rounding alone, the first.
            best = choices >= choices.max(axis=1, keepdims=True) - 1e-9
            actions[step], value = best.argmax(axis=1), choices.max(axis=1)
        return float(self.start @ value), actions

    def random_return(self) -> float:
        """Mean return of actions drawn evenly."""
        value = np.zeros(len(self.start))
        for _ in range(self.horizon):
            value = (self.rewards + self.ahead(value)).mean(axis=1)
        return float(self.start @ value)


def from_transitions(
    table: dict[int, dict[int, list[Transition]]], start: Numbers, horizon: int
) -> FiniteProblem:
    """The problem of a table by state and action."""
    states, actions = len(table), len(table[0])
    probabilities = np.zeros((states, actions, states))
    rewards = np.zeros((states, actions))
    for state, choices in table.items():
        for action, outcomes in choices.items():
            for probability, successor, reward, ends in outcomes:
                rewards[state, action] += probability * reward
                if not ends:
                    probabilities[state, action, successor] += probability
    return FiniteProblem(rewards, lambda value: probabilities @ value, start, horizon)


def from_outcomes(
    probabilities: Numbers, successors: NDArray[np.int64], rewards: Any, start: int, horizon: int
) -> FiniteProblem:
    """A problem that never ends early, whose steps have K outcomes.

    Args:
        probabilities: of each outcome (K), or (S, A, K).
        successors: state (S, A, K) after each outcome.
        rewards: of each outcome (S, A, K).
        start: the state at the start.
        horizon: steps of an episode.
    """

    def ahead(value: Numbers) -> Numbers:
        return np.asarray(np.sum(probabilities * value[successors], axis=-1))

    begin = np.zeros(len(successors))
    begin[start] = 1.0
    means = np.sum(probabilities * rewards, axis=-1)
    return FiniteProblem(means, ahead, begin, horizon)


def poisson(mean: float, most: int) -> Numbers:
    """Probabilities of 0 to ``most``; the last is that of ``most`` or more."""
    counts = np.arange(most + 1)
    logs = counts * np.log(mean) - mean
    logs -= np.concatenate([[0.0], np.cumsum(np.log(counts[1:]))])
    found = np.exp(logs)
    found[-1] = 1 - found[:-1].sum()
    return np.asarray(found)
