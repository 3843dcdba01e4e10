"""How far a model gets: runs of built-in tasks, one after the other, as a table.

    python -m benchmarks.how_far --model local --runs wireless:3 cart-pole:1 --out build/how-far

Each run is ``python -m graph.run`` in a process of its own. The table says for each run which
typed pieces were valid, whether the specification compiled, whether the environment passed its
checks, whether a policy better than chance came of it, and why the run stopped.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

PIECES = ["parameter", "objective", "variable", "constraint", "modeling", "sar", "environment"]
HEADER = (
    "| task | seed | typed pieces valid | compiled | verified | policy | seconds | ended with |"
)


def run(task: str, seed: int, model: str, folder: Path, options: list[str]) -> dict[str, Any]:
    """One run; its ``--json`` object and the wall-clock ``seconds`` that it took."""
    started = time.monotonic()
    command = [sys.executable, "-m", "graph.run", "--task", task, "--model", model]
    command += ["--seed", str(seed), "--out", str(folder), "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    folder.with_suffix(".log").write_text(done.stderr)
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return {**told, "exit_code": done.returncode, "wall": time.monotonic() - started}


def row(task: str, seed: int, told: dict[str, Any]) -> str:
    """One line of the table."""
    stages = told.get("stages", [])
    finished = [s["name"] for s in stages if s["status"] in ("done", "repaired")]
    valid = [piece for piece in PIECES if piece in finished]
    compiled = "coding" in finished
    verified = "executor" in finished
    returned = told.get("mean_return")
    policy = (
        "none" if returned is None else f"{returned:,.6g} (random {told['random_return']:,.6g})"
    )
    end = str(told.get("account") or told.get("error") or "").replace("|", "/")
    cells = [task, seed, f"{len(valid)} of {len(PIECES)}", _yes(compiled), _yes(verified), policy,
             f"{told['wall']:.0f}", f"exit {told['exit_code']}: {end}"]  # fmt: skip
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"


def main() -> None:
    """Make the runs that the command line names and print the table as it grows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--model", required=True)
    parser.add_argument("--runs", nargs="+", required=True, metavar="TASK:COUNT")
    parser.add_argument("--out", type=Path, required=True)
    chosen, options = parser.parse_known_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    print(HEADER, "|" + "---|" * 8, sep="\n", flush=True)
    for wanted in chosen.runs:
        task, _, count = wanted.partition(":")
        for seed in range(int(count or 1)):
            folder = chosen.out / f"{task}-{seed}"
            print(row(task, seed, run(task, seed, chosen.model, folder, options)), flush=True)


if __name__ == "__main__":
    main()
