"""Who notices a flaw in a description, and who is bothered without one.

    python -m benchmarks.flaws --model local --out build/flaws
    python -m benchmarks.flaws --model openai:gpt-4o --only kiosk unit-slip --out build/flaws

Each description is read by all agents up to the last review; what is open is assumed. A reading
is kept as ``OUT/NAME/reading.json`` and not made again. The table says what was looked at again
and what a person would have been asked; of a flaw, whether any doubt or question names it.
"""

import argparse
import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.flaws.reading import Reading, read
from graph.context import CORRECTED, RunContext

FOLDER = Path(__file__).parent
HEADER = "| description | flaw | looked at again | questions | named | calls | seconds |"


def planted() -> dict[str, dict[str, str]]:
    """What is wrong with each flawed description, and a pattern of words that name it."""
    found: dict[str, dict[str, str]] = json.loads((FOLDER / "planted.json").read_text("utf-8"))
    return found


def descriptions() -> Iterator[tuple[str, Path]]:
    """Names and files of all descriptions, flawed ones first."""
    for kind in ("flawed", "clean"):
        for path in sorted((FOLDER / kind).glob("*.md")):
            yield path.stem, path


def names_flaw(reading: Reading, pattern: str) -> bool:
    """True if a doubt, a question or a verdict has words that name the flaw."""
    said = [reading.turned_away, *reading.asked, *reading.doubts]
    return any(re.search(pattern, line, re.I) for line in said)


def row(name: str, reading: Reading) -> str:
    """One line of the table."""
    flaw = planted().get(name)
    named = "" if flaw is None else "yes" if names_flaw(reading, flaw["named_by"]) else "no"
    asked = [*([reading.turned_away] if reading.turned_away else []), *reading.asked]
    cells = [
        name,
        flaw["flaw"] if flaw else "",
        ", ".join(reading.examined) or "-",
        "; ".join(asked) or (f"failed: {reading.failed}" if reading.failed else "-"),
        named,
        reading.calls,
        f"{reading.seconds:.0f}",
    ]
    return (
        "| " + " | ".join(str(cell).replace("|", "/").replace("\n", " ") for cell in cells) + " |"
    )


def summary(readings: dict[str, Reading]) -> str:
    """The numbers that count, over what was read."""
    flawed = [(name, r) for name, r in readings.items() if name in planted()]
    clean = [r for name, r in readings.items() if name not in planted()]
    named = sum(names_flaw(r, planted()[name]["named_by"]) for name, r in flawed)
    return (
        f"Of {len(flawed)} flaws {sum(r.noticed for _, r in flawed)} led to another look or a "
        f"question, {sum(r.bothered for _, r in flawed)} to a question, {named} were named. Of "
        f"{len(clean)} clean descriptions {sum(r.bothered for r in clean)} led to a question and "
        f"{sum(r.noticed for r in clean)} to another look."
    )


def main() -> None:
    """Read what the command line names and print the table as it grows."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--base-url")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="read only these")
    parser.add_argument("--correct", default=CORRECTED, metavar="AGENTS")
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    found = dict(descriptions())
    unknown = sorted(set(chosen.only or []) - set(found))
    if unknown:
        parser.error(f"there is no description {unknown[0]!r}; known are {', '.join(found)}")
    context = RunContext(
        model=chosen.model, base_url=chosen.base_url, correct=chosen.correct, clarify="assume",
        unsafe_no_sandbox=True,
    )  # fmt: skip
    print(HEADER, "|" + "---|" * 7, sep="\n", flush=True)
    readings: dict[str, Reading] = {}
    for name in chosen.only or found:
        readings[name] = _kept(name, found[name], context, chosen.out / name)
        print(row(name, readings[name]), flush=True)
    print(f"\n{summary(readings)}")


def _kept(name: str, path: Path, context: RunContext, folder: Path) -> Reading:
    """The reading of ``path``, made now unless it was made and did not fail."""
    kept = folder / "reading.json"
    if kept.is_file():
        stored: dict[str, Any] = json.loads(kept.read_text("utf-8"))
        if not stored["failed"]:
            return Reading(**stored)
    reading = read(path.read_text("utf-8"), context, folder)
    kept.write_text(json.dumps(asdict(reading), indent=1), "utf-8")
    return reading


if __name__ == "__main__":
    main()
