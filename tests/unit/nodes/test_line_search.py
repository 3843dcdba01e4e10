"""A change of one statement is found by trying, whatever the model proposes."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from langgraph.runtime import Runtime

from nodes import line_search
from nodes.line_edits import edits_of
from nodes.line_proposals import Faulty
from nodes.line_search import with_one_change
from nodes.models.chosen import ChosenModel
from nodes.models.errors import ModelFailed
from nodes.models.journal import JOURNAL, read_journal
from nodes.settings import RunSettings
from nodes.trial import Attempts, Reports, ScreenReport
from state.findings import CheckReport
from state.run_state import RunState
from tests.unit.models.plain_chat import Plain
from tests.unit.nodes.gaps import (
    BODY,
    RIGHT,
    SOURCE,
    WRONG,
    Gaps,
    attempts,
    by_text,
    settings_of,
    state_in,
)


def mended(
    folder: Path, chat: Gaps, tried: Attempts, source: str = SOURCE, rounds: int = 1
) -> tuple[str, RunState]:
    faulty = Faulty(source, BODY, dict.fromkeys(BODY.reads))
    runtime = Runtime(context=settings_of(chat))
    return with_one_change(faulty, state_in(folder, rounds), runtime, tried)


@pytest.fixture(name="gaps")
def _gaps() -> Gaps:
    return Gaps(lines={"total = level - share": "total = level + share * share"})


def test_the_change_after_which_nothing_is_found_is_taken(tmp_path: Path, gaps: Gaps) -> None:
    source, state = mended(tmp_path, gaps, attempts(by_text("level + share * share")))
    assert source == SOURCE.replace("level - share", "level + share * share")
    assert gaps.asked == ["total = level - share"]  # it sets what was found wrong
    assert "# Level grows at rate.\n" in gaps.prompts[0]
    assert "# An earlier version was wrong: total is too small.\n" in gaps.prompts[0]
    assert gaps.prompts[0].endswith("    share = level * rate\n    ")
    assert len(state.calls) == len(read_journal(tmp_path / JOURNAL)) == 2


def test_every_other_round_goes_without_what_was_found(tmp_path: Path, gaps: Gaps) -> None:
    mended(tmp_path, gaps, attempts(by_text("level + share * share")), rounds=2)
    assert "An earlier version" not in gaps.prompts[0]


def test_a_small_change_needs_no_model(tmp_path: Path) -> None:
    gaps = Gaps()
    assert mended(tmp_path, gaps, attempts(by_text("total = level + share\n")))[0] == RIGHT
    assert gaps.asked == ["total = level - share"]


def test_of_several_the_likeliest_is_taken(tmp_path: Path, gaps: Gaps) -> None:
    """Which is likelier than what stood in its place by the most."""
    gaps.lines = {"total = level - share": "total = level + 2 * share\ntotal = level + share * 2.0"}
    both = by_text("level + 2 * share", "level + share * 2.0", "return level + share")
    source, state = mended(tmp_path, gaps, attempts(both))
    assert source == SOURCE.replace("level - share", "level + 2 * share")
    assert len(state.calls) == 2


def test_what_is_not_likely_waits_for_what_the_model_says_of_other_lines(
    tmp_path: Path, gaps: Gaps
) -> None:
    gaps.lines = {"share = level * rate": "share = level + 3 * rate"}
    small = "total = level - share * rate"  # less likely than what stands there
    source, _ = mended(tmp_path, gaps, attempts(by_text(small, "level + 3 * rate")))
    assert source == SOURCE.replace("level * rate", "level + 3 * rate")
    assert small in mended(tmp_path, Gaps(), attempts(by_text(small)))[0]


def test_a_short_look_decides_nothing(
    tmp_path: Path, gaps: Gaps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_search, "MOST_EDITS", 2)
    nothing = attempts(by_text(), screen=by_text("total = "))
    assert mended(tmp_path, gaps, nothing)[0] == SOURCE
    later = attempts(by_text("share * share"), screen=by_text("total = "))
    assert "level + share * share" in mended(tmp_path, gaps, later)[0]


@pytest.mark.parametrize(
    ("there", "line"),
    [
        ("total = level - share", "# add the share"),
        ("total = level - share", ""),
        ("total = level - share", "total = (level"),
        ("total = level - share", "total  =  level - share"),
        ("share = level * rate", "share = level"),
        ("return total", "return total, share; import os"),
    ],
)
def test_what_leaves_no_other_function_of_the_kind_is_not_tried(
    tmp_path: Path, gaps: Gaps, monkeypatch: pytest.MonkeyPatch, there: str, line: str
) -> None:
    """Nor is what leaves out a quantity that is to be read."""
    monkeypatch.setattr(line_search, "MOST_EDITS", 0)
    gaps.lines = {there: line}
    looked_at: list[str] = []

    def look(source: str) -> CheckReport:
        looked_at.append(source)
        return CheckReport(findings=[WRONG])

    assert mended(tmp_path, gaps, attempts(look))[0] == SOURCE
    assert set(looked_at) == {SOURCE}
    assert len(gaps.asked) == 3


def test_where_none_is_right_the_farthest_of_the_model_is_kept(tmp_path: Path, gaps: Gaps) -> None:
    """What a small change merely gets farther with may lead anywhere."""
    gaps.lines = {"share = level * rate": "share = level * rate ** 2"}
    source, _ = mended(tmp_path, gaps, attempts(by_text(farther="rate ** 2")))
    assert source == SOURCE.replace("level * rate", "level * rate ** 2")
    assert mended(tmp_path, Gaps(), attempts(by_text(farther="level + share")))[0] == SOURCE


def test_what_mends_one_fault_of_two_is_kept(tmp_path: Path, gaps: Gaps) -> None:
    """A short look ends with the fault that was found; the whole one finds the other."""

    def look(source: str) -> CheckReport:
        passed = ["a", "b"] if "share * share" in source else ["a"]
        return CheckReport(passed=passed, findings=[WRONG])

    source, _ = mended(tmp_path, gaps, attempts(look, screen=by_text("share * share")))
    assert source == SOURCE.replace("level - share", "level + share * share")


def test_a_look_goes_as_far_as_what_was_found_about_this_body(tmp_path: Path, gaps: Gaps) -> None:
    other = WRONG.model_copy(update={"check": "parses", "place": "another"})
    lasts: list[str] = []

    def screen(faulty: str, sources: Sequence[str], last: str) -> Reports:
        lasts.append(last)
        return [None for _ in sources]

    both = CheckReport(findings=[other, WRONG])
    mended(tmp_path, gaps, Attempts(lambda source: both, screen))
    assert set(lasts) == {"ranges_hold"}


def test_where_nothing_could_be_looked_at_shortly_only_the_model_is_believed(
    tmp_path: Path, gaps: Gaps
) -> None:
    tried = Attempts(
        by_text("level + share"), lambda faulty, sources, last: [None for _ in sources]
    )
    source, _ = mended(tmp_path, gaps, tried)
    assert source == SOURCE.replace("level - share", "level + share * share")
    other = tmp_path / "other"
    other.mkdir()
    assert mended(other, Gaps(), tried)[0] == SOURCE


def test_a_small_change_that_a_model_proposes_too_is_its_own(tmp_path: Path, gaps: Gaps) -> None:
    """Whether there was no time to look at it before, or others of its place were kept."""
    gaps.lines = {"total = level - share": "total = level + share"}
    looks: list[int] = []

    def screen(faulty: str, sources: Sequence[str], last: str) -> Reports:
        looks.append(len(sources))
        return [None for _ in sources]

    assert mended(tmp_path, gaps, Attempts(by_text("level + share"), screen))[0] == RIGHT
    assert looks[0] == 1
    assert looks[2] == 1
    other = tmp_path / "other"
    other.mkdir()
    many = attempts(by_text("level + share"), screen=by_text("total = "))
    assert mended(other, gaps, many)[0] == RIGHT


def test_what_was_tried_is_not_tried_again(tmp_path: Path, gaps: Gaps) -> None:
    gaps.lines = dict.fromkeys(
        ["total = level - share", "share = level * rate"], "share = rate + level"
    )
    looked_at: list[str] = []

    def look(source: str) -> CheckReport:
        looked_at.append(source)
        return CheckReport(findings=[WRONG])

    mended(tmp_path, gaps, attempts(look, screen=lambda source: CheckReport()))
    assert len(looked_at) > 5
    assert len(set(looked_at)) == len(looked_at)


def test_what_leaves_more_as_it_was_is_likelier(tmp_path: Path, gaps: Gaps) -> None:
    gaps.lines = {"total = level - share": "total = level + 2 * share\ntotal = level + share * 2.0"}
    both = by_text("level + 2 * share", "level + share * 2.0")

    def screen(faulty: str, sources: Sequence[str], last: str) -> Reports:
        reports = [both(source) for source in sources]
        return [
            ScreenReport(**dict(report), unchanged=0.5 * ("2.0" in source))
            for report, source in zip(reports, sources, strict=True)
        ]

    source, _ = mended(tmp_path, gaps, Attempts(both, screen))
    assert source == SOURCE.replace("level - share", "level + share * 2.0")


def test_where_nothing_is_found_nothing_is_changed(tmp_path: Path, gaps: Gaps) -> None:
    source, state = mended(tmp_path, gaps, attempts(by_text("level")))
    assert (source, state.calls, gaps.asked) == (SOURCE, [], [])


def test_code_against_the_rules_is_not_run(
    tmp_path: Path, gaps: Gaps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_search, "MOST_EDITS", 0)
    ran: list[str] = []

    def look(source: str) -> CheckReport:
        ran.append(source)
        return CheckReport()

    printing = SOURCE.replace("    total = level - share", "    print(level)\n    total = level")
    gaps.lines = {"print(level)": "level = level + share"}
    assert mended(tmp_path, gaps, attempts(look), printing)[0] == printing.replace(
        "print(level)", "level = level + share"
    )
    assert all("print" not in source for source in ran)


def test_a_model_that_fails_costs_nothing_that_was_found(tmp_path: Path, gaps: Gaps) -> None:
    gaps.lines = {"total = level - share": "total = share + level"}
    gaps.error = ModelFailed("it is gone")
    tried = attempts(by_text("never", farther="share + level"))
    source, state = mended(tmp_path, gaps, tried)
    assert "share + level" in source
    assert len(state.calls) == 2


def test_a_model_that_fails_later_does_not_keep_a_small_change_back(
    tmp_path: Path, gaps: Gaps
) -> None:
    """And all calls until then are in the accounts: for a line, for odds and for other odds."""
    gaps.no_odds = True
    source, state = mended(tmp_path, gaps, attempts(by_text("total = level + share\n")))
    assert source == RIGHT
    assert [call.agent for call in state.calls] == ["coding"] * 2


def test_a_search_ends(tmp_path: Path, gaps: Gaps, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found so far is tried, and the model is asked about nothing more."""
    monkeypatch.setattr(line_search, "LONGEST_SEARCH", -1.0)
    looked_at: list[str] = []

    def look(source: str) -> CheckReport:
        looked_at.append(source)
        return CheckReport(findings=[WRONG])

    tried = attempts(look, screen=lambda source: CheckReport())
    assert mended(tmp_path, gaps, tried)[0] == SOURCE
    assert gaps.asked == []
    assert len(looked_at) == 1 + line_search.MOST_LOOKS
    assert mended(tmp_path, gaps, attempts(by_text("total = level + share\n")))[0] == RIGHT


