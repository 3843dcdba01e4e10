"""How a learner's answers become actions of the environment."""

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

FLAT_ACTIONS = 64
"""Up to so many joint actions, a vector of choices is one choice among all of them."""


class ActionCoding:
    """The action space as a learner likes it, and the way back.

    Few joint choices are numbered from 0; boxes become [-1, 1]; else nothing changes.
    """

    def __init__(self, own: spaces.Space[Any]) -> None:
        self.own = own
        self.flattened = isinstance(own, spaces.MultiDiscrete) and (
            np.prod(own.nvec.astype(float)) <= FLAT_ACTIONS
        )
        self.space: spaces.Space[Any]
        if isinstance(own, spaces.MultiDiscrete) and self.flattened:
            self.space = spaces.Discrete(int(np.prod(own.nvec)))
        elif isinstance(own, spaces.MultiDiscrete):
            self.space = spaces.MultiDiscrete(own.nvec)
        elif isinstance(own, spaces.Discrete):
            self.space = spaces.Discrete(int(own.n))
        elif isinstance(own, spaces.Box):
            self.space = spaces.Box(-1.0, 1.0, own.shape)
        else:
            self.space = own

    @property
    def choices(self) -> int:
        """Number of choices where the learner picks one of a few; else 0."""
        return int(self.space.n) if isinstance(self.space, spaces.Discrete) else 0

    def to_own(self, actions: NDArray[Any]) -> NDArray[Any]:
        """The environment's actions for n answers of a learner."""
        if isinstance(self.own, spaces.MultiDiscrete) and self.flattened:
            return self.own.start + np.stack(np.unravel_index(actions, self.own.nvec), axis=1)
        if isinstance(self.own, (spaces.Discrete, spaces.MultiDiscrete)):
            numbers: NDArray[Any] = np.asarray(actions) + self.own.start
            return numbers
        if isinstance(self.own, spaces.Box):
            middle, half = (self.own.low + self.own.high) / 2, (self.own.high - self.own.low) / 2
            moved: NDArray[Any] = middle + half * np.clip(actions, -1.0, 1.0)
            if np.issubdtype(self.own.dtype, np.integer):
                moved = np.rint(moved)
            within: NDArray[Any] = np.clip(moved, self.own.low, self.own.high)
            return within.astype(self.own.dtype)
        return np.asarray(actions)

    def from_own(self, actions: NDArray[Any]) -> NDArray[Any]:
        """The learner's answers that mean these n actions of the environment."""
        actions = np.asarray(actions)
        if isinstance(self.own, spaces.MultiDiscrete) and self.flattened:
            choices = tuple((actions - self.own.start).T)
            joint: NDArray[Any] = np.ravel_multi_index(choices, tuple(self.own.nvec))
            return joint
        if isinstance(self.own, (spaces.Discrete, spaces.MultiDiscrete)):
            numbers: NDArray[Any] = actions - self.own.start
            return numbers
        if isinstance(self.own, spaces.Box):
            middle, half = (self.own.low + self.own.high) / 2, (self.own.high - self.own.low) / 2
            scaled: NDArray[Any] = (actions - middle) / np.where(half > 0, half, 1.0)
            clipped: NDArray[Any] = np.clip(scaled, -1.0, 1.0)
            return clipped
        return actions
