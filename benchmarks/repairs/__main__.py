"""How many faults the coding rounds repair, with the messages of the checks and without.

    python -m benchmarks.repairs --model local --out build/repairs
    python -m benchmarks.repairs --model local --out build/repairs --only lakes-empty --rounds 2

What became of each start is kept as ``OUT/NAME/MESSAGES/repair.json`` and not made again.
"""

import argparse
import json
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from benchmarks.repairs.rounds import LOOKS, Repair, repair
from benchmarks.repairs.starts import Start, all_starts
from graph.context import RunContext
from nodes.models.errors import ModelError
from nodes.settings import RunSettings
from sandbox import SandboxUnavailable

ROUNDS = 5
WORDS = {"ladder": "the messages of the checks", "traceback": "a plain traceback"}

Repairs = dict[str, Repair]
"""What became of one start, by what the agent was told."""


def row(start: Start, repairs: Repairs) -> str:
    """One line of the table."""
    cells = [start.name, start.kind + ("" if start.seen else " (no check sees it)"), start.body]
    for made in repairs.values():
        how = f"round {made.round}" if made.round is not None else f"no: {made.ended}"
        cells += [how.replace("|", "/").replace("\n", " ")[:160], f"{made.calls}"]
        cells += [f"{made.seconds:.0f}"]
    return f"| {' | '.join(cells)} |"


def header(messages: list[str]) -> str:
    """The first two lines of the table."""
    columns = ["start", "fault", "code body"]
    columns += [column for told in messages for column in (told, "calls", "seconds")]
    return f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}"


def summary(found: dict[str, Repairs], starts: dict[str, Start], rounds: int) -> str:
    """The numbers that count, over what was repaired or not."""
    kinds: dict[str, Callable[[str], bool]] = {
        "planted faults": lambda name: starts[name].planted,
        "of these that raise in random episodes": lambda name: (
            starts[name].planted and "traceback" in found[name] and found[name]["traceback"].told
        ),
        "specifications without code": lambda name: not starts[name].planted,
    }
    parts = []
    for kind, belongs in kinds.items():
        names = [name for name in found if belongs(name)]
        told = [
            f"{sum(found[name][messages].round is not None for name in names)} with {words}"
            for messages, words in WORDS.items()
            if names and messages in found[names[0]]
        ]
        if names:
            parts.append(f"{len(names)} {kind}: {', '.join(told)}")
    return f"Repaired within {rounds} rounds. " + "; ".join(parts) + "."


def main() -> None:
    """Repair what the command line names and print the table as it grows."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--base-url")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these")
    parser.add_argument("--messages", choices=[*LOOKS, "both"], default="both")
    parser.add_argument("--rounds", type=int, default=ROUNDS, metavar="N")
    parser.add_argument("--unsafe-no-sandbox", action="store_true")
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    starts = all_starts()
    unknown = sorted(set(chosen.only or []) - set(starts))
    if unknown:
        parser.error(f"there is no start {unknown[0]!r}; known are {', '.join(starts)}")
    if chosen.rounds < 0:
        parser.error(f"--rounds must be 0 or more, not {chosen.rounds}")
    messages = list(LOOKS) if chosen.messages == "both" else [chosen.messages]
    context = RunContext(
        model=chosen.model, base_url=chosen.base_url, max_debug=chosen.rounds,
        unsafe_no_sandbox=chosen.unsafe_no_sandbox,
    )  # fmt: skip
    found: dict[str, Repairs] = {}
    try:
        settings = context.settings(context.chosen_model(""))
        print(header(messages), flush=True)
        for name in chosen.only or starts:
            found[name] = {
                told: _kept(starts[name], told, settings, chosen.out / name / told)
                for told in messages
            }
            print(row(starts[name], found[name]), flush=True)
    except (ModelError, SandboxUnavailable, ValueError) as error:
        parser.exit(1, f"error: {error}\n")
    print(f"\n{summary(found, starts, chosen.rounds)}")


def _kept(start: Start, messages: str, settings: RunSettings, folder: Path) -> Repair:
    """What became of ``start``, tried now unless it was tried with as many rounds."""
    kept = folder / "repair.json"
    if kept.is_file():
        stored = json.loads(kept.read_text(encoding="utf-8"))
        if stored.pop("rounds") == settings.max_debug:
            return Repair(**stored)
    # What was broken off is begun anew, so that its calls and seconds are all counted.
    shutil.rmtree(folder, ignore_errors=True)
    made = repair(start, messages, settings, folder, settings.max_debug)
    text = json.dumps({**asdict(made), "rounds": settings.max_debug}, indent=1)
    kept.write_text(text + "\n", encoding="utf-8")
    return made


if __name__ == "__main__":
    main()
