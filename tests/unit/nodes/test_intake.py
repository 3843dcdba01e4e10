from pathlib import Path

import pytest
from langgraph.runtime import Runtime

from nodes.intake import IntakeError, check_intake, intake
from nodes.settings import RunSettings
from sandbox.isolation import SandboxUnavailable
from state.run_state import RunState

TEXT = "# Baking bread\n\nEvery morning we decide how many loaves to bake."


def runtime(out: Path) -> Runtime[RunSettings]:
    return Runtime(context=RunSettings(unsafe_no_sandbox=True, out=str(out)))


def test_named_run_folder_is_made_and_making_it_again_does_no_harm(tmp_path: Path) -> None:
    state = RunState(description=TEXT, run_folder=str(tmp_path / "a" / "b"))
    update = intake(state, runtime(tmp_path))
    (tmp_path / "a" / "b" / "kept").touch()
    assert intake(state, runtime(tmp_path)) == update
    assert update == {"title": "Baking bread", "run_folder": str(tmp_path / "a" / "b")}
    assert (tmp_path / "a" / "b" / "kept").is_file()


def test_own_run_folder_lies_under_out(tmp_path: Path) -> None:
    folder = Path(intake(RunState(description=TEXT), runtime(tmp_path))["run_folder"])
    assert folder.parent == tmp_path
    assert folder.is_dir()
    assert folder.name.startswith("baking-bread-")


def test_bad_description_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(IntakeError, match="is empty"):
        intake(RunState(description=" "), runtime(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_machine_that_cannot_contain_code_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def cannot() -> None:
        raise SandboxUnavailable("nothing contains code here")

    monkeypatch.setattr("nodes.intake.choose", cannot)
    with pytest.raises(IntakeError, match="nothing contains code here"):
        check_intake(TEXT, unsafe_no_sandbox=False)
    check_intake(TEXT, unsafe_no_sandbox=True)
