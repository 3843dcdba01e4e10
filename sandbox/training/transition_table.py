"""States, actions and their outcomes as arrays, and states merged that look the same."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class TransitionTable:
    """A decision process of n states and A actions, row ``s * A + a`` for each pair of them.

    Attributes:
        initial: probabilities (n,) of the first state.
        rewards: expected rewards (n, A).
        starts: (n * A + 1,) where the outcomes of each row begin; every row has some.
        successors: (outcomes,) the next state; n where the episode ends.
        probabilities: (outcomes,), of each row summing to 1.
        layers: (n,) the time step to which each state belongs, in order; None if states
            can be met at any time.
    """

    initial: Numbers
    rewards: Numbers
    starts: Indices
    successors: Indices
    probabilities: Numbers
    layers: Indices | None = None

    @property
    def size(self) -> int:
        """The number of states."""
        return len(self.rewards)

    @property
    def choices(self) -> int:
        """The number of actions."""
        return int(self.rewards.shape[1])

    def expected(self, values: Numbers, first: int = 0, last: int | None = None) -> Numbers:
        """Reward and value to follow (k, A) of states ``first`` up to ``last``.

        ``values`` (n + 1,) are those of the states, and 0 for the end.
        """
        last = self.size if last is None else last
        rows = self.starts[first * self.choices : last * self.choices + 1]
        part = slice(rows[0], rows[-1])
        weighted = self.probabilities[part] * values[self.successors[part]]
        sums = np.add.reduceat(weighted, rows[:-1] - rows[0])
        total: Numbers = self.rewards[first:last] + sums.reshape(last - first, self.choices)
        return total

    def at(self, time_step: int) -> tuple[int, int]:
        """First and one after the last of the states that belong to a time step."""
        if self.layers is None:
            return 0, self.size
        first, last = np.searchsorted(self.layers, [time_step, time_step + 1])
        return int(first), int(last)

    def row_of_outcome(self) -> Indices:
        """The row (outcomes,) to which each outcome belongs."""
        return np.repeat(np.arange(self.size * self.choices), np.diff(self.starts))

    def visits(self, steps: int) -> Numbers:
        """How often (n,) each state is met in so many steps of random actions."""
        rows = self.row_of_outcome()
        share: Numbers = self.initial
        total: Numbers = share.copy()
        for _ in range(steps):
            flow = self.probabilities * (share / self.choices)[rows // self.choices]
            share = _sums(self.successors, flow, self.size + 1)[:-1]
            total += share
        return total


def table_of_rows(
    initial: dict[int, float],
    rewards: list[float],
    rows: list[dict[int, float]],
    choices: int,
    layers: Indices | None,
) -> TransitionTable:
    """A table from the successors of each row with their probabilities; -1 is the end."""
    size = len(rows) // choices
    starts = np.cumsum([0, *(len(row) for row in rows)])
    successors = np.array([state for row in rows for state in row], dtype=np.int64)
    successors[successors < 0] = size
    probabilities = np.array([p for row in rows for p in row.values()])
    first = np.zeros(size)
    first[list(initial)] = list(initial.values())
    return TransitionTable(
        first, np.reshape(rewards, (size, choices)), starts, successors, probabilities, layers
    )


@dataclass(frozen=True)
class Merged:
    """A table over what is seen; ``faithful`` if nothing hidden makes a difference to it.

    Faithful means: what is seen fixes how likely each hidden state is, whatever happened before.
    """

    table: TransitionTable
    faithful: bool


def merge(table: TransitionTable, looks: Indices, steps: int) -> Merged:
    """Merge the states that look the same, weighted by how often random actions meet them.

    ``looks`` (n,) numbers what is seen in each state, in order of first appearance; ``steps`` is
    how many are needed to meet every state.
    """
    size, choices = int(looks.max()) + 1, table.choices
    visits = table.visits(steps) + np.finfo(float).tiny
    weights = visits / _sums(looks, visits, size)[looks]
    rewards = np.zeros((size, choices))
    np.add.at(rewards, looks, weights[:, None] * table.rewards)
    rows = table.row_of_outcome()
    state = rows // choices
    merged_rows = looks[state] * choices + rows % choices
    masses = table.probabilities * weights[state]
    ends = np.append(looks, size)
    starts, successors, probabilities = _sum_up(
        merged_rows, ends[table.successors], masses, size * choices, size + 1
    )
    layers = None
    if table.layers is not None:
        layers = np.zeros(size, dtype=np.int64)
        layers[looks] = table.layers
    merged = TransitionTable(
        _sums(looks, table.initial, size),
        rewards, starts, successors, probabilities, layers,
    )  # fmt: skip
    faithful = _faithful(table, looks, weights, merged_rows, masses)
    return Merged(merged, faithful)


def _sums(places: Indices, weights: Numbers, length: int) -> Numbers:
    """The sum (length,) of the weights that fall on each place."""
    return np.bincount(places, weights=weights, minlength=length).astype(np.float64)


def _sum_up(
    rows: Indices, columns: Indices, masses: Numbers, height: int, width: int
) -> tuple[Indices, Indices, Numbers]:
    """Outcomes in order of rows, those with the same successor summed up."""
    cells, inverse = np.unique(rows * width + columns, return_inverse=True)
    sums = _sums(inverse, masses, len(cells))
    starts = np.searchsorted(cells // width, np.arange(height + 1))
    return starts.astype(np.int64), cells % width, sums


def _faithful(
    table: TransitionTable, looks: Indices, weights: Numbers, rows: Indices, masses: Numbers
) -> bool:
    """Whether each outcome leaves the hidden states in the shares that ``weights`` says."""
    goes_on = table.successors < table.size
    rows, masses, successors = rows[goes_on], masses[goes_on], table.successors[goes_on]
    first = np.flatnonzero(table.initial)
    rows = np.concatenate([rows, np.full(len(first), -1)]) + 1
    masses = np.concatenate([masses, table.initial[first]])
    successors = np.concatenate([successors, first])
    width = table.size + 1
    cells, inverse = np.unique(rows * width + successors, return_inverse=True)
    sums = _sums(inverse, masses, len(cells))
    states = cells % width
    groups = (cells // width) * width + looks[states]
    _, group = np.unique(groups, return_inverse=True)
    totals = _sums(group, sums, len(sums))[group]
    likely = totals > 1e-12
    shares: NDArray[Any] = sums[likely] / totals[likely]
    return bool(np.all(np.abs(shares - weights[states[likely]]) < 1e-6))
