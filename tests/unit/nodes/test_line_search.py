"""A change of one statement is found by trying, whatever the model proposes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.runtime import Runtime
from pydantic import Field

from nodes import line_search
from nodes.line_proposals import Faulty
from nodes.line_search import with_one_change
from nodes.models.chosen import ChosenModel, Wire
from nodes.models.errors import ModelFailed
from nodes.models.journal import JOURNAL, read_journal
from nodes.settings import RunSettings
from state.dynamics import CodeBody
from state.findings import CheckReport, Finding
from state.run_state import RunState
from tests.unit.models.plain_chat import Plain

SOURCE = """def grow(rng, level, rate):
    share = level * rate
    total = level - share
    return total
"""
BODY = CodeBody(
    name="grow", purpose="Level grows at rate.", when="step", reads=["level", "rate"],
    writes=["total"],
)  # fmt: skip
WRONG = Finding(check="ranges_hold", owner="coding", place="grow", message="total is too small")
RIGHT = SOURCE.replace("level - share", "level + share")


class Filling(Wire):
    fills = True


class Gaps(Plain):
    """Fills each gap with what ``lines`` hold for what stands behind it."""

    lines: dict[str, str] = Field(default_factory=dict)
    prompts: list[str] = Field(default_factory=list)
    asked: list[str] = Field(default_factory=list)

    def _generate(self, messages: list[BaseMessage], *given: Any, **named: Any) -> ChatResult:
        if len(self.asked) == 2 and self.error is not None:
            raise self.error
        self.prompts.append(str(messages[0].content))
        behind = str(messages[1].content).strip().splitlines() or ["the end"]
        self.asked.append(behind[0])
        message = AIMessage(content=self.lines.get(behind[0], "pass"))
        return ChatResult(generations=[ChatGeneration(message=message)])


def by_text(*right: str, farther: str = "no such text") -> Callable[[str], CheckReport]:
    """Finds nothing in sources that hold one of ``right``, less in those with ``farther``."""

    def trial(source: str) -> CheckReport:
        if any(text in source for text in right):
            return CheckReport(passed=["a", "b", "c"])
        return CheckReport(passed=["a", "b"] if farther in source else ["a"], findings=[WRONG])

    return trial


def mended(
    folder: Path, chat: Gaps, trial: Callable[[str], CheckReport], source: str = SOURCE
) -> tuple[str, RunState]:
    model = ChosenModel("local:plain", "a test", chat, "local", wire=Filling())
    runtime = Runtime(context=RunSettings(model=model))
    state = RunState(description="d", remarks=[WRONG], debug_rounds=1, run_folder=str(folder))
    return with_one_change(Faulty(source, BODY, dict.fromkeys(BODY.reads)), state, runtime, trial)


@pytest.fixture(name="gaps")
def _gaps() -> Gaps:
    return Gaps(lines={"return total": "total = level + share"})


def test_the_change_after_which_nothing_is_found_is_taken(tmp_path: Path, gaps: Gaps) -> None:
    source, state = mended(tmp_path, gaps, by_text("level + share"))
    assert source == RIGHT
    assert gaps.asked == ["return total"]  # the line that sets what was found wrong comes first
    assert "# Level grows at rate.\n" in gaps.prompts[0]
    assert gaps.prompts[0].endswith("    share = level * rate\n    ")
    assert len(state.calls) == len(read_journal(tmp_path / JOURNAL)) == 1


@pytest.mark.parametrize(
    ("behind", "line"),
    [
        ("return total", "# add the share"),
        ("return total", ""),
        ("return total", "total = (level"),
        ("return total", "total  =  level - share"),
        ("total = level - share", "share = level"),
        ("the end", "return total, share; import os"),
    ],
)
def test_what_leaves_no_other_function_of_the_kind_is_not_tried(
    tmp_path: Path, gaps: Gaps, behind: str, line: str
) -> None:
    """Nor is what leaves out a quantity that is to be read."""
    gaps.lines = {behind: line, **dict.fromkeys({"return total", "the end"} - {behind}, "")}
    tried: list[str] = []

    def trial(source: str) -> CheckReport:
        tried.append(source)
        return CheckReport(findings=[WRONG])

    assert mended(tmp_path, gaps, trial)[0] == SOURCE
    assert tried == [SOURCE]
    assert len(gaps.asked) == 3


def test_where_none_is_right_the_farthest_is_kept(tmp_path: Path, gaps: Gaps) -> None:
    gaps.lines["total = level - share"] = "share = level * rate * rate"
    source, _ = mended(tmp_path, gaps, by_text(farther="rate * rate"))
    assert source == SOURCE.replace("level * rate", "level * rate * rate")
    assert mended(tmp_path, Gaps(), by_text())[0] == SOURCE


def test_where_nothing_is_found_nothing_is_changed(tmp_path: Path, gaps: Gaps) -> None:
    source, state = mended(tmp_path, gaps, by_text("level"))
    assert (source, state.calls, gaps.asked) == (SOURCE, [], [])


def _untouched(folder: Path) -> RunState:
    return RunState(description="d", remarks=[WRONG], debug_rounds=1, run_folder=str(folder))


def test_code_against_the_rules_is_not_run(tmp_path: Path, gaps: Gaps) -> None:
    ran: list[str] = []

    def trial(source: str) -> CheckReport:
        ran.append(source)
        return CheckReport()

    printing = SOURCE.replace("    total = level - share", "    print(level)\n    total = level")
    gaps.lines["total = level"] = "level = level + share"
    assert mended(tmp_path, gaps, trial, printing)[0] == printing.replace(
        "print(level)", "level = level + share"
    )
    assert all("print" not in source for source in ran)


def test_a_model_that_fails_costs_nothing_that_was_found(tmp_path: Path, gaps: Gaps) -> None:
    gaps.lines["return total"] = "total = share + level"
    gaps.error = ModelFailed("it is gone")
    source, state = mended(tmp_path, gaps, by_text("never", farther="share + level"))
    assert "share + level" in source
    assert len(state.calls) == 2


def test_a_search_ends(tmp_path: Path, gaps: Gaps, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_search, "LONGEST_SEARCH", -1.0)
    assert mended(tmp_path, gaps, by_text("level + share"))[0] == SOURCE
    assert gaps.asked == []


def test_any_other_model_is_asked(tmp_path: Path) -> None:
    reply = json.dumps({"instead": "total = level + share"})
    model = ChosenModel("openai:plain", "a test", Plain(text=reply), "openai")
    state = _untouched(tmp_path)
    faulty = Faulty(SOURCE, BODY, dict.fromkeys(BODY.reads))
    source, state = with_one_change(
        faulty, state, Runtime(context=RunSettings(model=model)), by_text("level + share")
    )
    assert source == RIGHT
    assert len(state.calls) == 1
