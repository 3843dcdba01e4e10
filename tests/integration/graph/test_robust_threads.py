"""What is broken, foreign or closed is told in one sentence, and a better text is taken."""

import json
import os
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from graph.build import builder
from graph.sqlite_store import SqliteStore
from graph.stored import config_of
from state.run_state import RunState
from tests.command_line import COMMAND, command, environment
from tests.fake_chat_server import FakeChatServer
from tests.quick_runs import QuickRuns, Start
from tests.small_problem import DESCRIPTION, replies

LARGEST_VALUE = 64_000
LARGEST_FILE = 100_000


LOOKS = (["--show"], ["--history"], ["--resume"], ["--revise"], ["--fork"])
MORE = {"--revise": ["The shelf is smaller."], "--fork": ["--at", "3"]}


def every_command(runs: QuickRuns, given: str) -> Iterator[tuple[int, str, str]]:
    """What each command that takes the id of a thread makes of ``given``."""
    for option in LOOKS:
        yield runs.run(*option, given, *MORE.get(option[0], []))


def one_sentence(told: tuple[int, str, str], says: str) -> None:
    code, output, errors = told
    assert (code, output) == (2, "")
    assert len(errors.splitlines()) == 1, errors
    assert errors.startswith("error: ")
    assert says in errors


def change(runs: QuickRuns, statement: str) -> None:
    with closing(sqlite3.connect(runs.folder / "runs/checkpoints.sqlite")) as database:
        database.execute(statement)
        database.commit()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE checkpoints SET checkpoint = x'00'",
        "UPDATE checkpoints SET checkpoint = substr(checkpoint, 1, 100)",
        "UPDATE checkpoints SET checkpoint = NULL",
        "UPDATE checkpoints SET checkpoint = 'text'",
        "UPDATE checkpoints SET type = 'pickle'",
        "UPDATE checkpoints SET type = 'msgpack+rot13'",
        "UPDATE checkpoints SET type = NULL",
        "UPDATE checkpoints SET metadata = '{'",
        "UPDATE checkpoints SET metadata = replace(metadata, 'graph_version', 'graph')",
    ],
)
def test_broken_rows_are_told_by_every_command(start: Start, statement: str) -> None:
    runs = start()
    thread_id = runs.begin()["thread_id"]
    change(runs, statement)
    for told in every_command(runs, thread_id):
        one_sentence(told, "cannot be read")
    listed = runs.told("--runs")["threads"]
    assert [(t["thread_id"], t["status"]) for t in listed] == [(thread_id, "unreadable")]


def test_missing_table_is_told(start: Start) -> None:
    runs = start()
    thread_id = runs.begin()["thread_id"]
    change(runs, "ALTER TABLE checkpoints RENAME COLUMN metadata TO other")
    for told in every_command(runs, thread_id):
        one_sentence(told, "cannot be read")


def test_unknown_and_ambiguous_ids_are_told(start: Start) -> None:
    runs = start()
    first = runs.begin()["thread_id"]
    for told in every_command(runs, str(uuid4())):
        one_sentence(told, "there is no thread")
    other = first[:12] + ("0" if first[12] != "0" else "1") + first[13:]
    copy = f"SELECT '{other}', checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint"
    change(runs, f"INSERT INTO checkpoints {copy}, metadata FROM checkpoints")
    for told in every_command(runs, first[:8]):
        one_sentence(told, f"several threads begin with {first[:8]}")
    assert runs.told("--show", other[:13])["thread"]["thread_id"] == other


def test_file_that_is_no_database_is_told(start: Start) -> None:
    runs = start()
    (runs.folder / "runs").mkdir()
    (runs.folder / "runs/checkpoints.sqlite").write_text("no database " * 1000)
    for told in [*every_command(runs, "abcd1234"), runs.run("--runs")]:
        one_sentence(told, "cannot keep threads in runs/checkpoints.sqlite")


def test_thread_that_a_server_began_is_told(start: Start) -> None:
    runs = start()
    thread_id = str(uuid4())
    with SqliteStore(runs.folder / "runs/checkpoints.sqlite").open() as store:
        app = builder.compile(checkpointer=store.saver)
        beginning = RunState(description=DESCRIPTION, run_folder=str(runs.folder))
        app.update_state(config_of(thread_id), dict(beginning), as_node="intake")
    for option in (["--resume"], ["--revise"], ["--fork"]):
        told = runs.run(*option, thread_id, *MORE.get(option[0], []))
        one_sentence(told, "was not begun by this command")
    assert runs.told("--show", thread_id)["settings"] == {}
    assert runs.told("--runs")["threads"][0]["status"] == "stopped"


def test_thread_of_another_version_of_the_graph_is_told(start: Start) -> None:
    runs = start()
    thread_id = runs.begin()["thread_id"]
    version = r"UPDATE checkpoints SET metadata = replace(metadata, 'graph_version\":\"', "
    change(runs, version + r"'graph_version\":\"0')")
    one_sentence(runs.run("--resume", thread_id), "the graph has changed from version 0")
    for option in (["--revise"], ["--fork"]):
        told = runs.run(*option, thread_id, *MORE[option[0]])
        one_sentence(told, "was made by version 0")


def verdict(good: bool) -> str:
    words = dict.fromkeys(("decided", "wanted", "happens"), "something" if good else "nothing")
    said = "sequential decision problem" if good else "no description"
    helps = {"wrong": "" if good else "nothing is decided again and again", "would_help": ""}
    return json.dumps({**words, "verdict": said, **helps})


