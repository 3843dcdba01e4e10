"""Looking for the soonest gain in a simulator that follows decisions with certainty.

From each state a tree grows breadth first, by copies that take every option; of states that look
alike only the one that was reached with the best return goes on. An option is kept up until it
leads out of its cell.
"""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandbox.training.cells import BestReturns, Cells
from sandbox.training.simulator import Simulator

LONGEST_RUN = 20
"""Steps for which an option is kept up at most."""
MOST_NODES = 20_000
"""States that go on from one beginning at most, on average."""

Choices = NDArray[np.int64]


@dataclass(frozen=True)
class Gains:
    """When a way was worth going.

    ``usual`` is a reward that is rarely surpassed by chance: a way gains what its rewards are
    above that, and, where it ends the episode, what the steps that are left would have cost. It is
    worth going if it gains more than ``margin``. An episode has ``horizon`` steps at most.
    """

    usual: float
    margin: float
    horizon: int

    def of(
        self, returns: NDArray[Any], steps: NDArray[Any], times: NDArray[Any], ended: NDArray[Any]
    ) -> NDArray[np.float64]:
        """Gains of ways (n,) with so many steps that came to these times of their episodes."""
        saved = np.where(ended, self.usual * np.maximum(self.horizon - times, 0), 0.0)
        gained: NDArray[np.float64] = returns - self.usual * steps - saved
        return gained


class _Tree:
    """What is kept of all nodes: where they come from, and by which option for how long."""

    def __init__(self, roots: int) -> None:
        self.parents = [np.full(roots, -1)]
        self.options = [np.zeros(roots, dtype=np.int64)]
        self.runs = [np.zeros(roots, dtype=np.int64)]
        self.count = roots

    def add(self, parents: Choices, options: Choices, runs: Choices) -> Choices:
        """The numbers of new nodes (n,)."""
        self.parents.append(parents)
        self.options.append(options)
        self.runs.append(runs)
        self.count += len(parents)
        return np.arange(self.count - len(parents), self.count)

    def ways_to(self, nodes: Choices) -> list[Choices]:
        """The options on the way to each node, one a step; none to a node below 0."""
        parents, options = np.concatenate(self.parents), np.concatenate(self.options)
        runs = np.concatenate(self.runs)
        ways = []
        for node in nodes:
            way: list[int] = []
            while node >= 0:
                way += [int(options[node])] * int(runs[node])
                node = parents[node]
            ways.append(np.array(way[::-1], dtype=np.int64))
        return ways


class ForwardSearch:
    """Plans from many states at once.

    ``options`` (k, ...) are the actions that are tried, in the environment's own terms.
    """

    def __init__(self, cells: Cells, options: NDArray[Any], gains: Gains) -> None:
        self.cells, self.options, self.gains = cells, options, gains

    def plans(
        self,
        simulator: Simulator,
        seen: NDArray[np.float32],
        time_steps: NDArray[np.int64],
        deadline: float,
    ) -> list[Choices]:
        """Which options lead from each state of ``simulator`` to its soonest gain.

        They are empty where none was found. The simulator is left as it is.
        """
        search = _Search(self, simulator, seen, time_steps)
        most = MOST_NODES * simulator.size
        while len(search.nodes) and search.tree.count < most and time.monotonic() < deadline:
            search.expand()
        return search.tree.ways_to(search.goals)


