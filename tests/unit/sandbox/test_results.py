import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from sandbox.results import ResultInvalid, check_files, read_result


class Score(BaseModel):
    mean: float
    episodes: int = 1


def write(folder: Path, text: str) -> None:
    (folder / "score.json").write_text(text, encoding="utf-8")


def test_a_good_result_comes_back(tmp_path: Path) -> None:
    write(tmp_path, '{"mean": 1.5, "episodes": 20}')
    assert read_result(tmp_path, "score.json", Score) == Score(mean=1.5, episodes=20)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"mean": NaN}', "NaN is not a number"),
        ('{"mean": -Infinity}', "-Infinity is not a number"),
        ('{"mean": 1e999}', "too large"),
        ('{"mean": 1, "mean": 2}', "same key twice"),
        ('{"mean": "much"}', "mean"),
        ("[]", "not a Score"),
        ("", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ('{"mean": 1' + "0" * 5000 + "}", "score.json"),
    ],
)
def test_a_bad_result_is_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    write(tmp_path, text)
    with pytest.raises(ResultInvalid, match=said) as raised:
        read_result(tmp_path, "score.json", Score)
    assert "\n" not in str(raised.value)


def test_bytes_that_are_not_text(tmp_path: Path) -> None:
    (tmp_path / "score.json").write_bytes(b"\xff\xfe")
    with pytest.raises(ResultInvalid, match="not valid JSON"):
        read_result(tmp_path, "score.json", Score)


def test_a_long_result_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, '{"mean": 1}' + " " * 100)
    with pytest.raises(ResultInvalid, match="longer than 50 bytes"):
        read_result(tmp_path, "score.json", Score, max_bytes=50)


def test_a_missing_result(tmp_path: Path) -> None:
    with pytest.raises(ResultInvalid, match=r"left no result score\.json"):
        read_result(tmp_path, "score.json", Score)


@pytest.mark.parametrize("name", ["", "..", "../score.json", "/etc/hostname", "a\0b"])
def test_names_lead_nowhere_else(tmp_path: Path, name: str) -> None:
    with pytest.raises(ResultInvalid, match="not a plain file name"):
        read_result(tmp_path, name, Score)


@pytest.mark.parametrize("kind", ["symbolic link", "hard link", "pipe", "folder"])
def test_only_regular_files_are_read(tmp_path: Path, kind: str) -> None:
    secret, folder = tmp_path / "secret", tmp_path / "run"
    write(tmp_path, '{"mean": 1}')
    (tmp_path / "score.json").rename(secret)
    folder.mkdir()
    result = folder / "score.json"
    {
        "symbolic link": lambda: result.symlink_to(secret),
        "hard link": lambda: result.hardlink_to(secret),
        "pipe": lambda: os.mkfifo(result),
        "folder": result.mkdir,
    }[kind]()
    with pytest.raises(ResultInvalid, match=r"score\.json"):
        read_result(folder, "score.json", Score)
    if kind != "folder":
        with pytest.raises(ResultInvalid, match=r"'score\.json', which"):
            check_files(folder)


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(10**18), 10**18))
def test_every_finite_number_survives(
    tmp_path_factory: pytest.TempPathFactory, mean: float, episodes: int
) -> None:
    folder = tmp_path_factory.mktemp("run")
    write(folder, json.dumps({"mean": mean, "episodes": episodes}))
    assert read_result(folder, "score.json", Score) == Score(mean=mean, episodes=episodes)


@given(st.binary(max_size=200))
def test_whatever_bytes_come_the_answer_is_a_value_or_one_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    folder = tmp_path_factory.mktemp("run")
    (folder / "score.json").write_bytes(content)
    with pytest.raises(ResultInvalid):
        read_result(folder, "score.json", Score)


def test_check_files_accepts_plain_trees(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "file").write_text("x", encoding="utf-8")
    check_files(tmp_path)


def test_check_files_refuses_files_that_run_as_another_user(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text("x", encoding="utf-8")
    tool.chmod(0o4755)
    with pytest.raises(ResultInvalid, match="'tool', which would run as another user"):
        check_files(tmp_path)
