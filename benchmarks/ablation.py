"""What each remedy of training is worth: attempts that differ in one remedy only.

    python -m benchmarks.ablation --out build/ablation
    python -m benchmarks.ablation --only "time left" --seeds 2 --out build/ablation

Attempts are compared by steps and not by seconds, so that a busy machine changes nothing. Each row
says what the kept policy scores with the remedy and without it (0 is random, 1 the best known), and
after how many steps the training curve first showed 0.95.
"""

import argparse
import csv
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path

from langgraph.runtime import Runtime

from benchmarks.problems import PROBLEMS
from benchmarks.training_run import REACHED, recorded_heuristic
from nodes.codegen.heuristic_program import interface_of, render_heuristic
from nodes.coding import BATCHED, coding
from nodes.heuristic import PROGRAM as HEURISTIC
from nodes.run_folder import write_whole
from nodes.settings import RunSettings
from nodes.training_plan import problem_of
from sandbox.training.attempt import Workshop, run_attempt
from sandbox.training.choices import first_attempts
from sandbox.training.request import CURRICULUM, REMEDIES, SHAPING, Attempt, Circumstances, Wishes
from state.run_state import RunState
from state.spec import Spec

SECONDS = 3600.0
"""For one attempt at most; none should need it."""
AT_ONCE = 2
HEADER = (
    "| remedy | problem | method | steps | score with | score without "
    "| steps to 0.95 with | without |"
)


@dataclass(frozen=True)
class Case:
    """A problem, a method and a remedy that may matter there, for so many steps or examples.

    The remedies ``beside`` it, which would have been tried before, are on with it and without it.
    """

    remedy: str
    problem: str
    method: str
    steps: int
    beside: tuple[str, ...] = ()


CASES = [
    Case("scaled observations", "cart-pole", "dqn", 30_000),
    Case("scaled observations", "mountain-car", "dqn", 60_000),
    Case("scaled observations", "wireless", "dqn", 12_000),
    Case("scaled observations", "inventory-management", "additive", 150_000),
    Case("scaled observations", "drone-delivery", "imitation", 50_000),
    Case("scaled rewards", "cart-pole", "dqn", 30_000),
    Case("scaled rewards", "mountain-car", "dqn", 60_000),
    Case("scaled rewards", "wireless", "dqn", 12_000),
    Case("scaled rewards", "inventory-management", "additive", 150_000),
    Case("scaled rewards", "pendulum", "sac", 10_000),
    Case("persistent exploration", "cart-pole", "dqn", 30_000),
    Case("persistent exploration", "mountain-car", "dqn", 60_000),
    Case("persistent exploration", "mountain-car-continuous", "sac", 15_000),
    Case("time left", "mountain-car-continuous", "ppo", 150_000),
    Case("time left", "acrobot", "ppo", 150_000),
    Case("differences", "drone-delivery", "imitation", 50_000),
    Case("kinds", "drone-delivery", "imitation", 50_000),
    Case(SHAPING, "mountain-car", "dqn", 40_000),
    Case(SHAPING, "acrobot", "ppo", 60_000),
    Case(SHAPING, "rooms", "dqn", 60_000),
    Case(CURRICULUM, "mountain-car", "ppo", 60_000),
    Case(CURRICULUM, "rooms", "dqn", 60_000, beside=(SHAPING,)),
    Case("own parts", "inventory-management", "additive", 150_000),
    Case("own parts", "inventory-management", "imitation", 50_000),
]


@dataclass(frozen=True)
class Came:
    """What came of one attempt; ``steps_to_095`` is None where the curve never got there."""

    score: float
    steps_to_095: int | None


