"""A problem that training is measured on."""

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.play import Policy
from state.spec import Spec


@dataclass(frozen=True)
class Problem:
    """What is trained for, and what would be good.

    Attributes:
        name: as given on the command line.
        spec: makes the specification, which names or gives the environment.
        random_return: mean undiscounted return of random decisions.
        best_return: mean undiscounted return of the best policy that is known.
        source: how ``best_return`` was obtained.
        best_policy: makes that policy, where it can be played here.
        target_score: score from which the target is met.
        target_return: mean return that counts as the target instead, where it is given.
        target_seconds: seconds within which training is to get there, where that is given.
        episodes: episodes of the evaluation, many where a single one says little.
    """

    name: str
    spec: Callable[[], Spec]
    random_return: float
    best_return: float
    source: str
    best_policy: Callable[[], Policy] | None = None
    target_score: float = 0.95
    target_return: float | None = None
    target_seconds: float | None = None
    episodes: int = 100

    def score(self, mean_return: float) -> float:
        """0 for a policy as good as random decisions, 1 for one as good as the best."""
        return (mean_return - self.random_return) / (self.best_return - self.random_return)
