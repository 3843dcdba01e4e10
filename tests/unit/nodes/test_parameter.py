"""Parameters take their values from the text, never from the model."""

from nodes.mentions import mentions_of
from nodes.parameter import (
    AssumedNumber,
    NamedNumbers,
    ParameterReply,
    complaints,
    parameters_from,
)
from nodes.sentences import sentences_of

TEXT = "Three tanks hold 20, 30 and 50 litres. The three tanks leak 0.5 litres a day, at -4 dB."
MENTIONS, SENTENCES = mentions_of(TEXT), sentences_of(TEXT)


def named(name: str, *numbers: int, unit: str = "") -> NamedNumbers:
    return NamedNumbers(numbers=list(numbers), name=name, definition="d", unit=unit)


def test_values_and_quotes_are_read_off_the_text() -> None:
    reply = ParameterReply(
        parameters=[named("size", 2, 3, 4, unit="litres"), named("tanks", 1, 5), named("leak", 6)]
    )
    kept, notes = parameters_from(reply, MENTIONS, SENTENCES)
    assert {p.name: p.value for p in kept} == {"size": [20, 30, 50], "tanks": 3, "leak": 0.5}
    assert kept[0].quote == SENTENCES[0]
    assert kept[2].quote == SENTENCES[1]
    assert notes == [f"no parameter uses -4 of “{SENTENCES[1]}”"]


def test_what_points_at_nothing_is_complained_of_and_dropped() -> None:
    reply = ParameterReply(parameters=[named("ghost", 99)])
    assert complaints(reply, len(MENTIONS)) == ["ghost: there is no number #99; the last one is #7"]
    kept, notes = parameters_from(reply, MENTIONS, SENTENCES)
    assert kept == []
    assert "dropped ghost" in notes[0]


def test_a_name_is_given_once() -> None:
    reply = ParameterReply(parameters=[named("size", 2), named("size", 3)])
    assert complaints(reply, len(MENTIONS)) == ["size is listed twice; list it once"]


def test_an_assumption_carries_its_reason() -> None:
    assumed = AssumedNumber(name="days", definition="d", value=30, unit="", reason="a month")
    kept, notes = parameters_from(
        ParameterReply(parameters=[], assumed=[assumed]), MENTIONS, SENTENCES
    )
    assert (kept[0].value, kept[0].assumed, kept[0].quote) == (30, "a month", "")
    assert "assumed days = 30" in notes[0]
