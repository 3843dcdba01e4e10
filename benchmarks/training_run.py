"""One training of one problem, as in a run of the graph: code, train, evaluate, then judge."""

import csv
import time
from dataclasses import dataclass
from pathlib import Path

from langgraph.runtime import Runtime

from benchmarks.catalogue import task_names
from benchmarks.judge import judge, played_episodes
from benchmarks.problem import Problem
from nodes.codegen.heuristic_program import interface_of, render_heuristic
from nodes.coding import coding
from nodes.evaluate import ask_evaluation
from nodes.heuristic import PROGRAM
from nodes.models.recording import load_recording
from nodes.run_folder import write_whole
from nodes.settings import RunSettings
from nodes.train import train
from sandbox import Limits, ResultInvalid
from sandbox.outcome import GIBIBYTE
from sandbox.programs.requests import EvaluateRequest
from state.heuristic import Heuristic
from state.run_state import RunState

REACHED = 0.95
"""Score up to which the time of a training is told."""
EVALUATION_LIMITS = Limits(wall_seconds=900, cpu_seconds=1800, memory_bytes=4 * GIBIBYTE)
# Seconds for the policies that the trained one is compared with; its own episodes are all run.
COMPARISON_SECONDS = 5.0


@dataclass(frozen=True)
class Measured:
    """What came of a training.

    ``seconds`` is the whole train stage by the clock; ``seconds_to_095`` is read off the training
    curve, None where it never got there. A training that failed has no return and score 0.
    """

    problem: str
    seed: int
    method: str
    seconds: float
    seconds_to_095: float | None
    mean_return: float | None
    score: float
    target_met: bool
    remark: str = ""


def measure(
    problem: Problem,
    seed: int,
    folder: Path,
    *,
    time_budget: float | None,
    episodes: int | None,
    heuristic: bool = True,
    without: str = "",
) -> Measured:
    """Train in ``folder``, which must not exist yet, and judge what comes of it.

    ``heuristic`` allows the rule of thumb that a large model's recorded reply holds, where there
    is one; remedies and methods named in ``without`` are not used.

    Raises:
        FileExistsError: the folder is there, perhaps with another training in it.
        SandboxUnavailable: this machine cannot contain generated code.
    """
    folder.mkdir(parents=True)
    spec = problem.spec()
    pieces = {name: getattr(spec, name) for name in type(spec).model_fields}
    state = RunState(run_folder=str(folder.absolute()), **pieces)
    settings = RunSettings(seed=seed, time_budget=time_budget, without=without)
    runtime = Runtime(context=settings, stream_writer=lambda event: None)
    state = state.model_copy(update=coding(state, runtime))
    if state.checks is not None:
        raise ValueError(f"{problem.name} cannot be compiled: {state.checks.findings[0].message}")
    if heuristic and (rule := recorded_heuristic(problem.name)) is not None:
        write_whole(folder / PROGRAM, render_heuristic(spec, interface_of(spec), rule))
        state = state.model_copy(update={"heuristic": rule})
    started = time.monotonic()
    state = state.model_copy(update=train(state, runtime))
    seconds = time.monotonic() - started
    reached = seconds_to(problem, folder / "curve.csv")
    if state.training is None:
        return Measured(problem.name, seed, "", seconds, reached, None, 0.0, False, state.account)
    method = str(state.training.algorithm)
    try:
        _evaluate(problem, seed, folder, episodes or problem.episodes, settings)
        verdict = judge(problem, played_episodes(folder))
    except ResultInvalid as error:
        return Measured(problem.name, seed, method, seconds, reached, None, 0.0, False, str(error))
    in_time = problem.target_seconds is None or seconds <= problem.target_seconds
    remarks = [verdict.remark] if verdict.remark else []
    if verdict.target_met and not in_time:
        remarks.append(f"good enough, but not in {problem.target_seconds:g} s")
    return Measured(
        problem.name, seed, method, seconds, reached, verdict.mean_return, verdict.score,
        verdict.target_met and in_time, "; ".join(remarks),
    )  # fmt: skip


def recorded_heuristic(task: str) -> Heuristic | None:
    """What a large model wrote for a built-in task, from its recorded reply; None for others."""
    if task not in task_names():
        return None
    replies = load_recording(task, None).replies
    found = [reply.reply for reply in replies if reply.agent == "heuristic"]
    return Heuristic.model_validate_json(found[-1]) if found else None


def _evaluate(
    problem: Problem, seed: int, folder: Path, episodes: int, settings: RunSettings
) -> None:
    gymnasium_id = problem.spec().dynamics.gymnasium_id
    request = EvaluateRequest(
        gymnasium_id, seed=seed, episodes=episodes, least_episodes=episodes,
        seconds=COMPARISON_SECONDS,
    )  # fmt: skip
    found = ask_evaluation(request, folder, EVALUATION_LIMITS, settings)
    if isinstance(found, str):
        raise ResultInvalid(f"not evaluated: {found}")


def seconds_to(problem: Problem, curve: Path) -> float | None:
    """Seconds of training until the curve first shows a score of ``REACHED``."""
    if not curve.is_file():
        return None
    with curve.open(newline="") as lines:
        for row in csv.DictReader(lines):
            if problem.score(float(row["mean_return"])) >= REACHED:
                return float(row["seconds"])
    return None
