"""Report: leaves a run folder that a person can read without this project."""

from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from nodes.reporting.pictures import learning_curve, read_curve, returns_chart
from nodes.reporting.texts import report_html
from nodes.run_folder import remove, write_whole
from nodes.settings import RunSettings
from nodes.spec_files import write_spec_files
from sandbox.results import ResultInvalid, read_bytes
from state.run_state import RunState

OPTIONAL_FILES = ("evaluation.json", "curve.png", "returns.png")
CODE_FILES = ("environment.py", "spec_functions.py", "heuristic.py", "train.py")


def report(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Write spec.json, spec.md, evaluation.json, pictures and report.html.

    A run that did not get far has what there is of them.
    """
    folder = Path(state.run_folder)
    remove(folder, OPTIONAL_FILES)
    update: dict[str, Any] = {}
    if state.status == "running":
        update["status"] = "no_better_policy"
        state = state.model_copy(update=update)
    write_spec_files(state, folder)
    if state.evaluation:
        write_whole(folder / "evaluation.json", state.evaluation.model_dump_json(indent=2))
    pictures = draw(state, folder)
    for name, png in pictures.items():
        write_whole(folder / f"{name}.png", png)
    code = {name: text for name in CODE_FILES if (text := _text(folder, name))}
    write_whole(folder / "report.html", report_html(state, code, pictures))
    return update


def draw(state: RunState, folder: Path) -> dict[str, bytes]:
    """Pictures by name ("curve", "returns"), as far as there is something to draw."""
    pictures: dict[str, bytes] = {}
    points = read_curve(_text(folder, "curve.csv")) if state.training else []
    if points:
        pictures["curve"] = learning_curve(points, state.evaluation)
    if state.evaluation:
        pictures["returns"] = returns_chart(state.evaluation)
    return pictures


def _text(folder: Path, name: str) -> str:
    """Text of a file that generated code may have written; empty if there is none."""
    try:
        return read_bytes(folder, name).decode(errors="replace")
    except ResultInvalid:
        return ""
