"""Lines near a given one, from a model of which every probability is known."""

import math
from itertools import islice
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from nodes.models.generation import Generator
from nodes.models.likely_lines import LONGEST_LINE, LONGEST_TOLD, fill, likely_lines, odds

PROMPT = [1, 2, 3]


class Known:
    """Writes letters; each line of ``lines`` with its probability, and hardly anything else."""

    def __init__(self, lines: dict[str, float]) -> None:
        self._lines = {f"{line}\n": share for line, share in lines.items()}
        self.line_ends = np.array([chr(token) in "\n#" for token in range(128)])
        self.rows_read = 0

    def gap(self, before: str, behind: str) -> list[int]:
        return PROMPT

    def pieces(self, text: str) -> list[int]:
        return [ord(letter) for letter in text]

    def text(self, tokens: list[int]) -> str:
        return "".join(map(chr, tokens))

    def rows_behind(self, tokens: list[int], last: int) -> list[NDArray[np.float32]]:
        assert tokens[: len(PROMPT)] == PROMPT
        written = tokens[len(PROMPT) :]
        self.rows_read += last + 1
        return [
            self._row(self.text(written[:end]))
            for end in range(len(written) - last, len(written) + 1)
        ]

    def _row(self, begun: str) -> NDArray[np.float32]:
        chances = np.full(128, 1e-9)
        for line, share in self._lines.items():
            if line.startswith(begun) and len(line) > len(begun):
                chances[ord(line[len(begun)])] += share
        row: NDArray[np.float32] = np.log(chances / chances.sum()).astype(np.float32)
        return row


def lines_of(known: Known, line: str, most: int = 20) -> list[str]:
    return list(islice(likely_lines(cast(Any, known), PROMPT, line), most))


def test_the_likeliest_other_lines_come_first() -> None:
    known = Known({"a = b": 0.2, "a = b - c": 0.3, "a = d": 0.1, "return 1": 0.4})
    assert lines_of(known, "a = b") == ["a = b - c", "return 1", "a = d"]


def test_a_line_that_ends_earlier_is_another() -> None:
    known = Known({"a = b - c": 0.6, "a = b": 0.4})
    assert lines_of(known, "a = b - c") == ["a = b"]


def test_others_of_others_are_found() -> None:
    known = Known({"a": 0.1, "f(x)": 0.5, "f(y)": 0.2, "f(y) + 1": 0.2})
    assert set(lines_of(known, "a")) == {"f(x)", "f(y)", "f(y) + 1"}


@pytest.mark.parametrize("line", ["f(a", "f[a}", ""])
def test_what_is_no_whole_line_is_left_out(line: str) -> None:
    assert lines_of(Known({"a": 0.5, line: 0.5}), "a") == []


def test_words_about_a_line_are_no_part_of_it() -> None:
    assert lines_of(Known({"a": 0.5, "b  # that is it": 0.5}), "a") == ["b"]


def test_what_hardly_comes_is_not_looked_for() -> None:
    assert lines_of(Known({"a": 0.995, "b": 0.005}), "a") == []


def test_a_line_without_end_is_given_up() -> None:
    assert lines_of(Known({"a": 0.5, "b" * (LONGEST_LINE + 5): 0.5}), "a") == []


def test_the_search_itself_ends() -> None:
    known = Known({f"x{number:03}{'y' * 40}": 1.0 for number in range(1000)})
    assert lines_of(known, "z", most=10_000)
    assert known.rows_read < 1000


def test_odds_are_those_of_the_whole_line() -> None:
    known = Known({"a": 0.25, "ab": 0.75})
    assert odds(cast(Generator, known), PROMPT, "a") == pytest.approx(math.log(0.25), abs=1e-3)
    assert odds(cast(Generator, known), PROMPT, "ab") == pytest.approx(math.log(0.75), abs=1e-3)
    assert odds(cast(Generator, known), PROMPT, "c") < -15


def test_of_a_line_that_is_too_long_no_odds_are_told() -> None:
    known = Known({"a": 1.0})
    assert odds(cast(Generator, known), PROMPT, "a" * (LONGEST_TOLD + 1)) == -math.inf
    assert known.rows_read == 0


def test_a_request_is_answered_line_by_line() -> None:
    known = cast(Generator, Known({"a": 0.25, "b": 0.5, "c": 0.25}))
    lines = fill(known, ["before", "behind", "a"], "lines", 1)
    assert (lines.text, lines.finish_reason, lines.prompt_tokens) == ("b", "stop", 3)
    told = fill(known, ["before", "behind", "a\nb"], "odds", 2).text.split("\n")
    assert [float(number) for number in told] == pytest.approx(np.log([0.25, 0.5]), abs=1e-3)
