"""Who can say what would be good to do."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray


class RuleTeacher:
    """A function of one observation, such as a heuristic someone wrote."""

    def __init__(self, act: Callable[[NDArray[np.float32]], Any]) -> None:
        self.act = act

    def actions(self, observations: NDArray[Any], time_steps: NDArray[np.int64]) -> NDArray[Any]:
        """What the rule says about each observation (n, d): actions (n, ...)."""
        return np.stack([np.asarray(self.act(one)) for one in observations])
