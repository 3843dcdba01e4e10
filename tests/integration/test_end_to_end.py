"""From a description to a trained policy, with a chat server on loopback as the model.

The server plays what a large model answered when it was recorded; everything else is real:
providers' client libraries, compiler, sandbox, training, evaluation, report.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.catalogue import task_description
from tests.command_line import command
from tests.fake_chat_server import FakeChatServer
from tests.replies import replies_to

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

TASK = "wireless"


def last_json(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The object on the last line of stdout."""
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


RULE = json.dumps(
    {
        "rule": "Serve the user with the best channel.",
        "source": "def heuristic(seen):\n    return int(np.argmax(seen['channel_gain']))",
    }
)


@pytest.mark.parametrize(("protocol", "rule"), [("openai", RULE), ("ollama", None)])
def test_a_description_becomes_a_policy(protocol: str, rule: str | None, tmp_path: Path) -> None:
    (tmp_path / "problem.md").write_text(task_description(TASK))
    asked: list[str] = []
    with FakeChatServer(replies_to(TASK, asked=asked, heuristic=rule)) as server:
        address = server.openai_url if protocol == "openai" else server.ollama_url
        done = command(
            *f"--describe problem.md --model {protocol}:fake-model --base-url {address} "
            "--steps 4000 --time-budget 60 --out run --json".split(),
            folder=tmp_path,
            seconds=300,
            OPENAI_API_KEY="not-a-key",
        )
    assert done.returncode == 0, done.stderr
    told = last_json(done)
    assert told["status"] == "trained"
    assert told["model"]["name"] == f"{protocol}:fake-model"
    assert told["model"]["recorded"] is False
    assert told["mean_return"] >= 0.95 * told["greedy_return"] > told["random_return"]
    assert told["return_interval"][0] <= told["mean_return"] <= told["return_interval"][1]
    assert told["evaluation_episodes"] >= 20
    assert told["tokens"] > 0
    assert [stage["name"] for stage in told["stages"]][-5:] == [
        "executor",
        "heuristic",
        "train",
        "evaluate",
        "report",
    ]
    found = next(stage for stage in told["stages"] if stage["name"] == "heuristic")
    assert found["status"] == ("done" if rule else "skipped")
    assert (tmp_path / "run" / "heuristic.py").exists() is bool(rule)
    if rule:
        assert told["heuristic_return"] >= 0.95 * told["greedy_return"]
        assert "heuristic (rule of thumb)" in (tmp_path / "run" / "report.html").read_text()
    agents = "parameter objective variable constraint modeling sar environment heuristic"
    assert list(dict.fromkeys(asked)) == agents.split()
    run = tmp_path / "run"
    for name in ("spec.json", "spec.md", "environment.py", "train.py", "policy.zip",
                 "evaluation.json", "report.html", "llm_calls.jsonl", "events.jsonl"):  # fmt: skip
        assert (run / name).stat().st_size > 0, name


def test_the_recording_alone_gives_the_demo(tmp_path: Path) -> None:
    done = command(
        *f"--task {TASK} --model recorded --steps 3000 --time-budget 60 --out run --json".split(),
        folder=tmp_path,
        seconds=300,
    )
    assert done.returncode == 0, done.stderr
    told = last_json(done)
    assert told["model"]["recorded"] is True
    assert "recorded" in told["model"]["name"]
    assert told["mean_return"] >= 0.95 * told["greedy_return"]
    assert "recorded" in (tmp_path / "run" / "report.html").read_text()


def test_the_training_program_runs_by_itself(tmp_path: Path) -> None:
    done = command(
        *f"--task {TASK} --model recorded --steps 300 --time-budget 30 --out run --json".split(),
        folder=tmp_path,
        seconds=300,
    )
    assert done.returncode in (0, 1), done.stderr
    run = tmp_path / "run"
    alone = subprocess.run(
        [sys.executable, "train.py"], cwd=run, capture_output=True, text=True, timeout=200
    )
    assert alone.returncode == 0, alone.stderr
    assert (run / "retrained" / "policy.zip").stat().st_size > 0
    kept = json.loads((run / "training_result.json").read_text())["policy_sha256"]
    assert f"policy {kept}" in alone.stdout.splitlines()
