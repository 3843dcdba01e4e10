"""The best policy of a finite problem, by value iteration; returns are never discounted."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sandbox.training.finite_model import FiniteModel
from sandbox.training.table_policy import TablePolicy
from sandbox.training.transition_table import Numbers, TransitionTable

MOST_ENTRIES = 5_000_000
"""Up to so many pairs of time step and state, each has an action of its own."""

_SETTLED = 1e-10
_MOST_SWEEPS = 20_000
# Of a large table there are fewer sweeps: so many outcomes are gone through in all.
_MOST_WORK = 2_000_000_000
# A new action must be better by more than rounding, or a stationary policy may walk in circles.
_BETTER = 1e-9

Choices = NDArray[np.uint16]


@dataclass(frozen=True)
class Solution:
    """What value iteration found.

    Attributes:
        optimum: mean return of the best policy; of an inexact model, of the best policy that sees
            all that is hidden, which is the most that can be hoped for.
        value: mean return of ``policy`` in the model.
        choices: (T, states of ``model.seen``) the number of the action; T = 1 if stationary.
        policy: the same as a policy.
        exact: whether ``policy`` is the best that there is.
        remarks: why it may not be, in sentences.
    """

    optimum: float
    value: float
    choices: Choices
    policy: TablePolicy
    exact: bool
    remarks: tuple[str, ...]


def solve(model: FiniteModel, most_entries: int = MOST_ENTRIES) -> Solution:
    """The policy with the greatest mean undiscounted return within the model's horizon."""
    table, horizon = model.seen, model.horizon
    remarks = list(model.remarks)
    stationary = True
    if horizon is None:
        values, choices, settled = _endless(table)
        if not settled:
            remarks.append("there is no time limit, and the return of the best policy has no end")
    else:
        stationary = table.layers is not None or table.size * horizon > most_entries
        values, choices = _backward(table, horizon, stationary)
    best = float(table.initial @ values[:-1])
    full_choices = choices[:, model.looks]
    value = float(model.full.initial @ evaluate(model.full, full_choices, horizon)[:-1])
    if stationary and model.horizon is not None and table.layers is None:
        remarks.append("the table is too large for an action of its own in each time step")
    exact = not remarks or (model.exact and abs(value - best) <= 1e-6 * max(1.0, abs(best)))
    optimum = best
    if not model.exact:
        unhidden = _endless(model.full)[0] if horizon is None else _backward(
            model.full, horizon, True)[0]  # fmt: skip
        optimum = float(model.full.initial @ unhidden[:-1])
    policy = _as_policy(model, choices)
    return Solution(optimum, value, choices, policy, exact, tuple(remarks))


def evaluate(table: TransitionTable, choices: Choices, horizon: int | None) -> Numbers:
    """Mean return (n + 1,) from each state, 0 for the end, of choices (T, n)."""
    values = np.zeros(table.size + 1)
    for t in reversed(range(_most_sweeps(table) if horizon is None else horizon)):
        first, last = table.at(t) if horizon is not None else (0, table.size)
        if first == last:
            continue
        chosen = choices[min(t, len(choices) - 1), first:last].astype(np.int64)
        expected = table.expected(values, first, last)
        new = np.take_along_axis(expected, chosen[:, None], axis=1)[:, 0]
        change = float(np.max(np.abs(new - values[first:last])))
        values[first:last] = new
        if horizon is None and change < _SETTLED:
            break
    return values


def _backward(table: TransitionTable, horizon: int, stationary: bool) -> tuple[Numbers, Choices]:
    """Values of the first time step, and choices of each; one row of them if stationary."""
    values = np.zeros(table.size + 1)
    choices = np.zeros((1 if stationary else horizon, table.size), dtype=np.uint16)
    for t in reversed(range(horizon)):
        first, last = table.at(t)
        if first == last:
            continue
        expected = table.expected(values, first, last)
        row = choices[0 if stationary else t, first:last]
        if stationary:
            _improve(row, expected)
        else:
            row[:] = np.argmax(expected, axis=1)
        values[first:last] = expected.max(axis=1)
    if (choices == choices[0]).all():
        choices = choices[:1]
    return values, choices


def _endless(table: TransitionTable) -> tuple[Numbers, Choices, bool]:
    """Values and stationary choices without a time limit, and whether the values settled."""
    values = np.zeros(table.size + 1)
    choices = np.zeros((1, table.size), dtype=np.uint16)
    for _ in range(_most_sweeps(table)):
        expected = table.expected(values)
        _improve(choices[0], expected)
        new = expected.max(axis=1)
        change = float(np.max(np.abs(new - values[:-1])))
        values[:-1] = new
        if change < _SETTLED:
            return values, choices, True
    return values, choices, False


def _most_sweeps(table: TransitionTable) -> int:
    return min(_MOST_SWEEPS, _MOST_WORK // len(table.successors))


def _improve(choices: Choices, expected: Numbers) -> None:
    """Change choices (n,) in place where another action is clearly better."""
    present = np.take_along_axis(expected, choices[:, None].astype(np.int64), axis=1)[:, 0]
    better = expected.max(axis=1) > present + _BETTER * np.maximum(1, np.abs(present))
    choices[better] = np.argmax(expected, axis=1)[better]


def _as_policy(model: FiniteModel, choices: Choices) -> TablePolicy:
    """A table over different observations; where time is part of the state, over both."""
    rows, place = np.unique(model.observations, axis=0, return_inverse=True)
    place = place.ravel()
    layers = model.seen.layers
    if layers is None:
        order = np.empty(len(rows), dtype=np.int64)
        order[place] = np.arange(len(place))
        return TablePolicy(model.observations[order], choices[:, order], model.actions)
    length = 1 if len(rows) == len(place) else int(layers.max()) + 1
    table = np.zeros((length, len(rows)), dtype=np.uint16)
    # An observation that does not occur at some time step gets its action of the nearest one.
    known = np.full((length, len(rows)), np.inf)
    for time_step in range(length):
        distance = np.abs(layers - time_step)
        for k in np.argsort(-distance, kind="stable"):
            table[time_step, place[k]] = choices[0, k]
            known[time_step, place[k]] = distance[k]
    return TablePolicy(rows, table, model.actions)
