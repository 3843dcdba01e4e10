"""The coding rounds alone: what the agent is told, and what counts as a repair."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.repairs import plain_executor
from benchmarks.repairs.__main__ import main
from benchmarks.repairs.rounds import Repair, repair
from benchmarks.repairs.starts import Start, all_starts
from graph.context import RunContext
from nodes import line_search
from tests.fake_chat_server import FakeChatServer, ReplyFunction, scripted

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


def copying(start: Start, changes: dict[str, str]) -> ReplyFunction:
    """Gives the code again as it is, and of a missing line what ``changes`` hold for it."""

    def reply(messages: list[dict[str, Any]], schema: dict[str, Any] | None) -> str:
        asked = "\n".join(str(message["content"]) for message in messages)
        line = re.search(r"There stood `(.*)`, which", asked)
        if line is None:
            return answer(start.bodies["load_generators"])
        return json.dumps({"instead": changes.get(line[1], line[1])})

    return reply


@pytest.fixture(name="no_small_changes")
def _no_small_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left is what the model says of each line."""
    monkeypatch.setattr(line_search, "MOST_EDITS", 0)


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


@pytest.mark.usefixtures("no_small_changes")
@pytest.mark.parametrize("messages", ["ladder", "traceback"])
def test_code_that_is_given_again_is_mended_by_a_change_of_one_line(
    server: FakeChatServer, messages: str, tmp_path: Path
) -> None:
    """Of all lines: those that set a value in question come first."""
    changes = {
        "output = np.zeros(len(capacity))": "output = np.ones(len(capacity))",
        "for k in np.sort(fuel_cost):": "for k in np.argsort(fuel_cost):",
    }
    server.reply = copying(RAISING, changes)
    made = repaired(server, RAISING, messages, tmp_path)
    assert (made.round, made.ended) == (1, "right")
    whole = server.prompts()[0]
    lines = [prompt for prompt in server.prompts() if "There stood" in prompt]
    assert "Give the whole answer again" in whole
    assert all("IndexError: only integers" in prompt for prompt in lines)
    assert "There stood `for k in np.sort(fuel_cost):`" in lines[-1]
    assert "    ...  # this line is missing\n        output[k] = min(" in lines[-1]
    assert not (tmp_path / "trial").exists()


@pytest.mark.usefixtures("no_small_changes")
def test_only_the_checks_see_that_a_silent_fault_is_mended(
    server: FakeChatServer, tmp_path: Path
) -> None:
    right = "output[k] = min(capacity[k] * runs[k], unmet)"
    server.reply = copying(SILENT, {"output[k] = capacity[k] * runs[k]": right})
    made = repaired(server, SILENT, "ladder", tmp_path)
    assert (made.round, made.ended) == (1, "right")


@pytest.mark.parametrize("start", [RAISING, SILENT], ids=["raising", "silent"])
def test_small_changes_mend_what_the_model_only_copies(
    server: FakeChatServer, start: Start, tmp_path: Path
) -> None:
    """In each of many a short look is had; a real one says which is right."""
    server.reply = copying(start, {})
    made = repaired(server, start, "ladder", tmp_path)
    assert (made.round, made.ended) == (1, "right")
    lines = [prompt for prompt in server.prompts() if "There stood" in prompt]
    assert len(lines) <= 2


def test_a_plain_executor_has_no_time_for_many(
    server: FakeChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the model says is tried all the same."""
    monkeypatch.setattr(plain_executor, "LONGEST_SCREEN", 0.0)
    server.reply = copying(
        RAISING, {"for k in np.sort(fuel_cost):": "for k in np.argsort(fuel_cost):"}
    )
    made = repaired(server, RAISING, "traceback", tmp_path)
    assert (made.round, made.ended) == (1, "right")


@pytest.mark.usefixtures("no_small_changes")
def test_rounds_come_to_an_end(server: FakeChatServer, tmp_path: Path) -> None:
    """Code is given again as it was, and whatever line is missing, nothing else comes."""
    server.reply = copying(RAISING, {})
    made = repaired(server, RAISING, "traceback", tmp_path)
    assert made.round is None
    told = ["that is what stood there" in prompt for prompt in server.prompts()]
    assert told == [False, *[False, True] * 6] * 2
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