def test_any_other_model_is_asked(tmp_path: Path) -> None:
    reply = json.dumps({"instead": "total = level + share ** 2"})
    model = ChosenModel("openai:plain", "a test", Plain(text=reply), "openai")
    state = state_in(tmp_path)
    faulty = Faulty(SOURCE, BODY, dict.fromkeys(BODY.reads))
    source, state = with_one_change(
        faulty, state, Runtime(context=RunSettings(model=model)), attempts(by_text("share ** 2"))
    )
    assert source == SOURCE.replace("level - share", "level + share ** 2")
    assert len(state.calls) == 1


def test_of_a_model_that_cannot_tell_odds_its_own_line_comes_first(tmp_path: Path) -> None:
    """Then what leaves most as it was, in the order in which it was made."""
    reply = json.dumps({"instead": "total = level + share ** 2"})
    model = ChosenModel("openai:plain", "a test", Plain(text=reply), "openai")
    faulty = Faulty(SOURCE, BODY, dict.fromkeys(BODY.reads))
    looked_at: list[str] = []

    def look(source: str) -> CheckReport:
        looked_at.append(source)
        return CheckReport(findings=[WRONG])

    tried = attempts(look, screen=lambda source: CheckReport())
    runtime = Runtime(context=RunSettings(model=model))
    with_one_change(faulty, state_in(tmp_path), runtime, tried)
    assert "level + share ** 2" in looked_at[1]
    line = "total = level - share"
    small = list(edits_of(line, [*BODY.reads, "share", "total"], []))[:2]
    assert looked_at[2:4] == [SOURCE.replace(line, edit) for edit in small]
