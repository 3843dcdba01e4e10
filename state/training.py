"""How a policy was trained and how good it is."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from state.artefacts import Artefact
from state.piece import Piece

Algorithm = Literal[
    "auto", "dqn", "qr-dqn", "ppo", "maskable-ppo", "sac", "td3", "additive", "imitation",
    "planning", "factored", "exact",
]  # fmt: skip

ALGORITHM_NAMES: dict[str, str] = {
    "auto": "chosen while training",
    "dqn": "DQN",
    "qr-dqn": "QR-DQN",
    "ppo": "PPO",
    "maskable-ppo": "MaskablePPO",
    "sac": "SAC",
    "td3": "TD3",
    "additive": "additive Q-learning",
    "factored": "value iteration, component by component",
    "imitation": "imitation",
    "planning": "imitation of a planner",
    "exact": "value iteration",
}


class TrainingPlan(Piece):
    """What the training is asked for."""

    algorithm: Algorithm = Field(default="auto", description="auto leaves the choice open")
    discount: float = Field(ge=0, le=1)
    time_budget: float = Field(gt=0, description="seconds of training at most, over all attempts")
    steps: int | None = Field(default=None, ge=1, description="of an attempt; None: by method")
    seed: int = 0


class AttemptRecord(Piece):
    """One of the trainings that were tried, as the training program reported it."""

    method: str
    timesteps: int = Field(ge=0)
    seconds: float = Field(ge=0)
    stopped_because: Literal[
        "total_timesteps", "time_budget", "converged", "overtaken", "pruned", "exact"
    ]  # fmt: skip
    best_evaluation: float = Field(description="mean return of the kept checkpoint")
    chance: float = Field(default=0.0, description="mean return of random actions")
    symptom: str = Field(default="", description="what the curve looks like, in a word")
    wanted: float | None = Field(default=None, description="mean return of the teacher, if any")
    resumed: int = Field(
        default=0, ge=0, description="times it was broken off and gone on with from a checkpoint"
    )
    policy_sha256: str = Field(default="", description="of the numbers that make up the policy")
    attempt: dict[str, Any] = Field(
        default_factory=dict, description="all settings, as sandbox.training.attempt.Attempt"
    )

    @property
    def algorithm(self) -> str:
        """The method by the name that people know it by."""
        return ALGORITHM_NAMES.get(self.method, self.method)

    @property
    def reasons(self) -> list[str]:
        """Why it was tried."""
        reasons = self.attempt.get("reasons", [])
        return [str(reason) for reason in reasons] if isinstance(reasons, list) else []

    @property
    def folder(self) -> str:
        """Name of the folder below ``attempts`` that holds its files."""
        return str(self.attempt.get("name", ""))


def one_printable_line(text: str) -> str:
    """``text``, which comes from where generated code runs and is shown to people and models."""
    if not text.isprintable():
        raise ValueError("a line has characters that cannot be printed")
    return text


Line = Annotated[str, Field(max_length=300), AfterValidator(one_printable_line)]


class Probe(Piece):
    """How far the kept policy is ahead of a simple one, as means of differences on common seeds."""

    policy: str = Field(description="random, constant or heuristic")
    return_ahead: float
    return_error: float = Field(ge=0, description="standard error of that")
    objective_ahead: float | None = Field(
        default=None, description="of the objective's own measure; None where no step tells of it"
    )
    objective_error: float | None = Field(default=None, ge=0)
    episode: list[Line] = Field(
        default_factory=list,
        max_length=20,
        description="an episode under the kept policy, and what the simple one makes of it",
    )


class TrainingRecord(AttemptRecord):
    """The attempt that was kept, and all that were made."""

    total_seconds: float = Field(default=0.0, ge=0, description="over all attempts")
    attempts: list[AttemptRecord] = Field(default_factory=list)
    probes: list[Probe] = Field(default_factory=list)
    optimum: float | None = Field(
        default=None, description="mean return of the best policy there can be, by value iteration"
    )
    no_optimum: str = Field(default="", description="why there is none, in a sentence, or empty")
    curve: Artefact | None = Field(default=None, description="CSV: timesteps, mean return, seconds")
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
