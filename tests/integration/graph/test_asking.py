"""The command line, where a description leaves something open or is none."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import command
from tests.fake_chat_server import Answer, Fail, FakeChatServer
from tests.replies import agent_of, good_problem, replies_to, sure_of_all

TASK = "inventory-management"
POINT = {
    "item": "holding_cost", "why": "unclear", "question": "When are units counted?",
    "choices": ["before", "after"], "assumption": "after the sales",
}  # fmt: skip


def open_in_the_parameters(messages: list[dict[str, Any]], schema: dict[str, Any] | None) -> Answer:
    """The recorded parameters, of which the reviewer finds one open; nobody else answers."""
    assert schema is not None
    agent = agent_of(schema)
    if agent == "review":
        return json.dumps({**json.loads(sure_of_all(schema)), "open": [POINT]})
    if agent in ("triage", "parameter"):
        return replies_to(TASK)(messages, schema)
    return Fail(401, "wrong key")


def no_problem(messages: list[dict[str, Any]], schema: dict[str, Any] | None) -> Answer:
    """A verdict against any description."""
    told = {"verdict": "prediction task", "wrong": "Sales are forecast.", "would_help": "a goal"}
    return json.dumps({**json.loads(good_problem({})), **told})


@pytest.fixture
def server() -> Iterator[FakeChatServer]:
    with FakeChatServer(open_in_the_parameters) as server:
        yield server


def run(server: FakeChatServer, folder: Path, *words: str) -> tuple[dict[str, Any], str]:
    """The object that ``--json`` prints, and what was said on stderr."""
    begun = "--resume" in words
    model = ["--base-url", server.openai_url, *([] if begun else ["--model", "openai:fake"])]
    task = [] if begun else ["--task", TASK]
    done: subprocess.CompletedProcess[str] = command(
        *task, *model, *words, "--json", folder=folder, OPENAI_API_KEY="no-key"
    )
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["exit_code"] == done.returncode
    assert "Traceback" not in done.stderr
    return told, done.stderr


def test_a_question_waits_for_its_answer(server: FakeChatServer, tmp_path: Path) -> None:
    told, said = run(server, tmp_path)
    assert (told["status"], told["exit_code"]) == ("waiting", 3)
    assert told["question"]["text"] == POINT["question"]
    for shown in ("When are units counted?", "- before", "after the sales", told["resume"]):
        assert shown in said
    told, said = run(server, tmp_path, "--resume", told["thread_id"], "--answer", "before")
    assert told["status"] == "model_failed"
    assert [stage["name"] for stage in told["stages"]][-2:] == ["clarify", "parameter"]


@pytest.mark.parametrize("words", [["--clarify", "assume"], ["--no-error-correction"]])
def test_nobody_has_to_be_asked(server: FakeChatServer, tmp_path: Path, words: list[str]) -> None:
    told, _ = run(server, tmp_path, *words)
    assert told["status"] == "model_failed"
    names = [stage["name"] for stage in told["stages"]]
    assert names[-1] == ("clarify" if "assume" in words else "parameter")


def test_a_run_may_end_with_its_question(server: FakeChatServer, tmp_path: Path) -> None:
    told, said = run(server, tmp_path, "--clarify", "fail")
    assert (told["status"], told["exit_code"]) == ("unclear", 2)
    assert "leaves something open: When are units counted? (before / after)" in told["account"]
    assert told["resume"] in said
    told, _ = run(server, tmp_path, "--resume", told["thread_id"], "--clarify", "ask")
    assert told["status"] == "waiting"


def test_what_is_no_problem_is_turned_away_and_told_so_again(tmp_path: Path) -> None:
    with FakeChatServer(no_problem) as server:
        told, said = run(server, tmp_path)
        assert (told["status"], told["exit_code"]) == ("turned_away", 2)
        assert "asks for a prediction, not for decisions: Sales are forecast." in said
        assert "What would help: a goal." in told["account"]
        assert len(server.requests) == 2
        again, _ = run(server, tmp_path, "--resume", told["thread_id"])
        assert (again["status"], again["account"]) == ("turned_away", told["account"])
        assert len(server.requests) == 2