class _Search:
    def __init__(
        self,
        settings: ForwardSearch,
        simulator: Simulator,
        seen: NDArray[np.float32],
        time_steps: NDArray[np.int64],
    ) -> None:
        size = simulator.size
        self.cells, self.options, self.gains = settings.cells, settings.options, settings.gains
        self.begun = time_steps
        self.frontier, self.seen = simulator, seen
        self.owners, self.nodes = np.arange(size), np.arange(size)
        self.returns, self.steps = np.zeros(size), np.zeros(size, dtype=np.int64)
        self.tree, self.best = _Tree(size), BestReturns()
        self.best.improve(self.cells.keys(seen, self.owners), self.returns)
        self.goals = np.full(size, -1)
        self.goal_steps = np.full(size, np.iinfo(np.int64).max)

    def expand(self) -> None:
        """Let every option follow on every state at the edge of the trees."""
        size, count = len(self.nodes), len(self.options)
        which = np.repeat(np.arange(size), count)
        option = np.tile(np.arange(count), size)
        ahead = self.frontier.copies(which)
        run = _Run(self, ahead, which, self.options[option])
        goals = self._goals(run, which, option)
        owners = self.owners[which]
        # What is no sooner than a gain that was found need not go on.
        alive = np.flatnonzero(~run.ended & ~run.worth & (run.steps < self.goal_steps[owners]))
        chosen = alive[self._improving(run.keys[alive], run.returns[alive])]
        parents = self.nodes[which]
        rows = np.concatenate([chosen, goals])
        nodes = self.tree.add(parents[rows], option[rows], run.length[rows])
        self.goals[owners[goals]] = nodes[len(chosen) :]
        self.nodes = nodes[: len(chosen)]
        if not len(chosen):
            return
        self.frontier = ahead.part(chosen)
        self.seen, self.owners = run.seen[chosen], owners[chosen]
        self.returns, self.steps = run.returns[chosen], run.steps[chosen]

    def _goals(self, run: "_Run", which: Choices, option: Choices) -> Choices:
        """The rows that come to the soonest gain of their owners so far."""
        rows = np.flatnonzero(run.worth)
        owners = self.owners[which[rows]]
        order = np.lexsort((rows, -run.gained[rows], run.steps[rows], owners))
        _, first = np.unique(owners[order], return_index=True)
        rows, owners = rows[order][first], owners[order][first]
        sooner = run.steps[rows] < self.goal_steps[owners]
        rows, owners = rows[sooner], owners[sooner]
        self.goal_steps[owners] = run.steps[rows]
        return rows

    def _improving(self, keys: NDArray[np.uint64], returns: NDArray[np.float64]) -> Choices:
        """Places of those that reached their cell with the best return so far, in order.

        The order is kept, so that among equally good ways the one whose options come first wins:
        where like states have like answers, they are easy to learn.
        """
        order = np.lexsort((np.arange(len(keys)), -returns, keys))
        first = np.ones(len(order), dtype=bool)
        first[1:] = keys[order][1:] != keys[order][:-1]
        candidates = order[first]
        better = self.best.improve(keys[candidates], returns[candidates])
        return np.sort(candidates[better])


class _Run:
    """One option followed on each row until it leads out of its cell, to an end or to a gain."""

    def __init__(
        self, search: _Search, ahead: Simulator, which: Choices, actions: NDArray[Any]
    ) -> None:
        cells, owners = search.cells, search.owners[which]
        before, cell = search.seen[which], cells.keys(search.seen, search.owners)[which]
        self.seen, self.keys = before.copy(), cell.copy()
        self.returns, self.steps = search.returns[which], search.steps[which]
        self.length = np.zeros(len(which), dtype=np.int64)
        self.ended = np.zeros(len(which), dtype=bool)
        self.worth, self.gained = self.ended.copy(), np.zeros(len(which))
        rows, running = np.arange(len(which)), ahead
        for _ in range(LONGEST_RUN):
            step = running.step(actions[rows])
            self.seen[rows] = step.observations
            self.returns[rows] += step.rewards
            self.steps[rows] += 1
            self.length[rows] += 1
            self.ended[rows] = step.terminated | step.truncated
            times = search.begun[owners[rows]] + self.steps[rows]
            self.gained[rows] = search.gains.of(
                self.returns[rows], self.steps[rows], times, self.ended[rows]
            )
            self.worth[rows] = self.gained[rows] > search.gains.margin
            self.keys[rows] = cells.keys(step.observations, owners[rows])
            if running is not ahead:
                ahead.put(rows, running)
            still = (self.keys[rows] == cell[rows]) & ~self.ended[rows] & ~self.worth[rows]
            places = cells.places
            still &= np.any(self.seen[rows][:, places] != before[rows][:, places], axis=1)
            rows = rows[still]
            if not len(rows):
                return
            running = ahead.part(rows)
