import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.description import (
    LONGEST_TITLE,
    MOST_CHARACTERS,
    description_problem,
    title_of,
)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty"),
        (" \n\t ", "is empty"),
        ("too short", "too short"),
        ("a decision is taken every day \x00", "control characters"),
        ("a decision is taken every day \x1b[31m", "control characters"),
        ("x " * MOST_CHARACTERS, "far too long: 200,000 characters"),
    ],
)
def test_what_cannot_be_a_description(text: str, says: str) -> None:
    problem = description_problem(text)
    assert says in problem
    assert "\n" not in problem


@pytest.mark.parametrize(
    "text",
    [
        "Every morning we decide how many loaves to bake.",
        "每天早上我们要决定烤多少个面包，面包的需求是随机的，目标是利润最大。",
        "line one\r\nline two with a tab\tand more words",
    ],
)
def test_what_can(text: str) -> None:
    assert description_problem(text) == ""


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Ordering stock\n\nA shop", "Ordering stock"),
        ("\n\n----\n  **Bold   start** of it\nmore", "Bold start** of it"),
        ("Just one line", "Just one line"),
        ("", "task"),
    ],
)
def test_title_is_the_first_line(text: str, title: str) -> None:
    assert title_of(text) == title


@given(st.text())
def test_title_is_always_one_short_line(text: str) -> None:
    title = title_of(text)
    assert 0 < len(title) <= LONGEST_TITLE
    assert len(title.splitlines()) == 1


@given(st.text())
def test_any_text_is_judged(text: str) -> None:
    assert isinstance(description_problem(text), str)
