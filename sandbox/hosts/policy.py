"""Program: holds the trained policy, whose file has a pickle inside, and decides when asked.

Argument: the descriptor to answer on.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandbox.programs import space_data
from sandbox.programs.asking import Answer, serve
from sandbox.training.policy import Policy, load_policy


class PolicyHost:
    """The policy of the current folder, once it is known which actions there are."""

    def __init__(self) -> None:
        self._policy: Policy | None = None

    def answers(self) -> dict[str, Answer]:
        """What this host answers, by name."""
        return {"load": self.load, "decide": self.decide}

    def load(self, space: dict[str, Any]) -> None:
        """Load the policy for an environment with this action space."""
        self._policy = load_policy(Path(), space_data.from_plain(space))
        if "torch" in sys.modules:
            # More threads cost more than they give on networks this small.
            sys.modules["torch"].set_num_threads(1)

    def decide(self, observations: NDArray[Any], time_step: int) -> NDArray[Any]:
        """Actions (n, ...) for observations (n, d) after ``time_step`` decisions."""
        if self._policy is None:
            raise RuntimeError("no policy was loaded")
        return self._policy.actions(observations, np.full(len(observations), time_step, np.int64))


if __name__ == "__main__":
    serve(PolicyHost().answers())
