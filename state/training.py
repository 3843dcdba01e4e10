"""How a policy was trained and how good it is."""

from typing import Literal

from pydantic import Field

from state.artefacts import Artefact
from state.piece import Piece

Algorithm = Literal["DQN", "PPO", "SAC"]


class TrainingPlan(Piece):
    """What the generated ``train.py`` will do, and why."""

    algorithm: Algorithm
    discount: float = Field(ge=0, le=1)
    total_timesteps: int = Field(ge=1)
    time_budget: float = Field(gt=0, description="seconds of training at most")
    seed: int = 0
    reasons: list[str] = Field(default_factory=list)


class TrainingRecord(Piece):
    """What the training program reported."""

    algorithm: Algorithm
    timesteps: int = Field(ge=0)
    seconds: float = Field(ge=0)
    stopped_because: Literal["total_timesteps", "time_budget", "converged"]
    best_evaluation: float = Field(description="mean return of the kept checkpoint")
    curve: Artefact | None = Field(default=None, description="CSV: timesteps, mean return")
    policy: Artefact | None = None


class ReturnEstimate(Piece):
    """Mean undiscounted episode return of one policy with its 95 % interval."""

    policy: str = Field(description="trained, random, greedy, ...")
    mean: float
    low: float
    high: float
    episodes: int = Field(ge=1)
    mean_length: float = Field(ge=0)
    objective: float | None = Field(
        default=None, description="mean of the objective's own measure summed over an episode"
    )


class Evaluation(Piece):
    """Returns of the trained policy and its comparisons, on the same fresh seeds."""

    trained: ReturnEstimate
    baselines: list[ReturnEstimate] = Field(default_factory=list)
    better_than_random: bool = False
    seconds: float = 0.0
    notes: list[str] = Field(default_factory=list)

    def baseline(self, policy: str) -> ReturnEstimate | None:
        """The comparison called ``policy``, or None if it was not run."""
        return next((b for b in self.baselines if b.policy == policy), None)
