"""A planner for a problem, where the simulator follows decisions with certainty."""

import numpy as np

from sandbox.training.actions import ActionCoding
from sandbox.training.cells import Cells
from sandbox.training.forward_search import ForwardSearch, Gains
from sandbox.training.problem import Problem
from sandbox.training.simulator import MakeSimulator, Simulator, random_actions

WATCHED = 20
"""Episodes side by side in which random actions are watched."""
STEPS = 40
PROBED = 8
"""Beginnings from which a gain is looked for, before planning is trusted."""
LEAST_MARGIN = 1e-6
MARGIN = 0.5
"""Share of the spread of usual rewards that a way must gain to be worth going."""


class NoPlan(Exception):
    """Looking ahead is no help here; says why."""


def planner_for(
    problem: Problem,
    make: MakeSimulator,
    coding: ActionCoding,
    usual_rewards: tuple[float, float],
    seed: int,
    deadline: float,
) -> ForwardSearch:
    """A planner that finds gains from some beginnings; ``usual_rewards`` are those of chance.

    Raises:
        NoPlan: decisions are not one choice among few, or have uncertain consequences, or nothing
            better than usual was found ahead.
    """
    if not coding.choices:
        raise NoPlan("decisions are not one choice among few")
    if not is_certain(make(WATCHED), seed):
        raise NoPlan("what follows a decision is a matter of chance")
    low, high = usual_rewards
    gains = Gains(high, max(MARGIN * (high - low), LEAST_MARGIN), problem.horizon)
    cells = Cells.fitted(problem, make(WATCHED), seed)
    search = ForwardSearch(cells, coding.to_own(np.arange(coding.choices)), gains)
    probe = make(PROBED)
    seen = probe.reset(seed)
    plans = search.plans(probe, seen, np.zeros(PROBED, dtype=np.int64), deadline)
    if not any(len(plan) for plan in plans):
        raise NoPlan("nothing better than usual was found ahead")
    return search


def is_certain(simulator: Simulator, seed: int) -> bool:
    """Whether two copies of a state always come to the same by the same random actions."""
    random = np.random.default_rng(seed)
    simulator.reset(seed)
    everyone = np.arange(simulator.size)
    for _ in range(STEPS):
        one, other = simulator.copies(everyone), simulator.copies(everyone)
        actions = random_actions(simulator.action_space, simulator.size, random)
        steps = [each.step(actions) for each in (one, other)]
        for values, again in zip(*steps, strict=True):
            if not np.array_equal(values, again, equal_nan=True):
                return False
        which = np.flatnonzero(steps[0].terminated | steps[0].truncated)
        simulator = one
        if len(which):
            simulator.restart(which)
    return True
