"""The command line as a process of its own: bad input and what it leaves behind."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import command

GOOD = "Every morning we decide how many loaves of bread to bake, to earn as much as possible."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with good and bad descriptions in it."""
    (tmp_path / "good.md").write_text(GOOD)
    (tmp_path / "empty.md").touch()
    (tmp_path / "blank.md").write_text(" \n\t\n")
    (tmp_path / "binary.md").write_bytes(b"\x7fELF\0\0\1")
    (tmp_path / "latin.md").write_bytes("Größe und Menge jeden Tag".encode("latin-1"))
    (tmp_path / "long.md").write_text("word " * 100_000)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "something").touch()
    return tmp_path


def contents(folder: Path) -> list[str]:
    return sorted(str(place.relative_to(folder)) for place in folder.rglob("*"))


def check_refusal(done: subprocess.CompletedProcess[str], says: str, code: int = 2) -> None:
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    lines = done.stderr.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("error: ")
    assert says in lines[0]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("", "--task --describe"),
        ("--task wireless --describe good.md", "not allowed with"),
        ("--task chess", "known are cart-pole"),
        ("--describe missing.md", "cannot read missing.md: No such file"),
        ("--describe full", "full is a folder"),
        ("--describe empty.md", "description is empty"),
        ("--describe blank.md", "description is empty"),
        ("--describe binary.md", "not a text file"),
        ("--describe latin.md", "not UTF-8 text"),
        ("--describe long.md", "far too long"),
        ("--describe /dev/zero", "not a text file"),
        ("--describe good.md --seed -1", "--seed must be from 0"),
        ("--describe good.md --max-debug 1000", "--max-debug must be from 0 to 100"),
        ("--describe good.md --nonsense", "unrecognized arguments"),
        ("--describe good.md --model gpt", "openai:NAME"),
        ("--describe good.md --model openai:", "openai:NAME"),
        ("--describe good.md --model ollama:x --base-url nowhere", "--base-url must start"),
        ("--resume 12", "no thread id"),
        ("--resume 1234", "there is no thread"),
        ("--show 1234", "there is no thread"),
        ("--history 1234", "there is no thread"),
        ("--fork 1234 --at 1", "there is no thread"),
        ("--checkpoint-db mysql://host/x --runs", "cannot be kept at mysql://"),
        ("--resume 7b1f8a52-57f0-4f3c-9ac4-2a4d1b2c3d4e", "there is no thread"),
        ("--resume 7b1f8a52-57f0-4f3c-9ac4-2a4d1b2c3d4e --out x", "--out does not go with"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(folder: Path, words: str, says: str) -> None:
    before = contents(folder)
    check_refusal(command(*words.split(), folder=folder), says)
    assert contents(folder) == before


def test_bad_input_on_standard_input(folder: Path) -> None:
    check_refusal(command("--describe", "-", folder=folder), "description is empty")
    done = command("--describe", "-", folder=folder, given=b"\xff\xfe not text at all")
    check_refusal(done, "standard input is not UTF-8")


@pytest.mark.parametrize("out", ["full", "good.md", "good.md/below", "/proc/nothing-goes-here"])
def test_bad_out_is_refused_and_leaves_nothing(folder: Path, out: str) -> None:
    before = contents(folder)
    words = ["--describe", "good.md", "--model", "openai:x", "--out", out]
    done = command(*words, folder=folder, OPENAI_API_KEY="no-key")
    check_refusal(done, out.split("/")[-1])
    assert contents(folder) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="everything is writable for root")
def test_folder_that_may_not_be_written_is_refused(folder: Path) -> None:
    (folder / "locked").mkdir(mode=0o500)
    words = ["--describe", "good.md", "--model", "openai:x", "--out", "locked/run"]
    check_refusal(command(*words, folder=folder, OPENAI_API_KEY="no-key"), "cannot write to")


def test_threads_that_cannot_be_kept_are_refused_and_leave_nothing(folder: Path) -> None:
    before = contents(folder)
    words = ["--describe", "good.md", "--model", "openai:x", "--out", "a/b"]
    place = {"A_LAMP_CHECKPOINTS": "good.md/x.sqlite", "OPENAI_API_KEY": "no-key"}
    check_refusal(command(*words, folder=folder, **place), "cannot keep threads in")
    place["A_LAMP_CHECKPOINTS"] = "long.md"
    check_refusal(command(*words, folder=folder, **place), "cannot keep threads in")
    assert contents(folder) == before


def test_no_model_at_all_is_a_sentence_and_leaves_nothing(folder: Path) -> None:
    before = contents(folder)
    done = command("--describe", "good.md", folder=folder)
    check_refusal(done, "No model can serve", code=4)
    assert contents(folder) == before


def test_json_is_last_on_standard_output_for_errors_too(folder: Path) -> None:
    done = command("--describe", "empty.md", "--json", folder=folder)
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["status"] == "error"
    assert told["exit_code"] == done.returncode == 2
    assert done.stderr == f"error: {told['error']}\n"


def test_tasks_are_listed(folder: Path) -> None:
    done = command("--list-tasks", folder=folder)
    assert done.returncode == 0
    assert "wireless" in done.stdout.splitlines()
    done = command("--list-tasks", "--json", folder=folder)
    assert "wireless" in json.loads(done.stdout)["tasks"]


def test_what_the_terminal_cannot_show_is_still_told(folder: Path) -> None:
    place = os.fsdecode("größer/".encode() + b"\xff")
    for encoding in ("ascii", "utf-8"):
        words = ["--runs", "--checkpoint-db", place]
        done = command(*words, folder=folder, PYTHONIOENCODING=encoding)
        assert (done.returncode, done.stderr) == (0, "")
        assert "\\udcff" in done.stdout


def test_usage_is_answered_without_loading_the_graph(folder: Path) -> None:
    watch = "import sys, graph.run; graph.run.main(sys.argv[1:]); print('langgraph' in sys.modules)"
    for words in (["--list-tasks"], ["--task", "chess"], ["--task", "wireless", "--seed", "-1"]):
        done = subprocess.run(
            [sys.executable, "-c", watch, *words], capture_output=True, text=True, check=True
        )
        assert done.stdout.splitlines()[-1] == "False"
