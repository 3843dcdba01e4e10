"""Which options are possible, told from what is seen: a mask for learners that choose.

The specification says what is done instead of a choice that is not possible. Such a choice only
stands for another one, so a learner does better not to consider it (Huang and Ontañón, 2022).
"""

import shutil
from pathlib import Path
from typing import Any, Self

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sandbox.training.actions import ActionCoding
from sandbox.training.environments import Environment, import_file
from sandbox.training.problem import Problem

PROGRAM = "possible_actions"
STEPS = 1000


class PossibleActions:
    """Which of the options of a learner are carried out as chosen.

    ``decisions`` is an object of the generated class ``Decisions``. The options are those of the
    one choice, or of each component after the other.
    """

    def __init__(self, decisions: Any, coding: ActionCoding, folder: Path) -> None:
        self.decisions, self.coding, self.folder = decisions, coding, folder
        space = coding.space
        self.sizes = [coding.choices]
        if isinstance(space, spaces.MultiDiscrete):
            self.sizes = [int(n) for n in space.nvec]
        self.count = sum(self.sizes)

    @classmethod
    def of(cls, folder: Path, coding: ActionCoding) -> Self:
        """By ``possible_actions.py`` in ``folder``.

        Raises:
            ImportError: there is none.
        """
        return cls(import_file(PROGRAM, folder).Decisions(), coding, folder)

    def __call__(self, observations: NDArray[Any]) -> NDArray[np.bool_]:
        """Whether each option (n, count) is possible; where none is, all are."""
        n, most = len(observations), max(self.sizes)
        options = np.repeat(np.arange(most), n)
        answers: NDArray[Any] = options
        if len(self.sizes) > 1:
            answers = np.minimum(options[:, None], np.array(self.sizes) - 1)
        actions = self.coding.to_own(answers)
        decided, done = self.decisions.carried_out(np.tile(observations, (most, 1)), actions)
        same = (decided == done).reshape(most, n, -1)
        if len(self.sizes) == 1:
            possible: NDArray[np.bool_] = same.all(axis=2).T
            return possible | ~possible.any(axis=1, keepdims=True)
        parts = [same[:size, :, k].T for k, size in enumerate(self.sizes)]
        return np.concatenate([p | ~p.any(axis=1, keepdims=True) for p in parts], axis=1)

    def save(self, folder: Path) -> None:
        """Put the program beside a policy that needs it."""
        source, target = self.folder / f"{PROGRAM}.py", folder / f"{PROGRAM}.py"
        if source.resolve() != target.resolve():
            shutil.copyfile(source, target)


def wrong(environment: Environment, possible: PossibleActions, problem: Problem, seed: int) -> str:
    """Why ``possible`` is not to be used; empty where it holds in some episodes.

    Random actions are taken, and what is done is read off ``info``.
    """
    try:
        return _first_difference(environment, possible, problem, seed)
    except Exception as error:  # whatever the generated code raises
        return f"{type(error).__name__}: {error}"


def _first_difference(
    environment: Environment, possible: PossibleActions, problem: Problem, seed: int
) -> str:
    space, coding = environment.action_space, possible.coding
    space.seed(seed)
    seen, _ = environment.reset(seed=seed)
    impossible = 0
    for count in range(STEPS):
        action, shown = np.asarray(space.sample()), np.asarray(seen)[None]
        answers = np.atleast_1d(coding.from_own(action[None])[0])
        masks = np.split(possible(shown)[0], np.cumsum(possible.sizes)[:-1])
        allowed = np.array([mask[k] for mask, k in zip(masks, answers, strict=True)])
        decided, done = (
            numbers[0] for numbers in possible.decisions.carried_out(shown, action[None])
        )
        seen, _, terminated, truncated, info = environment.step(action)
        told = np.concatenate([np.ravel(info["quantities"][p.name]) for p in problem.decisions])
        if not np.array_equal(told, done):
            return f"in step {count} {told} was done instead of {done}"
        kept = (decided == done).reshape(len(allowed), -1).all(axis=1)
        if (kept & ~allowed).any():
            return f"in step {count} {action} was carried out, though it was held impossible"
        impossible += int(not allowed.all())
        if terminated or truncated:
            seen, _ = environment.reset()
    return "" if impossible else "no choice was impossible"
