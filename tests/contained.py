"""Runs program texts in the sandbox, for tests."""

import textwrap
from pathlib import Path
from typing import Any

from sandbox import Limits, Outcome, run

QUICK = Limits(wall_seconds=20)


def run_text(folder: Path, text: str, limits: Limits = QUICK, **options: Any) -> Outcome:
    """Writes the text to the folder as program.py and runs it there."""
    folder.mkdir(exist_ok=True)
    (folder / "program.py").write_text(textwrap.dedent(text), encoding="utf-8")
    return run("program.py", folder, limits, **options)
