"""Checks of an environment.py that is said to be a standard environment."""

from typing import Any

import numpy as np

from sandbox.programs.findings import CheckFailed
from sandbox.programs.rule_checks import same
from sandbox.programs.subject import Subject, describe

EPISODES, STEPS = 12, 250
PARTS = ("observation", "reward", "terminated", "truncated")


def does_what_the_standard_one_does(subject: Subject) -> None:
    """With the same seeds and actions it gives what the standard environment gives.

    Some episodes keep up one action, so that it shows where that leads.
    """
    own, standard = subject.make(), subject.make_standard()
    space = standard.action_space
    space.seed(subject.request.seed)
    for episode in range(EPISODES):
        seed = subject.request.seed + episode
        where = f"after a reset with seed {seed}"
        _compare("observation", own.reset(seed=seed), standard.reset(seed=seed), where)
        kept_up = space.sample()
        for step in range(1, STEPS + 1):
            action = space.sample() if episode % 2 else kept_up
            results = [e.step(action)[:4] for e in (own, standard)]
            where = f"step {step} of an episode with seed {seed}, action {describe(action)}"
            for part, one, other in zip(PARTS, *results, strict=True):
                _compare(part, one, other, f"at {where}")
            if results[0][2] or results[0][3]:
                break


def _compare(part: str, one: Any, other: Any, where: str) -> None:
    if not same(one, other):
        raise CheckFailed(
            "environment",
            f"{part} differs from that of the standard environment",
            place=part,
            expected=describe(np.asarray(other)),
            found=f"{describe(np.asarray(one))} {where}",
        )
