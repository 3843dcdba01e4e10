import re
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.folder_claim import claim_run_folder, release_run_folder, run_folder_name

STARTED = datetime(2025, 1, 2, 3, 4, 5)


def test_name_says_what_when_and_which() -> None:
    name = run_folder_name("Größe der Flotte!", "0123456789", STARTED)
    assert name == "groe-der-flotte-20250102-030405-01234567"


@given(st.text())
def test_name_is_always_one_plain_folder(title: str) -> None:
    name = run_folder_name(title, "0123456789", STARTED)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert len(name) < 80


def test_new_and_empty_folders_are_taken(tmp_path: Path) -> None:
    made = claim_run_folder(tmp_path / "a" / "b")
    assert made == [tmp_path / "a", tmp_path / "a" / "b"]
    assert claim_run_folder(tmp_path / "a" / "b") == []
    assert list((tmp_path / "a" / "b").iterdir()) == []


def test_nothing_is_left_where_a_folder_cannot_be_taken(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "something").touch()
    for place in ("file", "file/below", "full"):
        with pytest.raises(OSError, match=r"file|full"):
            claim_run_folder(tmp_path / place)
    assert sorted(place.name for place in tmp_path.rglob("*")) == ["file", "full", "something"]


def test_too_long_a_name_is_refused_after_undoing_its_parents(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="too long"):
        claim_run_folder(tmp_path / "parent" / ("x" * 300))
    assert list(tmp_path.iterdir()) == []


def test_release_keeps_what_is_in_use(tmp_path: Path) -> None:
    made = claim_run_folder(tmp_path / "a" / "b")
    (tmp_path / "a" / "kept").touch()
    release_run_folder(made)
    assert [place.name for place in (tmp_path / "a").iterdir()] == ["kept"]
