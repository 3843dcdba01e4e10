"""Looking at threads, and beginning new ones from a step of an old one."""

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.fake_chat_server import FakeChatServer
from tests.quick_runs import QuickRuns, Start, quick_runs
from tests.replies import replies_to


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def edit(runs: QuickRuns, pieces: Any) -> str:
    (runs.folder / "edit.json").write_text(json.dumps(pieces))
    return "edit.json"


def test_nothing_is_listed_where_nothing_was_run(start: Start) -> None:
    runs = start()
    assert runs.told("--runs") == {"threads": []}
    code, output, _ = runs.run("--runs")
    assert (code, output) == (0, "no threads are kept in runs/checkpoints.sqlite\n")
    assert not (runs.folder / "runs").exists()


def test_threads_are_listed_and_shown_by_the_beginning_of_their_id(start: Start) -> None:
    runs = start()
    first = runs.begin()
    second = runs.begin("--seed", "3")
    listed = runs.told("--runs")["threads"]
    assert [t["thread_id"] for t in listed] == [second["thread_id"], first["thread_id"]]
    assert {t["status"] for t in listed} == {"trained"}
    assert listed[0]["begun"] < listed[0]["active"]
    assert listed[0]["run_folder"] == second["run_folder"]
    assert (listed[0]["title"], listed[0]["task"]) == ("Trays of rolls", None)
    shown = runs.told("--show", second["thread_id"][:8])
    assert shown["thread"] == listed[0]
    assert shown["settings"]["seed"] == 3
    assert [p["name"] for p in shown["pieces"]["parameters"]][:2] == ["tray_cost", "tray_price"]
    assert (shown["questions"], shown["tokens"]) == ([], second["tokens"])
    for words in (["--runs"], ["--show", first["thread_id"].upper()[:13]]):
        code, output, _ = runs.run(*words)
        assert code == 0
        assert first["thread_id"] in output
        assert "Trays of rolls" in output


def test_history_says_which_node_changed_what(start: Start) -> None:
    runs = start()
    thread_id = runs.begin()["thread_id"]
    steps = runs.told("--history", thread_id)["steps"]
    assert [step["step"] for step in steps] == list(range(len(steps)))
    assert [step["node"] for step in steps][:4] == ["(begin)", "intake", "triage", "parameter"]
    by_node = {step["node"]: step for step in steps}
    assert by_node["parameter"]["changed"]["parameters"] == "4"
    assert by_node["sar"]["changed"] == {"sar": "made"}
    assert by_node["environment"]["next_nodes"] == ["coding"]
    assert by_node["evaluate"]["changed"]["status"] == "trained"
    assert steps[-1]["next_nodes"] == []
    code, output, _ = runs.run("--history", thread_id)
    assert code == 0
    assert len(output.splitlines()) == len(steps)


def test_fork_goes_on_from_a_step_and_leaves_the_old_thread_alone(start: Start) -> None:
    asked: list[str] = []
    runs = start(asked=asked)
    old = runs.begin()
    before, history = contents(Path(old["run_folder"])), runs.told("--history", old["thread_id"])
    asked.clear()
    step = runs.steps(old["thread_id"])["variable"]
    new = runs.told("--fork", old["thread_id"][:8], "--at", str(step), "--out", "forked")
    assert asked == ["constraint", "modeling", "sar", "environment", "heuristic"]
    assert new["thread_id"] != old["thread_id"]
    assert new["run_folder"] == str(runs.folder / "forked")
    assert new["tokens"] == old["tokens"]
    assert contents(Path(old["run_folder"])) == before
    assert runs.told("--history", old["thread_id"]) == history
    forked = contents(runs.folder / "forked")
    assert forked["spec.json"] == before["spec.json"]
    assert old["thread_id"] in forked["report.html"].decode()
    assert runs.told("--history", new["thread_id"])["steps"][0]["step"] == step
    assert runs.told("--resume", new["thread_id"])["status"] == "trained"


@pytest.mark.parametrize(
    ("node", "again"),
    [
        ("coding", {"executor": 1, "heuristic": 1, "train": 1, "evaluate": 1}),
        ("heuristic", {"train": 1, "evaluate": 1}),
        ("train", {"evaluate": 1}),
        ("evaluate", {}),
    ],
)
def test_fork_takes_over_what_its_step_names(
    start: Start, node: str, again: dict[str, int]
) -> None:
    runs = start()
    old = runs.begin()
    runs.done.clear()
    step = str(runs.steps(old["thread_id"])[node])
    new = runs.told("--fork", old["thread_id"], "--at", step)
    assert dict(runs.done) == again
    assert new["status"] == "trained"
    assert new["mean_return"] == old["mean_return"]
    files = {"environment.py", "heuristic.py", "policy.zip", "llm_calls.jsonl", "train.py"}
    assert files <= set(contents(Path(new["run_folder"])))


@pytest.mark.parametrize(
    ("lost", "again"),
    [
        # The same environment comes of it, for which the training had finished.
        ("environment.py", {"executor": 1, "heuristic": 1, "evaluate": 1}),
        ("policy.zip", {"train": 1, "evaluate": 1}),
    ],
)
def test_fork_makes_anew_what_a_later_step_overwrote(
    start: Start, lost: str, again: dict[str, int]
) -> None:
    runs = start()
    old = runs.begin()
    runs.done.clear()
    (Path(old["run_folder"]) / lost).write_text("something else")
    step = str(runs.steps(old["thread_id"])["train"])
    assert runs.told("--fork", old["thread_id"], "--at", step)["status"] == "trained"
    assert dict(runs.done) == again


