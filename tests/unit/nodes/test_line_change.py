"""One line of a function is replaced, whatever way the new one is indented."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from nodes.code_bodies import change_complaints, same_code
from nodes.line_change import LineChange, line_change_schema, with_change
from state.dynamics import CodeBody

SOURCE = """def grow(rng, level):
    for place in range(3):
        level = level + place
    return level
"""
BODY = CodeBody(name="grow", purpose="grow", when="step", reads=["level"], writes=["total"])


def changed(line: str, instead: str) -> str:
    return with_change(SOURCE, LineChange(line=line, instead=instead))


@pytest.mark.parametrize(
    "instead",
    [
        "if place:\n    level = level - place",
        "        if place:\n            level = level - place",
        "if place:\n            level = level - place",
        "\nif place:\n\tlevel = level - place\n",
    ],
)
def test_several_lines_stand_where_the_one_stood(instead: str) -> None:
    right = SOURCE.replace("level = level + place", "if place:\n            level = level - place")
    assert same_code(changed("level = level + place", instead), right)


def test_the_head_of_a_block_keeps_its_block() -> None:
    assert "    for place in range(2):\n        level = " in changed(
        "for place in range(3):", "for place in range(2):"
    )


def test_a_line_that_is_not_there_changes_nothing() -> None:
    assert changed("other = 1", "level = 2") == SOURCE


def test_only_lines_below_the_head_can_be_chosen() -> None:
    schema = line_change_schema(SOURCE)
    assert schema(line="return level", instead="return 2 * level").line == "return level"
    for line in ("def grow(rng, level):", "other"):
        with pytest.raises(ValidationError):
            schema(line=line, instead="")


@pytest.mark.parametrize("source", ["", "def grow(rng, level): return level"])
def test_where_no_line_is_below_the_head_any_may_be_named(source: str) -> None:
    assert line_change_schema(source)(line="x", instead="").line == "x"


@pytest.mark.parametrize(
    ("instead", "said"),
    [
        ("return  level  # as before", "says the same as `line`"),
        ("return level,", ""),
        ("return (level", "not valid Python"),
        ("import os\nreturn level", "nothing is imported here"),
    ],
)
def test_a_change_has_to_leave_another_function(instead: str, said: str) -> None:
    change = LineChange(line="return level", instead=instead)
    complaints = change_complaints(SOURCE, change, BODY)
    assert any(said in complaint for complaint in complaints) if said else complaints == []


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_change_gives_a_text(line: str, instead: str) -> None:
    assert with_change(SOURCE, LineChange(line=line, instead=instead)).startswith("def grow")
