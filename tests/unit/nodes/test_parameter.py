"""Parameters take their values from the text, never from the model."""

import pytest

from nodes.mentions import mentions_of
from nodes.parameter import (
    AssumedNumber,
    NamedNumber,
    ParameterReply,
    complaints,
    parameters_from,
)
from nodes.sentences import sentences_of
from nodes.written_numbers import as_written

TEXT = "Three tanks hold 20, 30 and 50 litres. The three tanks leak 0.5 litres a day, at 10 MHz."
FIRST, SECOND = TEXT[:38], TEXT[39:]
MENTIONS, SENTENCES = mentions_of(TEXT), sentences_of(TEXT)


def named(name: str, value: float | list[float], unit: str = "") -> NamedNumber:
    return NamedNumber(value=value, name=name, definition="d", unit=unit)


def test_values_and_quotes_are_read_off_the_text() -> None:
    reply = ParameterReply(
        parameters=[named("size", [20, 30, 50], "litres"), named("tanks", 3), named("leak", 0.5)]
    )
    kept, notes = parameters_from(reply, MENTIONS, TEXT)
    assert {p.name: p.value for p in kept} == {"size": [20, 30, 50], "tanks": 3, "leak": 0.5}
    assert kept[0].quote == FIRST
    assert kept[2].quote == SECOND
    assert notes == [f"no parameter uses 10 of “{SECOND}”"]


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("previous_demand", "earlier_demand"),
        ("Previous demand", "earlier_demand"),
        ("previous_previous_demand", "earlier_previous_demand"),
        ("lambda", "lambda_value"),
        ("previous_time_step", "earlier_time_step"),
        ("demand", "demand"),
    ],
)
def test_a_reserved_name_is_changed_where_nothing_refers_to_it_yet(given: str, taken: str) -> None:
    kept, _ = parameters_from(ParameterReply(parameters=[named(given, 3)]), MENTIONS, TEXT)
    assert kept[0].name == taken


def test_what_the_text_does_not_say_is_complained_of_and_dropped() -> None:
    reply = ParameterReply(parameters=[named("ghost", 99), named("half_ghost", [20, 99])])
    assert all("the number 99 is not in" in line for line in complaints(reply, MENTIONS, SENTENCES))
    kept, notes = parameters_from(reply, MENTIONS, TEXT)
    assert kept == []
    assert "dropped ghost" in notes[0]


@pytest.mark.parametrize(
    ("value", "unit", "taken"),
    [
        (1e7, "Hz", (10, "MHz")),
        (1e4, "kHz", (10, "MHz")),
        (10, "MHz", (10, "MHz")),
        (-10, "MHz", (10, "MHz")),
        (0.05, "m3", (50, "litres")),
    ],
)
def test_a_number_converted_by_hand_is_taken_as_written(
    value: float, unit: str, taken: tuple[float, str]
) -> None:
    reply = ParameterReply(parameters=[named("x", value, unit)])
    assert complaints(reply, MENTIONS, SENTENCES) == []
    kept, _ = parameters_from(reply, MENTIONS, TEXT)
    assert (kept[0].value, kept[0].unit) == taken


@pytest.mark.parametrize(
    ("value", "unit"), [(20000, "litres"), (1e7, "items"), (0.1, ""), (5, "l")]
)
def test_what_the_unit_does_not_explain_is_not_taken(value: float, unit: str) -> None:
    assert as_written(value, unit, MENTIONS, SENTENCES) is None


def test_numbered_names_are_one_list() -> None:
    reply = ParameterReply(
        parameters=[named(f"size_{i}", v, "l") for i, v in ((1, 20), (2, 30), (3, 50))]
    )
    kept, _ = parameters_from(reply, MENTIONS, TEXT)
    assert [(p.name, p.value, p.unit) for p in kept] == [("size", [20, 30, 50], "l")]


def test_one_name_for_two_numbers_is_a_range() -> None:
    reply = ParameterReply(
        parameters=[named("size", 50), named("size", 20), named("leak", 0.5), named("leak", 0.5)]
    )
    kept, _ = parameters_from(reply, MENTIONS, TEXT)
    assert {p.name: p.value for p in kept} == {"size_low": 20, "size_high": 50, "leak": 0.5}


def test_an_assumption_carries_its_reason() -> None:
    assumed = AssumedNumber(name="days", definition="d", value=30, unit="", reason="a month")
    kept, notes = parameters_from(ParameterReply(parameters=[], assumed=[assumed]), MENTIONS, TEXT)
    assert (kept[0].value, kept[0].assumed, kept[0].quote) == (30, "a month", "")
    assert "assumed days = 30" in notes[0]
