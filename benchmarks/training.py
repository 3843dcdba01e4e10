"""How well training does on problems whose optimum is known, as a table that grows.

    python -m benchmarks.training --problems wireless cart-pole --seeds 5 --out build/training
    python -m benchmarks.training --problems wireless --plain --time-budget 300

Every problem is a specification that is right, so that training alone is measured. Score 0 is that
of random decisions and 1 that of the best policy known; the evaluation has at least 100 episodes on
seeds that training never met. With --plain, Stable-Baselines3 is trained as it comes.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.plain import PlainRun, measure_plain
from benchmarks.problem import Problem
from benchmarks.problems import OTHERS, PROBLEMS, TASKS
from benchmarks.training_run import Measured, measure

HEADER = (
    "| problem | seed | method | seconds | to 0.95 | mean return | best known | score | target met "
    "| remark |"
)
PLAIN_HEADER = "| problem | seed | plain method | seconds | to 0.95 | best score |"
PLAIN_SECONDS = 300.0


def main(words: Sequence[str] | None = None) -> None:
    """Do what the command line asks for."""
    chosen = arguments(words)
    chosen.out.mkdir(parents=True, exist_ok=True)
    problems = [PROBLEMS[name] for name in chosen.problems]
    if chosen.plain:
        _plain(problems, chosen)
    else:
        _own(problems, chosen)


def arguments(words: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line; exits with a sentence where it cannot be done."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").splitlines()[0],
        epilog=f"Problems: {', '.join(PROBLEMS)}. 'tasks' and 'others' stand for several of them.",
    )
    parser.add_argument("--problems", nargs="+", required=True, metavar="NAME")
    parser.add_argument("--seeds", type=int, default=1, metavar="N", help="seeds 0 to N - 1")
    parser.add_argument("--time-budget", type=float, metavar="S", help="of each training")
    parser.add_argument("--episodes", type=int, metavar="N", help="of each evaluation, 100 or more")
    parser.add_argument("--out", type=Path, default=Path("build/training"), metavar="DIR")
    parser.add_argument(
        "--no-heuristic", action="store_true", help="without the recorded rules of thumb"
    )
    parser.add_argument(
        "--without", default="", metavar="NAMES", help="remedies or methods not to use"
    )
    parser.add_argument("--plain", action="store_true", help="Stable-Baselines3 as it comes")
    chosen = parser.parse_args(words)
    groups = {"tasks": [p.name for p in TASKS], "others": [p.name for p in OTHERS]}
    names = [name for word in chosen.problems for name in groups.get(word, [word])]
    chosen.problems = list(dict.fromkeys(names))
    unknown = [name for name in names if name not in PROBLEMS]
    if unknown:
        parser.error(f"there is no problem {unknown[0]!r}; known are {', '.join(PROBLEMS)}")
    if chosen.seeds < 1:
        parser.error("--seeds must be 1 or more")
    if chosen.time_budget is not None and chosen.time_budget <= 0:
        parser.error("--time-budget must be more than 0 seconds")
    if chosen.episodes is not None and chosen.episodes < 100:
        parser.error("--episodes must be 100 or more, for fewer say little")
    if not chosen.plain:
        _refuse_used_folders(parser, chosen)
    return chosen


def _refuse_used_folders(parser: argparse.ArgumentParser, chosen: argparse.Namespace) -> None:
    for name in chosen.problems:
        for seed in range(chosen.seeds):
            folder = chosen.out / f"{name}-{seed}"
            if folder.exists():
                parser.error(f"{folder} is there already: remove it or choose another --out")


def _own(problems: list[Problem], chosen: argparse.Namespace) -> None:
    print(HEADER, "|" + "---|" * 10, sep="\n", flush=True)
    measured: list[Measured] = []
    for problem in problems:
        for seed in range(chosen.seeds):
            folder = chosen.out / f"{problem.name}-{seed}"
            run = measure(
                problem,
                seed,
                folder,
                time_budget=chosen.time_budget,
                episodes=chosen.episodes,
                heuristic=not chosen.no_heuristic,
                without=chosen.without,
            )
            measured.append(run)
            print(row(problem, run), flush=True)
            _write(chosen.out / "results.json", measured)
    print("", *summary(problems, measured), sep="\n", flush=True)


def row(problem: Problem, run: Measured) -> str:
    """A line of the table."""
    returned = "none" if run.mean_return is None else f"{run.mean_return:,.6g}"
    cells = [run.problem, run.seed, run.method, f"{run.seconds:.0f}", _seconds(run.seconds_to_095),
             returned, f"{problem.best_return:,.6g}", f"{run.score:.4f}",
             "yes" if run.target_met else "no", run.remark.replace("|", "/")]  # fmt: skip
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def summary(problems: list[Problem], measured: list[Measured]) -> list[str]:
    """A table with the worst seed of each problem."""
    lines = ["| problem | worst score | slowest | target met |", "|---|---|---|---|"]
    for problem in problems:
        runs = [run for run in measured if run.problem == problem.name]
        worst, slowest = min(run.score for run in runs), max(run.seconds for run in runs)
        met = sum(run.target_met for run in runs)
        lines.append(f"| {problem.name} | {worst:.4f} | {slowest:.0f} s | {met} of {len(runs)} |")
    return lines


def _plain(problems: list[Problem], chosen: argparse.Namespace) -> None:
    print(PLAIN_HEADER, "|" + "---|" * 6, sep="\n", flush=True)
    measured: list[PlainRun] = []
    for problem in problems:
        for seed in range(chosen.seeds):
            run = measure_plain(problem, seed, chosen.time_budget or PLAIN_SECONDS)
            measured.append(run)
            cells = [run.problem, run.seed, run.method, f"{run.seconds:.0f}",
                     _seconds(run.seconds_to_095), f"{run.best_score:.4f}"]  # fmt: skip
            print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)
            _write(chosen.out / "plain.json", measured)


def _seconds(value: float | None) -> str:
    return "never" if value is None else f"{value:.1f}"


def _write(path: Path, measured: Sequence[Any]) -> None:
    path.write_text(json.dumps([asdict(run) for run in measured], indent=1))


if __name__ == "__main__":
    main()
