"""One statement of a function is replaced, whatever way the new one is indented."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.body_rules import same_code
from nodes.line_change import Place, around, places_in, with_blank, with_change
from nodes.line_proposals import Change, Faulty, change_complaints
from state.dynamics import CodeBody

SOURCE = """def grow(rng, level):
    \"\"\"Grow.\"\"\"
    # Three times.
    for place in range(3):
        level = level + place
    level = (
        2
        * level
    )
    return level
"""
BODY = CodeBody(name="grow", purpose="grow", when="step", reads=["level"], writes=["total"])
FOR, ADD, DOUBLE, RETURN = Place(4, 4), Place(5, 5), Place(6, 9), Place(10, 10)


def test_places_are_statements_and_heads_of_blocks() -> None:
    assert list(places_in(SOURCE)) == [FOR, ADD, DOUBLE, RETURN]
    assert DOUBLE.within(SOURCE) == "level = ( 2 * level )"


def test_a_head_over_several_lines_is_one_place() -> None:
    source = "def f(rng, x):\n    if (\n        x\n    ):\n        x = 1\n    return x\n"
    assert list(places_in(source)) == [Place(2, 4), Place(5, 5), Place(6, 6)]


@pytest.mark.parametrize("source", ["", "def f(:", "def grow(rng, level): return level"])
def test_there_may_be_no_place(source: str) -> None:
    assert places_in(source) == {}


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
    assert same_code(with_change(SOURCE, ADD, instead), right)


def test_the_head_of_a_block_keeps_its_block() -> None:
    changed = with_change(SOURCE, FOR, "for place in range(2):")
    assert "    for place in range(2):\n        level = " in changed


def test_a_statement_of_several_lines_goes_as_a_whole() -> None:
    changed = with_change(SOURCE, DOUBLE, "level = 4")
    assert "level = level + place\n    level = 4\n    return level" in changed


def test_what_stands_at_a_place_is_told_without_remarks() -> None:
    source = (
        "def grow(rng):\n    if rng:  # so\n        # now\n        a = (1,  # one\n         2)\n"
    )
    assert [place.within(source) for place in places_in(source)] == ["if rng:", "a = (1, 2)"]


def test_a_blank_says_that_something_is_missing() -> None:
    assert "range(3):\n        ...  # this line is missing\n    level = (" in with_blank(
        SOURCE, ADD
    )


@pytest.mark.parametrize(
    ("instead", "said"),
    [
        ("return  level  # as before", "that is what stood there"),
        ("return level,", ""),
        ("return (level", "not valid Python"),
        ("# return level", "nothing would be done there"),
        ("import os\nreturn level", "nothing is imported here"),
    ],
)
def test_a_change_has_to_leave_another_function(instead: str, said: str) -> None:
    complaints = change_complaints(Faulty(SOURCE, BODY, {}), Change(RETURN, instead))
    assert any(said in complaint for complaint in complaints) if said else complaints == []


def test_what_is_around_a_place_is_all_but_it() -> None:
    before, behind = around(SOURCE, ADD)
    assert f"{before}level = level + place{behind}" == SOURCE
    assert around(SOURCE, DOUBLE)[1] == "\n    return level\n"


def test_what_is_read_must_still_be_read() -> None:
    source = "def grow(rng, level):\n    total = level\n    return total\n"
    change = Change(Place(2, 2), "total = 1")
    assert change_complaints(Faulty(source, BODY, {}), change) == ["level is not used any more"]
    unread = source.replace("= level", "= 2")
    assert change_complaints(Faulty(unread, BODY, {}), change) == []


def test_what_is_set_must_be_used() -> None:
    source = "def grow(rng, level):\n    level = level + 1\n    return level\n"
    change = Change(Place(2, 2), "growth = level + 1")
    assert change_complaints(Faulty(source, BODY, {}), change) == ["growth is set and never used"]
    change = Change(Place(2, 2), "level, _ = level + 1, 2")
    assert change_complaints(Faulty(source, BODY, {}), change) == []
    loop = source.replace(
        "    level = level + 1\n", "    for k in range(2):\n        level = 2 * level\n"
    )
    assert change_complaints(Faulty(loop, BODY, {}), Change(Place(3, 3), "level += 1")) == []


@given(st.text(max_size=60), st.sampled_from([FOR, ADD, DOUBLE, RETURN]))
def test_any_change_leaves_what_is_around_it(instead: str, place: Place) -> None:
    before, after = SOURCE.splitlines()[: place.first - 1], SOURCE.splitlines()[place.last :]
    changed = with_change(SOURCE, place, instead).split("\n")[:-1]
    assert changed[: len(before)] == before
    assert changed[len(changed) - len(after) :] == after


@given(st.text(max_size=200))
def test_places_of_any_text(source: str) -> None:
    for place, node in places_in(source).items():
        assert isinstance(node, ast.stmt)
        assert 1 < place.first <= place.last
