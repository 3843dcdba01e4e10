"""What stands in the description, and what does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.grounding import has_number, is_quoted, numbers_in, sentence_with
from nodes.parameter import complaints, grounded
from state.parameters import Parameter

TEXT = (
    "A bakery bakes up to 1,200 loaves a day, in three ovens. Each loaf costs 0.5 and is sold for "
    "2.25 euro; a 15 % loss is usual. Ovens heat to −40…+250 °C.\nLate orders cost ‘ten’ more."
)


@pytest.mark.parametrize(
    "quote",
    ["Each loaf costs 0.5", "each  LOAF costs 0.5 ", "up to 1,200 ... ovens", "cost 'ten' more."],
)
def test_quotes_are_found(quote: str) -> None:
    assert is_quoted(quote, TEXT)


@pytest.mark.parametrize("quote", ["", "...", "each loaf costs 0.6", "ovens ... bakery"])
def test_invented_quotes_are_not(quote: str) -> None:
    assert not is_quoted(quote, TEXT)


@pytest.mark.parametrize("number", [1200, 3, 0.5, 2.25, 15, 0.15, -40, 250, 10])
def test_numbers_are_found_as_digits_words_and_shares(number: float) -> None:
    assert has_number(number, TEXT)


@pytest.mark.parametrize("number", [200, 2, 25, 0.05, 7])
def test_parts_of_numbers_are_no_numbers(number: float) -> None:
    assert not has_number(number, TEXT)


def test_numbers_touching_units_count() -> None:
    assert numbers_in("10MHz at -174dBm/Hz over 5-10 km") == {10, 174, 5}


def test_sentence_with_a_number() -> None:
    assert sentence_with(0.5, TEXT).startswith("Each loaf costs 0.5")
    assert sentence_with(99, TEXT) == ""


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_is_answered(quote: str, text: str) -> None:
    assert is_quoted(quote, text) in (True, False)
    assert all(number >= 0 for number in numbers_in(text))


def parameter(name: str, value: float, quote: str = "", assumed: str = "") -> Parameter:
    return Parameter(name=name, definition="", value=value, quote=quote, assumed=assumed)


def test_an_invented_number_is_complained_of_and_dropped() -> None:
    invented = parameter("bakers", 7, quote="7 bakers")
    assert "is not in the description" in complaints([invented], TEXT)[0]
    kept, notes = grounded([invented], TEXT)
    assert kept == []
    assert "dropped bakers" in notes[0]


def test_a_right_number_with_loose_words_gets_its_sentence() -> None:
    loose = parameter("ovens", 3, quote="there are three ovens")
    assert complaints([loose], TEXT)
    kept, _ = grounded([loose], TEXT)
    assert kept[0].quote.startswith("A bakery")


def test_a_number_of_the_description_is_never_an_assumption() -> None:
    kept, notes = grounded([parameter("ovens", 3, assumed="the bakery has three")], TEXT)
    assert (kept[0].assumed, notes) == ("", [])
    assert kept[0].quote.startswith("A bakery")


def test_an_open_assumption_stays_and_is_noted() -> None:
    assumed = parameter("opening_hours", 8, assumed="a working day")
    assert complaints([assumed], TEXT) == []
    kept, notes = grounded([assumed], TEXT)
    assert kept == [assumed]
    assert "assumed opening_hours" in notes[0]
