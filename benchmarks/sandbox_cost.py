"""What containing a program costs: starting, and training inside against outside.

    python -m benchmarks.sandbox_cost

Everything is done in turn in each way, several times over, so that all ways meet the same other
load. Training is compared by processor time, which other load changes little.
"""

import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from sandbox import Limits
from sandbox.containment import Isolation
from sandbox.isolation import candidates, why_not
from sandbox.jobs import Job
from sandbox.outcome import Outcome
from sandbox.run import run_job

LIMITS = Limits(wall_seconds=300, cpu_seconds=300)
STARTS, TRAININGS = 15, 3
OUTSIDE = "outside"

TRAIN = """
import sys, time
import stable_baselines3, torch
torch.set_num_threads(1)
settings = {"DQN": {"learning_starts": 100}, "PPO": {"n_steps": 128}}[sys.argv[1]]
learner = getattr(stable_baselines3, sys.argv[1])
started = time.process_time()
learner("MlpPolicy", "CartPole-v1", seed=0, device="cpu", **settings).learn(3000)
print(time.process_time() - started)
"""


def working_ways() -> dict[str, Isolation | None]:
    """All ways that work here, by what they are called; first of all, without any."""
    ways: dict[str, Isolation | None] = {OUTSIDE: None}
    for way in candidates():
        if isinstance(way, Isolation) and why_not(way) is None:
            ways[f"{way.description}{', own user' if way.drops_user else ''}"] = way
    return ways


def in_turn(
    ways: dict[str, Isolation | None], times: int, text: str, measure: Callable[[Outcome], float],
    *arguments: str,
) -> dict[str, list[float]]:  # fmt: skip
    """What ``measure`` reads off each of ``times`` runs of a program in each way.

    Raises:
        RuntimeError: a run failed.
    """
    found: dict[str, list[float]] = {name: [] for name in ways}
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "program.py")
        program.write_text(text, encoding="utf-8")
        for _ in range(times):
            for name, way in ways.items():
                outcome = run_job(Job(Path(folder), program, None, {}, arguments, []), LIMITS, way)
                if not outcome.ok:
                    raise RuntimeError(f"{name}: {outcome.reason}: {outcome.stderr}")
                found[name].append(measure(outcome))
    return found


def start_milliseconds(ways: dict[str, Isolation | None]) -> dict[str, float]:
    """Median time by the clock that an empty program takes beyond the same outside."""
    took = in_turn(ways, STARTS, "", lambda outcome: 1000 * outcome.wall_seconds)
    outside = statistics.median(took[OUTSIDE])
    return {name: statistics.median(values) - outside for name, values in took.items()}


def training_ratio(ways: dict[str, Isolation | None], learner: str) -> dict[str, float]:
    """Processor time of a training over that outside; the least of several in each way."""
    took = in_turn(ways, TRAININGS, TRAIN, lambda outcome: float(outcome.stdout), learner)
    outside = min(took[OUTSIDE])
    return {name: min(values) / outside for name, values in took.items()}


def main() -> int:
    """Measure and print a table."""
    ways = working_ways()
    columns = {
        "start, ms": start_milliseconds(ways),
        "DQN": training_ratio(ways, "DQN"),
        "PPO": training_ratio(ways, "PPO"),
    }
    width = max(map(len, ways))
    print(" " * width, *(f"{title:>10}" for title in columns))
    for name in ways:
        print(f"{name:<{width}}", *(f"{values[name]:10.2f}" for values in columns.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
