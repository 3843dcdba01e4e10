"""What becomes of faulty code is never worse than what it was."""

from pathlib import Path

import pytest
from langgraph.runtime import Runtime

from nodes import line_search
from nodes.line_proposals import Faulty
from nodes.mending import mended
from nodes.models.chosen import ChosenModel
from nodes.settings import RunSettings
from nodes.trial import Attempts
from tests.unit.models.plain_chat import Plain
from tests.unit.nodes.gaps import (
    BODY,
    RIGHT,
    SOURCE,
    Gaps,
    attempts,
    by_text,
    settings_of,
    state_in,
)

OTHER = SOURCE.replace("level - share", "level / share")


@pytest.fixture(autouse=True)
def _no_small_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_search, "MOST_EDITS", 0)


def after(
    folder: Path, answered: str | None, tried: Attempts, settings: RunSettings | None = None
) -> tuple[str, int]:
    """The source, and how many calls it took."""
    lines = {
        "total = level - share": "total = level + share",
        "total = level / share": "total = share + level",
    }
    faulty = Faulty(SOURCE, BODY, dict.fromkeys(BODY.reads))
    runtime = Runtime(context=settings or settings_of(Gaps(lines=lines)))
    source, state = mended(faulty, answered, state_in(folder), runtime, tried)
    return source, len(state.calls)


@pytest.mark.parametrize("answered", [SOURCE, SOURCE + "    # so\n", None, "no python", OTHER])
def test_what_is_no_repair_is_not_taken(tmp_path: Path, answered: str | None) -> None:
    """Whether it is the same again, or worse: a change of one statement is."""
    assert after(tmp_path, answered, attempts(by_text("level + share"))) == (RIGHT, 2)


def test_a_repair_is_taken(tmp_path: Path) -> None:
    assert after(tmp_path, OTHER, attempts(by_text("level / share"))) == (OTHER, 0)


def test_where_an_answer_gets_farther_it_is_mended(tmp_path: Path) -> None:
    tried = attempts(by_text("share + level", farther="level / share"))
    source, _ = after(tmp_path, OTHER, tried)
    assert source == SOURCE.replace("level - share", "share + level")


def test_any_other_model_is_taken_at_its_word(tmp_path: Path) -> None:
    settings = RunSettings(model=ChosenModel("openai:plain", "a test", Plain(), "openai"))
    nothing = attempts(by_text())
    assert after(tmp_path, OTHER, nothing, settings) == (OTHER, 0)
    assert after(tmp_path, None, nothing, settings) == (SOURCE, 0)


def test_what_the_checks_do_not_find_is_mended_by_the_answer(tmp_path: Path) -> None:
    """A person may have asked for it."""
    assert after(tmp_path, OTHER, attempts(by_text("level - share"))) == (OTHER, 0)
