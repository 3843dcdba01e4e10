"""The coding rounds alone: what the agent is told, and what counts as a repair."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.repairs.__main__ import main
from benchmarks.repairs.rounds import Repair, repair
from benchmarks.repairs.starts import Start, all_starts
from graph.context import RunContext
from tests.fake_chat_server import FakeChatServer, scripted

STARTS = all_starts()
RAISING, SILENT, UNSEEN = (
    STARTS[name] for name in ("power-values-as-places", "power-too-much", "power-dearest-first")
)


@pytest.fixture(name="server")
def _server() -> Iterator[FakeChatServer]:
    with FakeChatServer(scripted("")) as server:
        yield server


def answer(source: str) -> str:
    return json.dumps({"name": "load_generators", "source": source})


def repaired(server: FakeChatServer, start: Start, messages: str, folder: Path) -> Repair:
    context = RunContext(model="openai:fake-model", base_url=server.openai_url)
    return repair(start, messages, context.settings(context.chosen_model("")), folder, rounds=2)


@pytest.mark.parametrize("messages", ["ladder", "traceback"])
def test_a_right_repair_counts(server: FakeChatServer, messages: str, tmp_path: Path) -> None:
    server.reply = scripted(answer(RAISING.right["load_generators"]))
    made = repaired(server, RAISING, messages, tmp_path)
    assert (made.round, made.told, made.ended, made.calls) == (1, True, "right", 1)
    (prompt,) = server.prompts()
    assert "    for k in np.sort(fuel_cost):\n" in prompt
    assert "IndexError: only integers" in prompt
    assert ("Traceback (most recent call last)" in prompt) == (messages == "traceback")
    assert ("where output = " in prompt) == (messages == "ladder")


def test_a_wrong_repair_does_not_count(server: FakeChatServer, tmp_path: Path) -> None:
    """It passes all checks and does something else."""
    server.reply = scripted(answer(UNSEEN.bodies["load_generators"]))
    made = repaired(server, RAISING, "ladder", tmp_path)
    assert (made.round, made.calls) == (None, 1)
    assert "passes all checks, and is another: load_generators: other numbers in" in made.ended


def test_code_that_is_given_again_is_mended_by_a_line(
    server: FakeChatServer, tmp_path: Path
) -> None:
    change = {"line": "for k in np.sort(fuel_cost):", "instead": "for k in np.argsort(fuel_cost):"}
    server.reply = scripted(answer(RAISING.bodies["load_generators"]), json.dumps(change))
    made = repaired(server, RAISING, "ladder", tmp_path)
    assert (made.round, made.calls, made.ended) == (1, 2, "right")
    whole, line = server.prompts()
    assert "Give the whole answer again" in whole
    assert "Say which one line is wrong" in line
    assert "IndexError: only integers" in line


def test_rounds_come_to_an_end(server: FakeChatServer, tmp_path: Path) -> None:
    """Code is given again as it was, and the change of a line is none."""
    line = "for k in np.sort(fuel_cost):"
    same = json.dumps({"line": line, "instead": line})
    server.reply = scripted(*[answer(RAISING.bodies["load_generators"]), same, same] * 2)
    made = repaired(server, RAISING, "traceback", tmp_path)
    assert (made.round, made.calls) == (None, 6)
    told = ["says the same as `line`" in prompt for prompt in server.prompts()]
    assert told == [False, False, True] * 2
    assert "load_generators in environment.py raises IndexError" in made.ended


def test_where_no_usable_answer_comes_the_earlier_code_is_kept(
    server: FakeChatServer, tmp_path: Path
) -> None:
    """Two bad replies make one round; the next is asked about the same code."""
    server.reply = scripted("none", "none", answer(RAISING.right["load_generators"]))
    made = repaired(server, RAISING, "ladder", tmp_path)
    assert (made.round, made.calls, made.ended) == (2, 3, "right")
    assert "Earlier answer:\ndef load_generators" in server.prompts()[2]


def test_without_an_exception_a_plain_executor_has_nothing_to_tell(
    server: FakeChatServer, tmp_path: Path
) -> None:
    made = repaired(server, SILENT, "traceback", tmp_path / "traceback")
    assert (made.round, made.told, made.calls) == (None, False, 0)
    assert "ranges_hold" in made.ended
    server.reply = scripted(answer(SILENT.right["load_generators"]))
    made = repaired(server, SILENT, "ladder", tmp_path / "ladder")
    assert (made.round, made.told, made.calls) == (1, True, 1)
    assert "unmet leaves its declared range" in server.prompts()[-1]


def test_a_start_without_code_begins_with_a_question(
    server: FakeChatServer, tmp_path: Path
) -> None:
    server.reply = scripted(answer(RAISING.right["load_generators"]))
    made = repaired(server, STARTS["generators"], "traceback", tmp_path)
    assert (made.round, made.calls) == (0, 1)


def test_what_is_kept_is_not_made_again(
    server: FakeChatServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    server.reply = scripted(answer(RAISING.right["load_generators"]))
    words = ["repairs", "--model", "openai:fake-model", "--base-url", server.openai_url,
             "--only", RAISING.name, "--messages", "traceback", "--out", str(tmp_path)]  # fmt: skip
    monkeypatch.setattr(sys, "argv", words)
    main()
    first = capsys.readouterr().out
    assert "| round 1 | 1 |" in first
    assert first.endswith("1 planted faults: 1 with a plain traceback; 1 of these that raise in "
                          "random episodes: 1 with a plain traceback.\n")  # fmt: skip
    main()
    assert capsys.readouterr().out == first
    assert len(server.requests) == 1


def test_unknown_names_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ["repairs", "--model", "local", "--only", "nothing", "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit):
        main()
    assert "there is no start 'nothing'; known are" in capsys.readouterr().err