def main(words: Sequence[str] | None = None) -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=[*REMEDIES], nargs="+", help="these remedies")
    parser.add_argument("--problems", choices=[*PROBLEMS], nargs="+", help="on these problems")
    parser.add_argument("--seeds", type=int, default=2, metavar="N", help="seeds 0 to N - 1")
    parser.add_argument("--out", type=Path, default=Path("build/ablation"), metavar="DIR")
    chosen = parser.parse_args(words)
    if chosen.seeds < 1:
        parser.error("--seeds must be 1 or more")
    if chosen.out.exists():
        parser.error(f"{chosen.out} is there already: remove it or choose another --out")
    cases = [
        case
        for case in CASES
        if case.remedy in (chosen.only or REMEDIES)
        and case.problem in (chosen.problems or PROBLEMS)
    ]
    asked = [
        (case, on, seed) for case in cases for on in (True, False) for seed in range(chosen.seeds)
    ]
    print(HEADER, "|" + "---|" * 8, sep="\n", flush=True)
    # A new process for each attempt, for torch keeps its generators and threads.
    with ProcessPoolExecutor(AT_ONCE, get_context("spawn"), max_tasks_per_child=1) as pool:
        came = {key: pool.submit(attempt_once, *key, chosen.out) for key in asked}
        for case in cases:
            on, off = (
                [came[case, side, seed].result() for seed in range(chosen.seeds)]
                for side in (True, False)
            )
            print(row(case, on, off), flush=True)


def row(case: Case, on: list[Came], off: list[Came]) -> str:
    """A line of the table; the seeds stand beside each other."""
    cells = [
        case.remedy, case.problem, case.method, f"{case.steps:,}",
        *(", ".join(f"{came.score:.3f}" for came in side) for side in (on, off)),
        *(", ".join(_steps(came.steps_to_095) for came in side) for side in (on, off)),
    ]  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def attempt_once(case: Case, on: bool, seed: int, out: Path) -> Came:
    """Train once with the remedy ``on`` or off, in a folder of its own under ``out``.

    The environment runs in this process: it is compiled from a specification of this repository.
    """
    problem = PROBLEMS[case.problem]
    folder = out / "-".join([case.remedy, case.problem, case.method, str(on), str(seed)])
    folder.mkdir(parents=True)
    spec = problem.spec()
    circumstances = write_environment(spec, case.problem, folder)
    attempt = attempt_for(case, on, seed, spec, circumstances, folder)
    with redirect_stdout(sys.stderr):  # the table alone goes to standard output
        result = run_attempt(problem_of(spec), attempt, folder, folder / "attempt", SECONDS)
    curve = folder / "attempt" / "curve.csv"
    return Came(problem.score(float(result["best_evaluation"])), steps_to(case.problem, curve))


def write_environment(spec: Spec, name: str, folder: Path) -> Circumstances:
    """Fill ``folder`` with what training reads; tells what there is.

    Raises:
        ValueError: the specification cannot be compiled.
    """
    pieces = {field: getattr(spec, field) for field in type(spec).model_fields}
    state = RunState(run_folder=str(folder.absolute()), **pieces)
    runtime = Runtime(context=RunSettings(), stream_writer=lambda event: None)
    state = state.model_copy(update=coding(state, runtime))
    if state.checks is not None:
        raise ValueError(f"{name} cannot be compiled: {state.checks.findings[0].message}")
    rule = recorded_heuristic(name)
    if rule is not None:
        write_whole(folder / HEURISTIC, render_heuristic(spec, interface_of(spec), rule))
    return Circumstances(batched=(folder / BATCHED).is_file(), heuristic=rule is not None)


def attempt_for(
    case: Case, on: bool, seed: int, spec: Spec, circumstances: Circumstances, folder: Path
) -> Attempt:
    """The first attempt that would be made with this method, with the remedy or without it."""
    wishes = Wishes(algorithm=case.method, steps=case.steps, seed=seed)
    probe = Attempt("probe", "dqn", 0.99, 1, seed, batched=circumstances.batched)
    workshop = Workshop(problem_of(spec), folder, probe)
    (usual,) = first_attempts(problem_of(spec), workshop.coding, wishes, circumstances, 0.0)
    others = [remedy for remedy in usual.remedies if remedy != case.remedy]
    others += [remedy for remedy in case.beside if remedy not in others]
    return replace(usual, remedies=[*others, case.remedy] if on else others)


def steps_to(problem: str, curve: Path) -> int | None:
    """Steps until the curve first shows a score of ``REACHED``."""
    with curve.open(newline="") as lines:
        for line in csv.DictReader(lines):
            if PROBLEMS[problem].score(float(line["mean_return"])) >= REACHED:
                return int(line["timesteps"])
    return None


def _steps(value: int | None) -> str:
    return "never" if value is None else f"{value:,}"


if __name__ == "__main__":
    main()
