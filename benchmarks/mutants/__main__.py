"""The table of mutants and checks.

    python -m benchmarks.mutants [--task NAME ...] [--seeds N] [--write]

``--seeds N`` looks at the right specifications and environments with N seeds as well. ``--write``
keeps what was found in benchmarks/mutants/caught.json, which a test reads.
"""

import argparse
import json
import sys
import time
from pathlib import Path

from benchmarks.mutants.catalogue import TASKS, mutants, right
from benchmarks.mutants.catching import Caught, caught

KEPT = Path(__file__).parent / "caught.json"


def main() -> int:
    """Look at the mutants that the command line names; 1 if fewer than nine of ten are found."""
    parser = argparse.ArgumentParser(description="Which check finds which planted fault.")
    parser.add_argument("--task", nargs="+", default=TASKS, choices=TASKS)
    parser.add_argument("--seeds", type=int, default=0, metavar="N")
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    table: dict[str, Caught] = {}
    print("| mutant | wrong | found by | seconds |", "|---|---|---|---|", sep="\n", flush=True)
    for task in chosen.task:
        for mutant in mutants(task):
            started = time.process_time()
            table[mutant.key] = caught(mutant)
            seconds = time.process_time() - started
            checks = ", ".join(table[mutant.key]) or "**nothing**"
            print(f"| {mutant.key} | {mutant.wrong} | {checks} | {seconds:.1f} |", flush=True)
    found = sum(bool(checks) for checks in table.values())
    print(f"\n{found} of {len(table)} found.", flush=True)
    alarms = _false_alarms(chosen.task, chosen.seeds)
    if chosen.write:
        KEPT.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    return int(found < 0.9 * len(table) or bool(alarms))


def _false_alarms(tasks: list[str], seeds: int) -> int:
    alarms = 0
    for task in tasks if seeds else []:
        for seed in range(seeds):
            found = caught(right(task), seed)
            alarms += bool(found)
            if found:
                print(f"right {task}, seed {seed}: {found}", flush=True)
    if seeds:
        print(f"{alarms} alarms on the right ones with {seeds} seeds each.")
    return alarms


if __name__ == "__main__":
    sys.exit(main())
