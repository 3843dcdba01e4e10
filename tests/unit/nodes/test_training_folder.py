"""Training's own folder: filled with copies, looked at, and moved up."""

from pathlib import Path

import pytest

from nodes.training_folder import (
    ATTEMPTS,
    WORK,
    forget_training,
    open_training_folder,
    take_up,
)
from sandbox import ResultInvalid


def trained(folder: Path) -> Path:
    (folder / "environment.py").write_text("code", encoding="utf-8")
    work = open_training_folder(folder, ["environment.py", "heuristic.py"])
    (work / ATTEMPTS / "1-exact").mkdir(parents=True)
    (work / ATTEMPTS / "1-exact" / "policy.zip").write_text("1", encoding="utf-8")
    (work / "policy.zip").write_text("1", encoding="utf-8")
    return work


def test_only_what_was_looked_at_comes_up(tmp_path: Path) -> None:
    work = trained(tmp_path)
    (work / "environment.py").write_text("changed by itself", encoding="utf-8")
    (work / "events.jsonl").write_text("planted", encoding="utf-8")
    take_up(tmp_path, ["policy.zip"])
    assert {path.name for path in tmp_path.iterdir()} == {
        *("environment.py", "policy.zip", ATTEMPTS)
    }
    assert (tmp_path / "environment.py").read_text(encoding="utf-8") == "code"
    assert (tmp_path / ATTEMPTS / "1-exact" / "policy.zip").exists()


def test_attempts_are_gone_on_with_and_inputs_copied_anew(tmp_path: Path) -> None:
    trained(tmp_path)
    take_up(tmp_path, ["policy.zip"])
    work = open_training_folder(tmp_path, ["environment.py"])
    assert (work / ATTEMPTS / "1-exact").is_dir()
    assert not (tmp_path / ATTEMPTS).exists()
    (work / "environment.py").unlink()
    (work / "environment.py").symlink_to("/etc/passwd")
    open_training_folder(tmp_path, ["environment.py"])
    assert (work / "environment.py").read_text(encoding="utf-8") == "code"
    forget_training(tmp_path)
    assert not (tmp_path / WORK).exists()


@pytest.mark.parametrize("left", ["a link", "no attempts", "no product"])
def test_what_is_not_in_order_stays_where_it_is(tmp_path: Path, left: str) -> None:
    work = trained(tmp_path)
    if left == "a link":
        (work / ATTEMPTS / "link").symlink_to("/etc")
    elif left == "no attempts":
        (work / ATTEMPTS).rename(work / "elsewhere")
    else:
        (work / "policy.zip").unlink()
    with pytest.raises(ResultInvalid):
        take_up(tmp_path, ["policy.zip"])
    assert not (tmp_path / ATTEMPTS).exists()