def test_model_that_makes_anew_what_is_gone_is_named(start: Start) -> None:
    runs = start()
    old = runs.begin()
    shutil.rmtree(old["run_folder"])
    _, _, errors = runs.run("--resume", old["thread_id"])
    assert f"its run folder is gone: --fork {old['thread_id']} --at STEP makes one" in errors
    step = str(runs.steps(old["thread_id"])["train"])
    new = runs.told("--fork", old["thread_id"], "--at", step)
    assert new["model"]["name"] == "openai:fake"
    assert new["status"] == "trained"
    assert contents(Path(new["run_folder"]))["spec.json"]


def test_fork_is_named_after_its_description(start: Start) -> None:
    runs = start()
    new = runs.told("--fork", runs.begin()["thread_id"], "--at", "0")
    assert Path(new["run_folder"]).name.startswith("trays-of-rolls-")


def test_what_was_not_recorded_is_asked_of_a_live_model_in_a_fork(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []
    server = FakeChatServer(replies_to("wireless", asked=asked))
    with quick_runs(tmp_path, monkeypatch, capsys, server) as runs:
        plain = ["--no-error-correction", "--unsafe-no-sandbox", "--approve", "spec"]
        words = ["--task", "wireless", "--model", "recorded", *plain]
        thread_id = runs.told(*words, code=3)["thread_id"]
        answer = ["--answer", "send back sar: the gains are seen"]
        told = runs.told("--resume", thread_id, *answer, code=4)
        assert told["status"] == "model_failed"
        again = shlex.split(told["resume"])[3:]
        assert again[:3] == ["--fork", thread_id, "--at"]
        again[-1] = "openai:fake"
        waits = runs.told(*again, "--base-url", server.openai_url, code=3)
        assert asked[0] == "sar"
        assert "the gains are seen" in server.prompts()[0]
        assert waits["question"]["kind"] == "approve_spec"


def test_edited_specification_is_compiled_checked_and_trained_anew(start: Start) -> None:
    asked: list[str] = []
    runs = start(asked=asked)
    old = runs.begin()
    asked.clear()
    runs.done.clear()
    spec = json.loads((Path(old["run_folder"]) / "spec.json").read_text())
    spec["parameters"][0]["value"] = 1.5
    last = max(runs.steps(old["thread_id"]).values())
    words = ["--fork", old["thread_id"], "--at", str(last), "--edit", edit(runs, spec)]
    new = runs.told(*words)
    assert asked == ["heuristic"]
    assert dict(runs.done) == {"executor": 1, "heuristic": 1, "train": 1, "evaluate": 1}
    folder = Path(new["run_folder"])
    assert json.loads((folder / "spec.json").read_text())["parameters"][0]["value"] == 1.5
    assert "1.5" in (folder / "environment.py").read_text()
    assert "with another parameters" in (folder / "report.html").read_text()


def test_edit_before_the_specification_is_whole_is_what_later_agents_see(start: Start) -> None:
    runs = start()
    old = runs.begin()
    asked_before = len(runs.server.requests)
    pieces = {
        "objective": {
            "sense": "maximize", "statement": "Waste nothing.", "measure": "waste", "assumed": "me"
        }
    }  # fmt: skip
    step = str(runs.steps(old["thread_id"])["objective"])
    words = ["--fork", old["thread_id"], "--at", step, "--edit", edit(runs, pieces)]
    assert runs.told(*words)["status"] == "trained"
    assert "Waste nothing." in runs.server.prompts()[asked_before]


@pytest.mark.parametrize(
    ("pieces", "says"),
    [
        ([1], "no JSON object"),
        ({}, "changes nothing"),
        ({"policy": 1}, "policy: Extra inputs are not permitted"),
        ({"description": "else"}, "The description cannot be edited"),
        ({"sar": None}, "sar: Input should be"),
        ({"sar": {"observation": []}}, "sar.observation: List should have at least 1 item"),
        ({"parameters": []}, "'shelf_room'"),
        ({"parameters": [{"name": "bake", "definition": "", "value": 1}] * 2}, "given twice"),
        ({"dynamics": {"rules": []}}, "no rule gives it a value"),
    ],
)
def test_edit_that_does_not_fit_is_one_sentence_and_leaves_nothing(
    start: Start, pieces: Any, says: str
) -> None:
    runs = start()
    old = runs.begin()
    step = str(runs.steps(old["thread_id"])["evaluate"])
    threads = runs.told("--runs")
    before = contents(runs.folder / "runs")
    words = ["--fork", old["thread_id"], "--at", step, "--edit", edit(runs, pieces)]
    code, output, errors = runs.run(*words)
    assert (code, output) == (2, "")
    assert errors.startswith("error: --edit edit.json cannot be taken. ")
    assert says in errors
    assert len(errors.splitlines()) == 1
    assert runs.told("--runs") == threads
    assert set(contents(runs.folder / "runs")) == set(before)


def test_steps_that_no_fork_begins_from_are_refused(start: Start) -> None:
    runs = start()
    thread_id = runs.begin()["thread_id"]
    last = max(runs.steps(thread_id).values())
    for words, says in {
        ("--at", "99"): "has no step 99",
        ("--at", "-1"): "has no step -1",
        ("--at", str(last)): "is the end of the run",
        ("--at", "2", "--edit", "missing.json"): "cannot read missing.json",
    }.items():
        code, _, errors = runs.run("--fork", thread_id, *words)
        assert code == 2
        assert says in errors
    early = ["--at", "2", "--edit", edit(runs, {"parameters": []})]
    assert "The piece parameters is not made yet" in runs.run("--fork", thread_id, *early)[2]
    assert len(runs.told("--runs")["threads"]) == 1
