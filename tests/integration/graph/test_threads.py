"""Threads across processes: stopping, refusing, going on."""

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import COMMAND, command, environment
from tests.fake_chat_server import Fail, FakeChatServer, Hang, scripted

KEY = {"OPENAI_API_KEY": "no-key"}


@pytest.fixture
def refusing() -> Iterator[FakeChatServer]:
    with FakeChatServer(scripted(Fail(401, "wrong key", code="invalid_api_key"))) as server:
        yield server


def words_for(server: FakeChatServer) -> list[str]:
    return ["--model", "openai:fake", "--base-url", server.openai_url, "--json"]


def told(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    outcome = json.loads(done.stdout.splitlines()[-1])
    assert isinstance(outcome, dict)
    assert outcome["exit_code"] == done.returncode
    assert "Traceback" not in done.stderr
    return outcome


def stopped_at_the_model(server: FakeChatServer, folder: Path) -> dict[str, Any]:
    done = command("--task", "wireless", *words_for(server), folder=folder, **KEY)
    outcome = told(done)
    assert done.returncode == 4
    return outcome


def test_refused_key_ends_the_run_and_keeps_the_thread(
    refusing: FakeChatServer, tmp_path: Path
) -> None:
    outcome = stopped_at_the_model(refusing, tmp_path)
    assert outcome["status"] == "model_failed"
    assert [entry["name"] for entry in outcome["stages"]] == ["intake"]
    assert outcome["model"]["name"] == "openai:fake"
    assert Path(outcome["run_folder"]).is_dir()
    done = command("--resume", outcome["thread_id"], "--json", folder=tmp_path, **KEY)
    assert told(done)["thread_id"] == outcome["thread_id"]
    assert "at triage" in done.stderr
    assert len(refusing.requests) == 2


def test_thread_is_refused_under_anything_else(refusing: FakeChatServer, tmp_path: Path) -> None:
    thread_id = stopped_at_the_model(refusing, tmp_path)["thread_id"]
    for words, difference in {
        ("--seed", "3"): "--seed was 0 and is now 3",
        ("--steps", "9"): "--steps was not given and is now 9",
        ("--model", "openai:other"): "--model was openai:fake and is now openai:other",
    }.items():
        done = command("--resume", thread_id, *words, "--json", folder=tmp_path, **KEY)
        outcome = told(done)
        assert done.returncode == 2
        assert f"thread {thread_id} cannot go on: {difference};" in outcome["error"]
    assert len(refusing.requests) == 1


def test_server_may_have_moved_and_tokens_may_be_added(
    refusing: FakeChatServer, tmp_path: Path
) -> None:
    thread_id = stopped_at_the_model(refusing, tmp_path)["thread_id"]
    with FakeChatServer(refusing.reply) as moved:
        words = ["--base-url", moved.openai_url, "--max-tokens", "100000", "--json"]
        assert told(command("--resume", thread_id, *words, folder=tmp_path, **KEY))
        assert len(moved.requests) == 1


def test_vanished_run_folder_is_told(refusing: FakeChatServer, tmp_path: Path) -> None:
    outcome = stopped_at_the_model(refusing, tmp_path)
    Path(outcome["run_folder"]).rename(tmp_path / "elsewhere")
    done = command("--resume", outcome["thread_id"], folder=tmp_path, **KEY)
    assert done.returncode == 2
    assert "is gone" in done.stderr


@pytest.mark.parametrize(
    ("sign", "code"),
    [
        (signal.SIGINT, 130),
        (signal.SIGTERM, 130),
        (signal.SIGHUP, 130),
        (signal.SIGKILL, -signal.SIGKILL),
    ],
)
def test_stopped_process_leaves_a_thread_that_goes_on(
    sign: signal.Signals, code: int, tmp_path: Path
) -> None:
    with FakeChatServer(scripted(Hang(30), Fail(401, "wrong key"))) as server:
        process = subprocess.Popen(
            [*COMMAND, "--task", "wireless", *words_for(server)],
            cwd=tmp_path,
            env=environment(tmp_path, **KEY),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # A test runner in the background may ignore SIGINT, and its children with it.
            preexec_fn=lambda: (
                signal.signal(sign, signal.SIG_DFL) if sign != signal.SIGKILL else None
            ),
        )
        deadline = time.monotonic() + 60
        while not server.requests and time.monotonic() < deadline:
            time.sleep(0.05)
        assert server.requests
        stopped = time.monotonic()
        process.send_signal(sign)
        output, errors = process.communicate(timeout=20)
        assert time.monotonic() - stopped < 15
        assert process.returncode == code
        assert "Traceback" not in errors
        if sign != signal.SIGKILL:
            outcome = json.loads(output)
            assert outcome["status"] == "interrupted"
            assert outcome["resume"] in errors
        thread_id = next(
            line.split()[1] for line in errors.splitlines() if line.startswith("thread:")
        )
        done = command("--resume", thread_id, "--json", folder=tmp_path, **KEY)
        assert told(done)["status"] == "model_failed"
        assert [entry["name"] for entry in told(done)["stages"]] == ["intake"]
