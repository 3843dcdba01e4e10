"""``--check DIR``: what a person gets to see about an environment that they wrote or changed."""

import json
from pathlib import Path

import pytest

from benchmarks.frozen_specs import frozen_spec
from nodes.codegen.compile_spec import compile_spec
from nodes.codegen.heuristic_program import interface_of, render_heuristic
from nodes.codegen.render import render_environment
from state.dynamics import Dynamics
from state.heuristic import Heuristic
from tests.command_line import command
from tests.specs.tidying import SPILL_AND_PICK_UP, tidying

pytestmark = pytest.mark.timeout(600)

TASK = "wireless"


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    spec = frozen_spec(TASK)
    program, _ = compile_spec(spec)
    assert program is not None
    (folder / "spec.json").write_text(spec.model_dump_json())
    (folder / "environment.py").write_text(render_environment(program, []))
    return folder


def test_a_right_folder_is_clean_and_left_as_it_was(folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    done = command("--check", str(folder), folder=folder.parent, seconds=240)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("0 findings; ")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_wrong_line_is_found_with_its_place(folder: Path) -> None:
    path = folder / "environment.py"
    source = path.read_text()
    wrong = "10.0 ** (self.channel_gain[(self.served_user + 1) % 4] / 10)"
    path.write_text(source.replace("10.0 ** (self.channel_gain[self.served_user] / 10)", wrong))
    done = command("--check", str(folder), "--json", folder=folder.parent, seconds=240)
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert told["status"] == "findings"
    assert [finding["place"] for finding in told["findings"]] == ["rule of signal_power"]
    assert "signal_power = " in told["findings"][0]["expected"]
    assert len(json.dumps(told["findings"][0])) < 1200


def test_a_wrong_number_in_the_specification_is_found(folder: Path) -> None:
    spec = json.loads((folder / "spec.json").read_text())
    spec["model"]["horizon"] = 101
    (folder / "spec.json").write_text(json.dumps(spec))
    done = command("--check", str(folder), folder=folder.parent, seconds=240)
    assert done.returncode == 1
    assert "finding: horizon: the horizon is 101" in done.stdout
    assert "finding: truncated: the episode is truncated before the horizon" in done.stdout


def test_a_rule_of_thumb_in_the_folder_is_ranked_as_well(tmp_path: Path) -> None:
    spec = tidying(paid=True)
    program, _ = compile_spec(spec)
    assert program is not None
    source = f"def heuristic(seen):\n    {SPILL_AND_PICK_UP}"
    rule = render_heuristic(spec, interface_of(spec), Heuristic(rule="r", source=source))
    (tmp_path / "spec.json").write_text(spec.model_dump_json())
    (tmp_path / "environment.py").write_text(render_environment(program, []))
    (tmp_path / "heuristic.py").write_text(rule)
    done = command("--check", str(tmp_path), folder=tmp_path, seconds=240)
    assert done.returncode == 1
    assert "finding: reward: the reward prefers the rule of thumb to " in done.stdout
    assert "  episode   Under the rule of thumb:\n            step 1: reward 3," in done.stdout
    (tmp_path / "heuristic.py").unlink()
    done = command("--check", str(tmp_path), folder=tmp_path, seconds=240)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_only_the_outside_may_be_declared(folder: Path) -> None:
    spec = frozen_spec(TASK)
    seen = [v for v in spec.variables if v.name in ("served_user", "channel_gain")]
    outside = spec.model_copy(
        update={
            "variables": seen,
            "dynamics": Dynamics(),
            "model": spec.model.model_copy(update={"step_measure": "", "constraints": []}),
            "sar": spec.sar.model_copy(
                update={
                    "reward": [spec.sar.reward[0].model_copy(update={"expression": ""})],
                    "reward_low": 0.0,
                    "reward_high": 300.0,
                }
            ),
        }
    )
    (folder / "spec.json").write_text(outside.model_dump_json())
    done = command("--check", str(folder), folder=folder.parent, seconds=240)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    narrow = outside.sar.model_copy(update={"reward_high": 20.0})
    (folder / "spec.json").write_text(outside.model_copy(update={"sar": narrow}).model_dump_json())
    done = command("--check", str(folder), folder=folder.parent, seconds=240)
    assert done.returncode == 1
    assert "the reward leaves its declared range" in done.stdout


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (lambda folder: (folder / "spec.json").unlink(), "holds no spec.json"),
        (lambda folder: (folder / "spec.json").write_text("{"), "is no specification"),
        (lambda folder: (folder / "spec.json").write_text('{"title": 3}'), "is no specification"),
        (lambda folder: (folder / "environment.py").unlink(), "holds no environment.py"),
    ],
)
def test_what_cannot_be_checked_is_refused_in_a_sentence(
    folder: Path, broken: object, said: str
) -> None:
    assert callable(broken)
    broken(folder)
    done = command("--check", str(folder), folder=folder.parent)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    done = command("--check", str(tmp_path / "nowhere"), folder=tmp_path)
    assert done.returncode == 2
    assert "is no folder" in done.stderr
