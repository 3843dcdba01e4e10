"""Files of the run folder are written whole, and never through what untrusted code put there."""

import hashlib
from pathlib import Path

import pytest

from nodes.run_folder import artefact, remove, write_whole
from sandbox import ResultInvalid


def test_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("mine")
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "request.json").symlink_to(outside)
    (folder / ".request.json.part").symlink_to(outside)
    write_whole(folder / "request.json", "new")
    assert outside.read_text() == "mine"
    assert not (folder / "request.json").is_symlink()
    assert [path.name for path in folder.iterdir()] == ["request.json"]


def test_folder_in_the_way_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / ".a.part").mkdir()
    write_whole(tmp_path / "a", b"bytes")
    assert (tmp_path / "a").read_bytes() == b"bytes"


def test_remove_takes_what_there_is(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "c").symlink_to(tmp_path / "a")
    (tmp_path / "d").write_text("d")
    remove(tmp_path, ["c", "d", "none"])
    assert (tmp_path / "a" / "b").is_dir()
    remove(tmp_path, ["a"])
    assert list(tmp_path.iterdir()) == []


def test_artefact_is_named_by_its_hash(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"x")
    assert artefact(tmp_path, "x").sha256 == hashlib.sha256(b"x").hexdigest()
    (tmp_path / "y").symlink_to(tmp_path / "x")
    for name in ("y", "z"):
        with pytest.raises(ResultInvalid):
            artefact(tmp_path, name)
