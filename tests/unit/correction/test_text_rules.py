"""Rules about the description itself: what they find, and that they leave good texts alone."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.correction.text_rules import text_doubts
from state.parameters import Parameter
from state.review import Doubt

ROOT = Path(__file__).parents[3]
GOOD = [
    *ROOT.glob("benchmarks/tasks/*/description.md"),
    *ROOT.glob("benchmarks/flaws/clean/*.md"),
    *ROOT.glob("examples/*.md"),
]


def found(text: str, *parameters: Parameter) -> list[Doubt]:
    return list(text_doubts(text, list(parameters)))


@pytest.mark.parametrize("path", GOOD, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_good_text_is_left_alone(path: Path) -> None:
    assert found(path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("text", "item", "is_open"),
    [
        ("An order has at least 40 crates, and the lorry takes at most 25 crates.", "crates", True),
        ("Mindestens 9 Kisten und höchstens 4 Kisten passen hinein.", "kisten", True),
        ("It comes with probability 0.5, waits with probability 0.4, goes with a chance of 0.3.",
         "probability", False),
        ("A packet of power p arrives with probability 1 - exp(-p / theta).", "theta", True),
        ("The yard has 16 cranes. Each of the yard's 14 cranes costs 2 euros.", "cranes", True),
    ],
)  # fmt: skip
def test_what_does_not_agree_is_doubted(text: str, item: str, is_open: bool) -> None:
    (doubt,) = found(text)
    assert doubt.item == item
    assert (doubt.open_point is not None) == is_open
    assert doubt.evidence
    assert doubt.evidence in text


@pytest.mark.parametrize(
    "text",
    [
        "At least 4 crates and at most 25 crates.",
        "At least 40 crates are ordered, and at most 25 euros are spent.",
        "It comes with probability 0.5, waits with probability 0.3, goes with probability 0.2.",
        "It comes with probability 0.9, and then stays with probability 0.8.",
        "A packet of power p arrives with probability 1 - exp(-p / theta), where theta is 2.",
        "The threshold theta counts: power p arrives if p / theta is above 1.",
        "It moves at 3 m/s and speeds up by 2 m/s^2.",
        "The yard has 16 cranes. Each of the 16 cranes costs 2 euros.",
        "The yard has 16 cranes. On Sundays 14 cranes rest.",
    ],
)
def test_what_agrees_is_not_doubted(text: str) -> None:
    assert found(text) == []


def test_what_was_taken_for_a_symbol_is_the_assumption() -> None:
    taken = Parameter(name="theta", definition="scale", value=2.5, unit="mW", assumed="usual")
    (doubt,) = found("Sent with power p it arrives with probability exp(-p / theta).", taken)
    assert doubt.open_point is not None
    assert doubt.open_point.assumption == "theta = 2.5 mW"


@given(st.text(max_size=300))
def test_any_text_can_be_looked_at(text: str) -> None:
    for doubt in found(text):
        assert doubt.score == 0
        assert doubt.reason
