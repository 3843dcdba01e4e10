"""Runs that are killed, again and again, and come to the same end as one that was left alone."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from nodes.models.journal import read_journal
from state.training import Evaluation
from tests.command_line import COMMAND, environment
from tests.fake_chat_server import FakeChatServer, Hang
from tests.small_problem import ANSWERS, DESCRIPTION, replies

KEY = {"OPENAI_API_KEY": "no-key"}
MOST_PROCESSES = 120
SHORT = "--correct parameter --algorithm dqn --steps 300 --time-budget 60 --json"
SAME_FILES = ("spec.json", "spec.md", "environment.py", "heuristic.py", "policy_setup.json")


def run(folder: Path, *words: str, driver: list[str] = COMMAND) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*driver, *words],
        cwd=folder,
        env=environment(folder, **KEY),
        capture_output=True,
        text=True,
        timeout=120,
    )


def result_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def made(told: dict[str, Any]) -> dict[str, Any]:
    """All that two runs of the same seed and the same replies must have in common."""
    folder = Path(told["run_folder"])
    evaluation = Evaluation.model_validate_json((folder / "evaluation.json").read_bytes())
    training = json.loads((folder / "training_result.json").read_text())
    same = ("status", "exit_code", "algorithm", "tokens", "mean_return", "account", "cost")
    return {
        **{name: (folder / name).read_text() for name in SAME_FILES},
        **{name: told[name] for name in same},
        "stages": [(stage["name"], stage["status"]) for stage in told["stages"]],
        "policy": training["policy_sha256"],
        # Looking ahead takes as many episodes as its time allows, so its return is left out.
        "evaluation": [evaluation.trained, *map(evaluation.baseline, ("random", "heuristic"))],
    }


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_run_killed_in_and_after_every_node_ends_as_if_it_had_been_left_alone(
    tmp_path: Path,
) -> None:
    (tmp_path / "problem.md").write_text(DESCRIPTION)
    asked: dict[str, list[str]] = {"alone": [], "killed": []}
    prompts: dict[str, list[str]] = {}
    told: dict[str, dict[str, Any]] = {}
    moments = tmp_path / "moments"
    killer = [sys.executable, "-m", "tests.killed_run", str(moments)]
    for name, driver in (("alone", COMMAND), ("killed", killer)):
        # A first answer that is none makes a node of two calls.
        answers = replies(asked[name], parameter=["I do not know.", ANSWERS["parameter"]])
        with FakeChatServer(answers) as server:
            words = ["--model", "openai:fake", "--base-url", server.openai_url, *SHORT.split()]
            done = run(tmp_path, "--describe", "problem.md", *words, driver=driver)
            processes = 1
            thread = re.search(r"^thread: (\S+)$", done.stderr, re.M)
            assert thread is not None, done.stderr
            while done.returncode == -signal.SIGKILL and processes < MOST_PROCESSES:
                done = run(tmp_path, "--resume", thread[1], "--json", driver=driver)
                processes += 1
            told[name] = result_of(done)
            prompts[name] = server.prompts()
    assert made(told["killed"]) == made(told["alone"])
    assert asked["killed"] == asked["alone"]
    assert prompts["killed"] == prompts["alone"]
    replied = [
        (line.agent, line.ordinal)
        for line in read_journal(Path(told["killed"]["run_folder"]) / "llm_calls.jsonl")
    ]
    assert len(set(replied)) == len(replied) == len(asked["alone"])
    killed_at = moments.read_text().splitlines()
    nodes = [stage["name"] for stage in told["alone"]["stages"]]
    assert processes == len(killed_at) + 1
    assert sum(moment.startswith("in node ") for moment in killed_at) == len(nodes)
    assert sum("checkpoint of step" in moment for moment in killed_at) == len(nodes) + 2
    assert sum(moment.startswith("after reply ") for moment in killed_at) == len(replied)
    for program in ("check", "check_heuristic", "evaluate"):
        assert f"while {program} works" in killed_at
    assert any(moment.startswith("in training") for moment in killed_at)


@pytest.mark.timeout(600)
def test_of_two_processes_that_go_on_with_one_thread_one_says_so(tmp_path: Path) -> None:
    (tmp_path / "problem.md").write_text(DESCRIPTION)
    with FakeChatServer(replies(objective=["none", "none", "none", Hang(500)])) as server:
        words = ["--model", "openai:fake", "--base-url", server.openai_url]
        words += ["--no-error-correction", "--json"]
        done = run(tmp_path, "--describe", "problem.md", *words)
        thread_id = json.loads(done.stdout)["thread_id"]
        both = [
            subprocess.Popen(
                [*COMMAND, "--resume", thread_id, "--json"],
                cwd=tmp_path,
                env=environment(tmp_path, **KEY),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for _ in range(2)
        ]
        try:
            deadline = time.monotonic() + 200
            while all(process.poll() is None for process in both) and time.monotonic() < deadline:
                time.sleep(0.05)
            (loser,) = (process for process in both if process.poll() is not None)
            (winner,) = (process for process in both if process is not loser)
            output, errors = loser.communicate(timeout=50)
            assert loser.returncode == 2
            assert "is being run by another process" in errors
            assert json.loads(output)["exit_code"] == 2
            listed = run(tmp_path, "--runs", "--json")
            assert [t["status"] for t in json.loads(listed.stdout)["threads"]] == ["running"]
            winner.send_signal(signal.SIGINT)
            output, _ = winner.communicate(timeout=50)
            assert json.loads(output)["status"] == "interrupted"
        finally:
            for process in both:
                process.kill()
                process.communicate()
