"""What the variable agent's answer is held to, and what is mended in it."""

from typing import Any

import pytest

from nodes.numbered import numbered_groups
from nodes.variable import complaints, merged, without_repeats
from state.parameters import Parameter
from state.variables import Variable


def variable(name: str, role: str = "system", **kind: Any) -> Variable:
    return Variable(name=name, definition="", **{"role": role, "dtype": "real", **kind})


CHOICE = variable("valve", "decision", labels=["open", "closed"])


@pytest.mark.parametrize(
    ("names", "groups"),
    [
        (["tank_1", "tank_2", "tank_3"], {"tank": ["tank_1", "tank_2", "tank_3"]}),
        (["x0", "x2", "x1"], {"x": ["x0", "x1", "x2"]}),
        (["x_1", "x_2"], {}),
        (["x_1", "x_2", "x_4"], {}),
        (["x_1", "x_2", "x_3", "x"], {}),
        (["x_2", "x_3", "x_4"], {}),
    ],
)
def test_names_that_differ_by_a_number(names: list[str], groups: dict[str, list[str]]) -> None:
    assert numbered_groups(names) == groups


def test_numbered_variables_that_are_alike_are_one_list() -> None:
    found = merged([CHOICE, *(variable(f"level_{i}", unit="m") for i in (1, 2, 3))])
    assert [(v.name, v.shape) for v in found] == [("valve", []), ("level", [3])]


def test_numbered_variables_that_differ_stay_apart() -> None:
    apart = [variable("a_1", unit="m"), variable("a_2"), variable("a_3", unit="s")]
    assert merged(apart) == apart


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ([variable("level")], "no decision is left"),
        ([variable("dose", "decision")], "needs numbers for low and high"),
        ([variable("dose", "decision", low=1, high=1)], "only one possible value"),
        ([CHOICE, variable("x", low=3, high=2)], "low 3 is above high 2"),
        ([CHOICE, variable("x", high="sizes")], "the range of x"),
        ([variable("n", "decision", dtype="integer", low=0, high=1e6)], "too many options"),
    ],
)
def test_what_cannot_be_a_state_or_an_action(variables: list[Variable], said: str) -> None:
    parameters = [Parameter(name="size", definition="", value=3)]
    assert any(said in line for line in complaints(variables, parameters))


def test_a_parameter_is_no_variable() -> None:
    kept, notes = without_repeats(
        [CHOICE, variable("size")], [Parameter(name="size", definition="", value=3)]
    )
    assert kept == [CHOICE]
    assert notes == ["left out size: it is a parameter"]


def test_a_limit_that_is_none_is_dropped_from_the_system_but_not_from_a_decision() -> None:
    kept, notes = without_repeats([variable("x", low=0, high="sizes - 1")], [])
    assert (kept[0].low, kept[0].high) == (0, None)
    assert "x has no high" in notes[0]
    wrong = variable("dose", "decision", low=0, high="sizes")
    assert without_repeats([wrong], [])[0] == [wrong]
