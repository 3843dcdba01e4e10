"""Runs as processes of their own that ask a person: at a terminal, and by the resume command."""

import hashlib
import json
import os
import pty
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import COMMAND, command, environment
from tests.fake_chat_server import FakeChatServer
from tests.replies import replies_to

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

TASK = "wireless"
BRIEF = "--steps 20 --time-budget 2 --no-heuristic"
BEGIN = f"--task {TASK} --model recorded --approve spec {BRIEF} --out run --json".split()


class Terminal:
    """What a person sees of a process and types to it."""

    def __init__(self, master: int) -> None:
        self._master = master
        self.seen = ""

    def wait_for(self, words: str) -> None:
        """Read until ``words`` have come since the last time."""
        new = ""
        while words not in new:
            new += os.read(self._master, 65_536).decode(errors="replace")
        self.seen += new

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())


@contextmanager
def at_a_terminal(folder: Path, *words: str) -> Iterator[tuple[Terminal, subprocess.Popen[str]]]:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *words],
        cwd=folder,
        env=environment(folder),
        stdin=slave,
        stderr=slave,
        stdout=subprocess.PIPE,
        text=True,
    )
    os.close(slave)
    try:
        yield Terminal(master), process
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
        os.close(master)


def told(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert "Traceback" not in done.stderr
    outcome = json.loads(done.stdout.splitlines()[-1])
    assert isinstance(outcome, dict)
    return outcome


def test_a_person_at_the_terminal_is_asked_until_the_answer_can_be_followed(
    tmp_path: Path,
) -> None:
    with at_a_terminal(tmp_path, *BEGIN) as (terminal, process):
        terminal.wait_for("answer> ")
        assert "Does the specification say what is meant?" in terminal.seen
        for typed, says in {
            "\n": "The answer is empty",
            "no\n": "Say what is wrong with it",
            "edit: missing.json\n": "There is no plain file missing.json",
        }.items():
            terminal.type(typed)
            terminal.wait_for("answer> ")
            assert says in terminal.seen
        terminal.type("\x04")
        output, _ = process.communicate(timeout=200)
    outcome = json.loads(output.splitlines()[-1])
    assert (process.returncode, outcome["status"]) == (3, "waiting")

    thread_id, spec = outcome["thread_id"], tmp_path / "run" / "spec.json"
    changed = re.sub(r'"value": 10\.0', '"value": 20.0', spec.read_text())
    (tmp_path / "changed.json").write_text(changed)
    words = f"--resume {thread_id} --answer-file changed.json --approve spec,code --json"
    done = command(*words.split(), folder=tmp_path, seconds=200)
    assert told(done)["question"]["kind"] == "approve_code"
    assert f"--resume {thread_id} --answer" in done.stderr
    assert json.loads(spec.read_text()) == json.loads(changed)
    assert "20" in (tmp_path / "run" / "environment.py").read_text()

    done = command(
        "--resume", thread_id, "--answer-file", "changed.json", folder=tmp_path, seconds=200
    )
    assert done.returncode == 3
    assert "The answer was not taken." in done.stderr

    program = (tmp_path / "run" / "environment.py").read_text()
    mine = tmp_path / "mine.py"
    mine.write_text(f"import os\n{program}\nos.mkdir('{tmp_path}/outside')\n")
    words = f"--resume {thread_id} --answer-file mine.py --json"
    done = command(*words.split(), folder=tmp_path, seconds=200)
    question = told(done)["question"]
    assert question["kind"] == "approve_code"
    assert "import of os is not allowed" in question["shown"][1]["text"]
    assert not (tmp_path / "outside").exists()
    mine.write_text(program + "# by hand\n")
    words += " --approve spec,code,policy"
    done = command(*words.split(), folder=tmp_path, seconds=200)
    assert told(done)["question"]["kind"] == "approve_policy", done.stderr
    done = command("--resume", thread_id, "--answer", "ok", "--json", folder=tmp_path, seconds=200)
    assert told(done)["status"] in ("trained", "no_better_policy")
    report = (tmp_path / "run" / "report.html").read_text()
    assert hashlib.sha256(mine.read_bytes()).hexdigest() in report
    assert "a person edited it" in report


def test_a_remark_reaches_the_agents_that_it_concerns(tmp_path: Path) -> None:
    asked: list[str] = []
    with FakeChatServer(replies_to(TASK, asked=asked)) as server:
        key = {"OPENAI_API_KEY": "no-key"}
        words = f"--task {TASK} --model openai:fake --base-url {server.openai_url} --out run --json"
        done = command(*words.split(), "--approve", "spec", folder=tmp_path, seconds=200, **key)
        outcome = told(done)
        assert done.returncode == 3, done.stderr
        first, before = list(asked), len(server.prompts())
        for remark, agents in {
            "The reward lacks what it costs.": ["sar"],
            "send back parameter: The bandwidth is 20 MHz.": first,
        }.items():
            asked.clear()
            resume = ["--resume", outcome["thread_id"], "--answer", remark, "--json"]
            done = command(*resume, folder=tmp_path, seconds=200, **key)
            assert told(done)["question"]["kind"] == "approve_spec", done.stderr
            assert asked == agents
            prompts, before = server.prompts()[before:], len(server.prompts())
            assert all(remark.rpartition(": ")[2] in prompt for prompt in prompts)
    assert told(done)["stages"][-1]["name"] == "executor"
