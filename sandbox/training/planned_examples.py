"""Examples of good decisions that are found by looking ahead, where nobody wrote a rule."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sandbox.training.examples import Examples
from sandbox.training.forward_search import Choices, ForwardSearch
from sandbox.training.keep_best import KeepBest
from sandbox.training.network import NetworkPolicy
from sandbox.training.simulator import Indices, Simulator, random_actions

STRAYING_STEPS = 4
"""Random steps before a plan is made, so that mistakes are met and put right."""
DRIFT = 1.0
"""Mean number of steps that the student plays before a plan is made, in lengths of a plan."""
HELPED = 0.5
"""Share of the episodes that go on from where their plan leads; the student goes on in others."""


class PlannedExamples:
    """Plans from the states of many episodes at once; each state on the way is an example."""

    def __init__(self, search: ForwardSearch, simulator: Simulator, seed: int) -> None:
        self.search, self.simulator = search, simulator
        self.random = np.random.default_rng(seed)
        self.examples = Examples()
        self.seen = simulator.reset(seed)
        self.time_steps = np.zeros(simulator.size, dtype=np.int64)
        self.returns = np.zeros(simulator.size)
        self.finished: list[float] = []
        """Returns of episodes that were planned from their beginning to their end."""
        self.plan_length = 1.0

    def go_on(self, fresh: Self) -> None:
        """Take the search, which is the same."""
        self.search = fresh.search

    def __getstate__(self) -> dict[str, Any]:
        """All but the search."""
        return {k: v for k, v in vars(self).items() if k != "search"}

    @property
    def mean_return(self) -> float | None:
        """Of whole episodes by plan; None as long as there are few."""
        enough = len(self.finished) >= self.simulator.size
        return float(np.mean(self.finished)) if enough else None

    def gather(
        self, wanted: float, policy: NetworkPolicy, judge: KeepBest, *, student_plays: bool
    ) -> None:
        """Make plans, and follow them or let the student play."""
        while self.examples.count < wanted and not judge.out_of_time():
            if student_plays:
                self._let_play(policy)
            elif self.mean_return is not None:
                self._stray()
            plans = self.search.plans(self.simulator, self.seen, self.time_steps, judge.deadline)
            lengths = np.array([len(plan) for plan in plans])
            planned, lost = np.flatnonzero(lengths), np.flatnonzero(lengths == 0)
            self.plan_length = float(lengths[planned].mean()) if len(planned) else 1.0
            helped = np.ones(len(plans), dtype=bool)
            if student_plays:
                helped = self.random.random(len(plans)) < HELPED
            self._follow(planned, plans, policy, helped)
            self._abandon(lost)

    def _let_play(self, policy: NetworkPolicy) -> None:
        for _ in range(self.random.integers(1, 2 + round(2 * DRIFT * self.plan_length))):
            self._play(policy.actions(self.seen, self.time_steps))

    def _stray(self) -> None:
        for _ in range(self.random.integers(STRAYING_STEPS + 1)):
            size = self.simulator.size
            self._play(random_actions(self.simulator.action_space, size, self.random))

    def _play(self, actions: NDArray[np.int64]) -> None:
        step = self.simulator.step(actions)
        self.seen = step.observations.copy()
        self.time_steps += 1
        self.returns[:] = np.nan  # such episodes say nothing of plans
        self._restart(np.flatnonzero(step.terminated | step.truncated))

    def _follow(
        self, rows: Indices, plans: list[Choices], policy: NetworkPolicy, helped: NDArray[np.bool_]
    ) -> None:
        """Note every step of the plans; episodes that are helped go on where they lead."""
        ahead, seen, times = self.simulator.copies(rows), self.seen[rows], self.time_steps[rows]
        returns, depth, ended = self.returns[rows].copy(), 0, []
        while len(rows):
            actions = self.search.options[[plans[row][depth] for row in rows]]
            self.examples.add(seen, times, policy.coding.from_own(actions))
            step = ahead.step(actions)
            seen, times, depth = step.observations.copy(), times + 1, depth + 1
            returns += step.rewards
            done = np.array([len(plans[row]) == depth for row in rows])
            arrived = np.flatnonzero(done & helped[rows])
            if len(arrived):
                there = rows[arrived]
                self.simulator.put(there, ahead.part(arrived))
                self.seen[there], self.time_steps[there] = seen[arrived], times[arrived]
                self.returns[there] = returns[arrived]
                over = (step.terminated | step.truncated)[arrived]
                ended += [*there[over]]
            going = np.flatnonzero(~done)
            if not len(going):
                break
            ahead = ahead.part(going)
            rows, seen, times, returns = rows[going], seen[going], times[going], returns[going]
        which = np.array(sorted(ended), dtype=np.int64)
        self.finished += [float(r) for r in self.returns[which] if np.isfinite(r)]
        self._restart(which)

    def _abandon(self, which: Indices) -> None:
        """Begin anew where nothing more can be gained; the steps left bring what is usual."""
        gains = self.search.gains
        left = gains.horizon - self.time_steps[which]
        returns = self.returns[which] + gains.usual * left
        self.finished += [float(r) for r in returns if np.isfinite(r)]
        self._restart(which)

    def _restart(self, which: Indices) -> None:
        if len(which):
            self.seen[which] = self.simulator.restart(which)
            self.time_steps[which] = 0
            self.returns[which] = 0.0
