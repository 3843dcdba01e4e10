"""Parameters take their values from the text, never from the model."""

import pytest

from nodes.mentions import mentions_of
from nodes.parameter import (
    AssumedNumber,
    NamedNumber,
    ParameterReply,
    as_written,
    complaints,
    parameters_from,
)

TEXT = "Three tanks hold 20, 30 and 50 litres. The three tanks leak 0.5 litres a day, at 10 MHz."
FIRST, SECOND = TEXT[:38], TEXT[39:]
MENTIONS = mentions_of(TEXT)


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


def test_what_the_text_does_not_say_is_complained_of_and_dropped() -> None:
    reply = ParameterReply(parameters=[named("ghost", 99), named("half_ghost", [20, 99])])
    assert all("the number 99 is not in" in line for line in complaints(reply, MENTIONS))
    kept, notes = parameters_from(reply, MENTIONS, TEXT)
    assert kept == []
    assert "dropped ghost" in notes[0]


@pytest.mark.parametrize("value", [1e7, 1e4, 10, -10])
def test_a_number_converted_by_hand_is_taken_as_written(value: float) -> None:
    reply = ParameterReply(parameters=[named("bandwidth", value, "Hz")])
    assert complaints(reply, MENTIONS) == []
    kept, _ = parameters_from(reply, MENTIONS, TEXT)
    assert kept[0].value == 10
    assert kept[0].unit == ("Hz" if value == 10 else "MHz")


def test_only_powers_of_a_thousand_and_per_cent_are_undone() -> None:
    assert as_written(0.02, MENTIONS) == 20
    assert as_written(40, MENTIONS) is None


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
