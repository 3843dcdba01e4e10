"""How a run ended: exit code, the object that ``--json`` prints, the summary for people."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from state.question import Question
from state.run_state import RunState, Stage
from state.training import ReturnEstimate
from state.usage import ModelCall, Usage

Status = Literal[
    "trained",
    "no_better_policy",
    "unverified",
    "turned_away",
    "unclear",
    "waiting",
    "model_failed",
    "out_of_tokens",
    "interrupted",
    "error",
]


class ExitCode(IntEnum):
    """What the command line returns; part of its contract."""

    TRAINED = 0
    NO_BETTER_POLICY = 1
    USAGE = 2
    WAITING = 3
    MODEL_FAILED = 4
    UNVERIFIED = 5
    INTERNAL_ERROR = 70
    INTERRUPTED = 130


EXIT_CODE_OF: dict[Status, ExitCode] = {
    "trained": ExitCode.TRAINED,
    "no_better_policy": ExitCode.NO_BETTER_POLICY,
    "unverified": ExitCode.UNVERIFIED,
    "turned_away": ExitCode.USAGE,
    "unclear": ExitCode.USAGE,
    "waiting": ExitCode.WAITING,
    "model_failed": ExitCode.MODEL_FAILED,
    "out_of_tokens": ExitCode.MODEL_FAILED,
    "interrupted": ExitCode.INTERRUPTED,
    "error": ExitCode.INTERNAL_ERROR,
}


MORE_TO_RESUME: dict[Status, str] = {
    "turned_away": " --describe BETTER_TEXT.md",
    "unclear": " --clarify ask",
    "waiting": ' --answer "YOUR ANSWER"',
    "model_failed": "",
    "out_of_tokens": " --max-tokens LARGER_NUMBER",
    "interrupted": "",
    "error": "",
}
"""What is added to the command that resumes a run of that status."""


class ModelTaken(BaseModel):
    """Which model answered, and why it was taken."""

    name: str
    reason: str
    recorded: bool


class RunOutcome(BaseModel):
    """The object that ``--json`` prints. Cost in US dollars; seconds of all stages."""

    model_config = ConfigDict(extra="forbid", protected_namespaces=())

    run_folder: str
    thread_id: str
    status: Status
    exit_code: int
    stages: list[Stage]
    model: ModelTaken | None
    environment_id: str | None = Field(description="Gymnasium id, or the generated file")
    algorithm: str | None
    mean_return: float | None
    return_interval: tuple[float, float] | None = Field(description="95 % interval")
    evaluation_episodes: int | None
    random_return: float | None
    greedy_return: float | None
    heuristic_return: float | None
    tokens: int
    cost: float | None = Field(description="None where a price is not known")
    seconds: float
    isolation: str
    account: str
    question: Question | None = Field(default=None, description="what the run waits for")
    resume: str | None = Field(default=None, description="command that goes on with the run")


def finished_status(state: RunState) -> Status:
    """Status of a run whose last node has ended."""
    return "no_better_policy" if state.status == "running" else state.status


def outcome_of(
    state: RunState,
    *,
    thread_id: str,
    status: Status,
    model: ModelTaken | None,
    lost_calls: Sequence[ModelCall] = (),
    account: str = "",
    question: Question | None = None,
) -> RunOutcome:
    """Collect what a caller wants to know about the run in ``state``.

    ``account`` stands in for the state's own where the run did not reach its end, ``question``
    is what it waits for, and ``lost_calls`` are those of a node that failed, which the state does
    not hold.
    """
    usage = Usage.of([*state.calls, *lost_calls])
    passed = {stage.name for stage in state.stages}
    # What a revision has from the run before it counts once its own stages have come to it.
    training = state.training if "train" in passed else None
    evaluation = state.evaluation if "evaluate" in passed else None
    trained = evaluation.trained if evaluation else None
    more = MORE_TO_RESUME.get(status)
    return RunOutcome(
        run_folder=state.run_folder,
        thread_id=thread_id,
        status=status,
        exit_code=EXIT_CODE_OF[status],
        stages=state.stages,
        model=model,
        environment_id=_environment_id(state),
        algorithm=training.algorithm if training else None,
        mean_return=trained.mean if trained else None,
        return_interval=(trained.low, trained.high) if trained else None,
        evaluation_episodes=trained.episodes if trained else None,
        random_return=_mean(evaluation.baseline("random") if evaluation else None),
        greedy_return=_mean(evaluation.baseline("greedy") if evaluation else None),
        heuristic_return=_mean(evaluation.baseline("heuristic") if evaluation else None),
        tokens=usage.tokens,
        cost=usage.cost,
        seconds=round(sum(stage.seconds for stage in state.stages), 3),
        isolation=state.isolation,
        account=account or state.account,
        question=question,
        resume=None if more is None else f"python -m graph.run --resume {thread_id}{more}",
    )


def _mean(estimate: ReturnEstimate | None) -> float | None:
    return estimate.mean if estimate else None


def _environment_id(state: RunState) -> str | None:
    if state.dynamics and state.dynamics.gymnasium_id:
        return state.dynamics.gymnasium_id
    if state.code and state.code.environment:
        return state.code.environment.path
    return None
