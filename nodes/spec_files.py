"""The specification in the run folder: spec.json for programs, spec.md for people."""

from pathlib import Path

from nodes.reporting.texts import spec_markdown
from nodes.run_folder import remove, write_whole
from state.run_state import RunState

SPEC = "spec.json"


def write_spec_files(state: RunState, folder: Path) -> None:
    """Write both; a specification that is not complete has no spec.json."""
    remove(folder, [SPEC])
    write_whole(folder / "spec.md", spec_markdown(state))
    if state.objective and state.model and state.sar and state.dynamics:
        write_whole(folder / SPEC, state.spec().model_dump_json(indent=2))
