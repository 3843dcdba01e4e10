"""What LangGraph Studio does, done to a real development server; and runs that change places."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from benchmarks.catalogue import task_description
from tests.command_line import command

pytest.importorskip("langgraph_api", reason="the development server is not installed: .[studio]")

from langgraph_sdk.client import SyncLangGraphClient

from tests.studio_server import studio_server

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

TASK = "wireless"
CHOICES = {"algorithm": "dqn", "steps": 20, "time_budget": 2.0, "no_heuristic": True}
OPTIONS = "--algorithm dqn --steps 20 --time-budget 2 --no-heuristic"


@dataclass
class Studio:
    """A server, and a terminal that keeps its threads in the same file."""

    client: SyncLangGraphClient
    folder: Path

    @property
    def context(self) -> dict[str, Any]:
        out = str(self.folder / "runs")
        return {"model": "recorded", "task": TASK, "approve": "spec,code", "out": out, **CHOICES}

    def begin(self, description: str) -> str:
        thread_id = str(self.client.threads.create()["thread_id"])
        self.run(thread_id, input={"description": description})
        return thread_id

    def run(self, thread_id: str, **what: Any) -> Any:
        return self.client.runs.wait(thread_id, "a-lamp", context=self.context, **what)

    def answer(self, thread_id: str, answer: Any) -> Any:
        return self.run(thread_id, command={"resume": answer})

    def waits_at(self, thread_id: str) -> str:
        """The node whose question is pending."""
        state = self.client.threads.get_state(thread_id)
        (interrupt,) = state["interrupts"]
        assert interrupt["value"]["kind"] == state["next"][0]
        return str(state["next"][0])

    def terminal(self, *words: str) -> tuple[int, dict[str, Any]]:
        done = command(
            *words, "--json",
            folder=self.folder, seconds=200, A_LAMP_CHECKPOINTS=str(self.folder / "c.sqlite"),
        )  # fmt: skip
        assert "Traceback" not in done.stderr
        told = json.loads(done.stdout.splitlines()[-1])
        assert isinstance(told, dict)
        return done.returncode, told


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    folder = tmp_path_factory.mktemp("studio")
    with studio_server(folder, folder / "c.sqlite") as client:
        yield Studio(client, folder)


def test_a_run_in_studio_and_its_end_in_the_terminal(studio: Studio) -> None:
    thread_id = studio.begin(task_description(TASK))
    assert studio.waits_at(thread_id) == "approve_spec"
    question = studio.client.threads.get_state(thread_id)["interrupts"][0]["value"]
    assert "does the specification" in question["text"].lower()
    assert "Shannon" in question["shown"][0]["text"]

    for bad, why in {
        "  ": "The answer is empty",
        "send back nobody: x": "no agent 'nobody'",
    }.items():
        with pytest.raises(Exception, match=why):
            studio.answer(thread_id, bad)
        assert studio.waits_at(thread_id) == "approve_spec"
    with pytest.raises(Exception, match="not a list"):
        studio.answer(thread_id, ["approve"])
    assert studio.waits_at(thread_id) == "approve_spec"

    studio.answer(thread_id, "approve")
    assert studio.waits_at(thread_id) == "approve_code"
    history = studio.client.threads.get_history(thread_id, limit=50)
    went = [step["next"][0] for step in reversed(history)]
    assert went[:2] == ["__start__", "intake"]
    assert went[-4:] == ["coding", "executor", "approve_spec", "approve_code"]

    earlier = next(step for step in history if step["next"] == ["coding"])
    fork = studio.client.threads.update_state(
        thread_id, {"title": "forked"}, checkpoint=earlier["checkpoint"]
    )
    studio.run(thread_id, input=None, checkpoint=fork["checkpoint"])
    state = studio.client.threads.get_state(thread_id)
    # Another title makes another specification, which nobody has approved.
    assert state["values"]["title"] == "forked"
    assert studio.waits_at(thread_id) == "approve_spec"

    for answer in ([], ["--answer", "approve"]):
        code, told = studio.terminal("--resume", thread_id, *answer)
        assert (code, told["status"]) == (3, "waiting")
        assert told["question"]["kind"] == ("approve_code" if answer else "approve_spec")
    code, told = studio.terminal("--resume", thread_id, "--answer", "approve")
    assert told["status"] in ("trained", "no_better_policy")
    assert told["stages"][-1]["name"] == "report"
    assert studio.client.threads.get_state(thread_id)["next"] == []


def test_a_run_in_the_terminal_and_its_end_in_studio(studio: Studio) -> None:
    words = f"--task {TASK} --model recorded --approve spec,code {OPTIONS} --out begun-here"
    code, told = studio.terminal(*words.split())
    assert (code, told["status"]) == (3, "waiting")
    thread_id = told["thread_id"]

    studio.client.threads.create(thread_id=thread_id, metadata={"graph_id": "a-lamp"})
    assert studio.waits_at(thread_id) == "approve_spec"
    with pytest.raises(Exception, match="Say what is wrong"):
        studio.answer(thread_id, "no")
    studio.answer(thread_id, "yes")
    assert studio.waits_at(thread_id) == "approve_code"
    ended = studio.answer(thread_id, "ok")
    assert ended["run_folder"] == str(studio.folder / "begun-here")
    assert ended["stages"][-1]["name"] == "report"
    assert (studio.folder / "begun-here" / "report.html").is_file()

    code, told = studio.terminal("--resume", thread_id)
    assert (code, told["status"]) in [(0, "trained"), (1, "no_better_policy")]