def test_better_description_goes_on_in_the_thread_that_was_turned_away(start: Start) -> None:
    runs = start(triage=[verdict(good=False), verdict(good=False), verdict(good=True)])
    (runs.folder / "first.md").write_text("Yesterday the baker went to the sea and swam.")
    words = ["--model", "openai:fake", "--base-url", runs.server.openai_url]
    words += ["--no-error-correction", "--unsafe-no-sandbox"]
    away = runs.told("--describe", "first.md", *words, code=2)
    assert away["status"] == "turned_away"
    resume = ["--resume", away["thread_id"][:8]]
    better = runs.told(*resume, "--describe", "problem.md")
    assert (better["status"], better["thread_id"]) == ("trained", away["thread_id"])
    assert better["run_folder"] == away["run_folder"]
    assert better["tokens"] == away["tokens"] + 120 * 9
    assert runs.told("--show", better["thread_id"])["thread"]["title"] == "Trays of rolls"
    one_sentence(runs.run(*resume, "--describe", "first.md"), "the description of the task has")
    assert runs.told(*resume, "--describe", "problem.md")["status"] == "trained"


@pytest.mark.parametrize(
    "words", [["--runs"], ["--list-tasks"], ["--runs", "--json"], ["--doctor"]]
)
def test_output_that_nobody_takes_is_one_sentence(words: list[str], tmp_path: Path) -> None:
    for target in ("/dev/full", "closed pipe"):
        if target == "/dev/full":
            descriptor = os.open(target, os.O_WRONLY)
        else:
            reading, descriptor = os.pipe()
            os.close(reading)
        done = subprocess.run(
            [*COMMAND, *words],
            cwd=tmp_path,
            env=environment(tmp_path),
            stdout=descriptor,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
        os.close(descriptor)
        assert done.returncode == 2
        assert done.stderr.splitlines() == [
            "error: standard output is closed or full: nobody gets what was asked for"
        ]


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams_do_no_harm(closed: str, tmp_path: Path) -> None:
    (tmp_path / "problem.md").write_text(DESCRIPTION)
    with FakeChatServer(replies(objective="none")) as server:
        words = f"--describe problem.md --model openai:fake --base-url {server.openai_url} --json"
        script = f'exec "$0" -m graph.run {words} --no-error-correction {closed}'
        done = subprocess.run(
            ["/bin/sh", "-c", script, COMMAND[0]],
            cwd=tmp_path,
            env=environment(tmp_path, OPENAI_API_KEY="no-key"),
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert done.returncode == 4
    assert "Traceback" not in done.stderr
    gone = ">&-" in closed.replace("2>&-", "")
    assert done.stdout == "" if gone else json.loads(done.stdout)["status"] == "model_failed"
    threads = json.loads(command("--runs", "--json", folder=tmp_path).stdout)["threads"]
    assert [t["status"] for t in threads] == ["stopped"]


def test_standard_input_that_is_closed_is_an_empty_one(tmp_path: Path) -> None:
    script = 'exec "$0" -m graph.run --describe - <&-'
    done = subprocess.run(
        ["/bin/sh", "-c", script, COMMAND[0]],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
    )
    one_sentence((done.returncode, done.stdout, done.stderr), "the description is empty")


def test_folder_that_no_thread_could_keep_is_refused(start: Start) -> None:
    runs = start()
    model = ["--model", "openai:fake", "--base-url", runs.server.openai_url]
    words = ["--describe", "problem.md", *model, "--unsafe-no-sandbox"]
    told = runs.run(*words, "--out", os.fsdecode(b"na\xefve/run"))
    one_sentence(told, "is no UTF-8 text")
    assert [place.name for place in runs.folder.iterdir()] == ["problem.md"]


def test_run_goes_on_when_nobody_reads_its_progress(tmp_path: Path) -> None:
    (tmp_path / "problem.md").write_text(DESCRIPTION)
    reading, writing = os.pipe()
    os.close(reading)
    with FakeChatServer(replies(objective="none")) as server:
        words = ["--describe", "problem.md", "--model", "openai:fake", "--json"]
        done = subprocess.run(
            [*COMMAND, *words, "--base-url", server.openai_url, "--no-error-correction"],
            cwd=tmp_path,
            env=environment(tmp_path, OPENAI_API_KEY="no-key"),
            stdout=subprocess.PIPE,
            stderr=writing,
            text=True,
            timeout=60,
        )
    os.close(writing)
    told = json.loads(done.stdout)
    assert (done.returncode, told["status"]) == (4, "model_failed")
    assert [s["name"] for s in told["stages"]] == ["intake", "triage", "parameter"]


def test_checkpoints_of_a_recorded_run_are_small_and_plain(start: Start) -> None:
    runs = start()
    runs.told("--task", "wireless", "--model", "recorded", "--unsafe-no-sandbox")
    file = runs.folder / "runs/checkpoints.sqlite"
    assert file.stat().st_size < LARGEST_FILE
    checkpoints, plain = 0, JsonPlusSerializer()
    with SqliteStore(file).open() as store:
        for kept in store.saver.list(None):
            checkpoints += 1
            values = kept.checkpoint["channel_values"]
            for name, value in values.items():
                assert len(plain.dumps_typed(value)[1]) < LARGEST_VALUE, name
                assert not list(numpy_in(value)), name
    assert checkpoints > 20


def numpy_in(value: object) -> Iterator[object]:
    """Everything in ``value`` that numpy made."""
    if isinstance(value, (np.generic, np.ndarray)):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from numpy_in(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from numpy_in(item)
    elif hasattr(value, "__dict__"):
        yield from numpy_in(vars(value))
