import os
from pathlib import Path

import pytest

from sandbox.folder import MAXIMUM_DEPTH, UnmeasurableFolder, measure, remove_tree, snapshot


def test_size_counts_files_folders_and_the_length_of_sparse_files(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "file").write_bytes(b"x" * 100_000)
    with open(tmp_path / "sparse", "wb") as file:
        file.truncate(10_000_000)
    size = measure(tmp_path)
    assert size.entries == 3
    assert 10_100_000 <= size.bytes < 10_200_000


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "run"
    outside.mkdir()
    folder.mkdir()
    (outside / "big").write_bytes(b"x" * 1_000_000)
    (folder / "link").symlink_to(outside)
    assert measure(folder).bytes < 100_000
    assert snapshot(folder) == {}


def test_snapshot_shows_what_changed(tmp_path: Path) -> None:
    for name in ("same", "changed"):
        (tmp_path / name).write_text("before", encoding="utf-8")
    before = snapshot(tmp_path)
    (tmp_path / "changed").write_text("after it", encoding="utf-8")
    (tmp_path / "new").touch()
    after = snapshot(tmp_path)
    assert {name for name in after if before.get(name) != after[name]} == {"changed", "new"}


def test_endless_nesting_is_given_up(tmp_path: Path) -> None:
    here = os.getcwd()
    try:
        os.chdir(tmp_path)
        for _ in range(MAXIMUM_DEPTH + 1):
            os.mkdir("d")
            os.chdir("d")
    finally:
        os.chdir(here)
    with pytest.raises(UnmeasurableFolder, match="deep"):
        measure(tmp_path)


def test_a_tree_is_removed_however_deep_and_closed_it_is(tmp_path: Path) -> None:
    outside, tree = tmp_path / "outside", tmp_path / "tree"
    outside.mkdir()
    (outside / "kept").touch()
    tree.mkdir()
    here = os.getcwd()
    try:
        os.chdir(tree)
        for depth in range(1500):  # more than functions may call each other
            os.symlink(outside, "link")
            os.mkdir(str(depth % 3))
            os.chdir(str(depth % 3))
    finally:
        os.chdir(here)
    (tree / "0").chmod(0)
    remove_tree(tree)
    assert not tree.exists()
    assert (outside / "kept").exists()


def test_removing_what_is_not_there_or_a_link_removes_no_more(tmp_path: Path) -> None:
    remove_tree(tmp_path / "missing")
    (tmp_path / "target").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "target")
    remove_tree(tmp_path / "link")
    assert [path.name for path in tmp_path.iterdir()] == ["target"]
