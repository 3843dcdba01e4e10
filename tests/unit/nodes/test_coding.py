"""Which code bodies are asked for again, and how the model sees its earlier answer."""

import pytest

from nodes.agent import prompt_templates, shown_again
from nodes.body_rules import same_code
from nodes.code_bodies import blamed_bodies
from state.artefacts import BodySource
from state.findings import Finding, Owner
from state.objective import Objective
from state.parameters import Parameter
from state.variables import Variable
from tests.unit.nodes.test_body_rules import BODY


def finding(message: str, owner: Owner = "coding", place: str = "") -> Finding:
    return Finding(check="c", owner=owner, message=message, place=place)


@pytest.mark.parametrize(
    ("findings", "blamed"),
    [
        ([], set()),
        ([finding("draw raises KeyError")], {"draw"}),
        ([finding("it raises", place="environment.py, line 3, in draw: x")], {"draw"}),
        ([finding("withdraw is wrong")], {"draw", "move"}),
        ([finding("stock leaves its declared range")], {"draw", "move"}),
        ([finding("the reward is turned round", "sar")], set()),
        ([finding("a remark", "environment"), finding("move gives NaN")], {"move"}),
    ],
)
def test_bodies_are_blamed_by_name_and_all_where_none_is_named(
    findings: list[Finding], blamed: set[str]
) -> None:
    assert blamed_bodies(findings, ["draw", "move"]) == blamed


def test_code_is_shown_again_as_code() -> None:
    source = "def draw(rng):\n    return rng.normal()\n"
    assert shown_again(BodySource(name="draw", source=source)) == source.strip()
    assert shown_again(None) == ""
    piece = Objective(sense="minimize", statement="s", measure="m")
    assert shown_again(piece) == piece.model_dump_json(exclude_defaults=True)


def test_question_says_what_each_number_may_be() -> None:
    quantities = {
        "valve": Variable(
            name="valve", role="decision", definition="the valve", dtype="integer",
            labels=["open", "shut"],
        ),
        "previous_level": Variable(
            name="level", role="system", definition="the level", dtype="real", low=0, high="room",
            unit="m",
        ),
        "counts": Variable(
            name="counts", role="system", definition="counts", dtype="integer", shape=[3], low=0
        ),
        "room": Parameter(name="room", definition="the room", value=4.0),
        "time_step": None,
    }  # fmt: skip
    template = prompt_templates().get_template("coding.md")
    text = template.render(body=BODY, quantities=quantities, first=True)
    again = template.render(body=BODY, quantities=quantities, first=False)
    for line in (
        "- valve: the valve, one number: 0 for open, 1 for shut",
        "- previous_level: the level at the start of the step, in m, one number, at least 0, "
        "at most room",
        "- counts: counts, a numpy array of shape [3], whole, at least 0",
        "- room: the room, one number, always 4",
        "- time_step: the number of the step, from 0",
    ):
        assert f"{line}\n" in text
        assert f"{line}\n" in again


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("def f(x):\n    return x", "def f(x):  # as before\n\n  return x\n", True),
        ("def f(x):\n    return x", "def f(x):\n    return x + 1", False),
        ("def f(x:", "def f(x:\n", True),
        ("def f(x:", "def f(x):\n    return x", False),
    ],
)
def test_same_code_may_be_spaced_otherwise(one: str, other: str, same: bool) -> None:
    assert same_code(one, other) is same
