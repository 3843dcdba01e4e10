"""Threads in a real PostgreSQL server: all that works in SQLite works there."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from graph.checkpoint import async_saver, store_at
from graph.store import StoreFailure, ThreadBusy
from graph.stored import config_of
from tests.command_line import command
from tests.fake_chat_server import FakeChatServer
from tests.postgres_server import missing, postgres_server
from tests.quick_runs import QuickRuns, quick_runs
from tests.small_problem import PARAMETERS, replies

pytest.importorskip("langgraph.checkpoint.postgres", reason="the extra [postgres] is missing")
pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "PostgreSQL is there")

HOLDER = """
import sys
from graph.checkpoint import store_at
with store_at(sys.argv[1]).open() as store, store.lock(sys.argv[2]):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with postgres_server() as address:
        yield address


@pytest.fixture
def runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[QuickRuns]:
    plan = {
        "changes": [{"piece": "parameter", "reason": "r", "instruction": "i"}], "nothing": ""
    }  # fmt: skip
    other = {"parameters": [{**PARAMETERS[0], "value": 2}, *PARAMETERS[1:]], "assumed": []}
    answers = replies(parameter=[{"parameters": PARAMETERS, "assumed": []}, other], revise=plan)
    with quick_runs(tmp_path, monkeypatch, capsys, FakeChatServer(answers)) as made:
        yield made


def test_runs_are_kept_listed_forked_and_revised(url: str, runs: QuickRuns) -> None:
    place = ["--checkpoint-db", url]
    old = runs.begin(*place)
    assert old["status"] == "trained"
    assert not list(runs.folder.rglob("*.sqlite"))
    listed = runs.told("--runs", *place)["threads"]
    assert [t["thread_id"] for t in listed] == [old["thread_id"]]
    short = old["thread_id"][:8]
    assert runs.told("--show", short, *place)["thread"] == listed[0]
    steps = runs.told("--history", short, *place)["steps"]
    step = next(s["step"] for s in steps if s["node"] == "heuristic")
    forked = runs.told("--fork", short, "--at", str(step), *place)
    assert forked["mean_return"] == old["mean_return"]
    revised = runs.told("--revise", short, "It costs 2 euro instead of 3.", *place)
    spec = json.loads((Path(revised["run_folder"]) / "spec.json").read_text())
    assert spec["parameters"][0]["value"] == 2
    assert runs.told("--history", short, *place)["steps"] == steps
    assert runs.told("--resume", forked["thread_id"], *place)["status"] == "trained"
    assert len(runs.told("--runs", *place)["threads"]) == 3


def test_command_that_resumes_names_the_place_without_its_password(
    url: str, runs: QuickRuns
) -> None:
    runs.server.reply = replies(objective=["none"])
    words = ["--model", "openai:fake", "--base-url", runs.server.openai_url]
    words += ["--unsafe-no-sandbox", "--checkpoint-db", url]
    told = runs.told("--describe", "problem.md", *words, code=4)
    assert " --checkpoint-db postgresql://me@/postgres" in told["resume"]
    assert "word" not in told["resume"]


def test_thread_is_run_by_one_process_and_let_go_by_a_killed_one(url: str) -> None:
    thread_id = str(uuid4())
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, url, thread_id],
        cwd=Path(__file__).parents[3],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with store_at(url).open() as store:
            with pytest.raises(ThreadBusy, match="another process"), store.lock(thread_id):
                pass
            with store.lock(str(uuid4())):
                holder.kill()
                holder.wait()
    for _ in range(50):
        try:
            with store_at(url).open() as store, store.lock(thread_id):
                return
        except ThreadBusy:
            continue
    raise AssertionError("the lock of a killed process is still held")


def test_server_reads_what_the_command_line_wrote(
    url: str, runs: QuickRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread_id = runs.begin("--checkpoint-db", url)["thread_id"]
    monkeypatch.setenv("A_LAMP_CHECKPOINTS", url)

    async def title() -> object:
        async with async_saver() as saver:
            found = await saver.aget_tuple(config_of(thread_id))
        assert found is not None
        return found.checkpoint["channel_values"]["title"]

    assert asyncio.run(title()) == "Trays of rolls"


def test_server_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    place = f"postgresql://me:word@/postgres?host={tmp_path}"
    with pytest.raises(StoreFailure, match="start the server, mend the address") as caught:
        store_at(place).open().__enter__()
    assert "word@" not in str(caught.value)
    done = command("--runs", "--checkpoint-db", place, folder=tmp_path)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "cannot keep threads in postgresql://me@/postgres" in done.stderr


def test_missing_driver_is_told_with_the_command_that_brings_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreFailure, match=r"pip install 'a-lamp\[postgres\]'"):
        store_at("postgresql://host/x").open().__enter__()
