"""Every number and every sentence of a description can be pointed at."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.mentions import closest, mentions_of, shown
from nodes.sentences import quoted, sentences_of

TEXT = """# Three ovens

A bakery bakes up to 1,200 loaves a day, e.g. on Mondays. Each loaf costs 0.5
euro; a 15 % loss is usual.

- Ovens heat to −40 or +250 °C, at 10 kW, 20 kW and 30 kW.
- Gain: -30 - 35 log10(d), within 3-5 dB.
"""


def test_sentences_headings_and_items_stand_alone() -> None:
    assert sentences_of(TEXT) == [
        "# Three ovens",
        "A bakery bakes up to 1,200 loaves a day, e.g. on Mondays.",
        "Each loaf costs 0.5 euro; a 15 % loss is usual.",
        "- Ovens heat to −40 or +250 °C, at 10 kW, 20 kW and 30 kW.",
        "- Gain: -30 - 35 log10(d), within 3-5 dB.",
    ]


def test_all_numbers_are_mentioned_with_their_signs() -> None:
    values = [mention.value for mention in mentions_of(TEXT)]
    assert values == [3, 1200, 0.5, 15, -40, 250, 10, 20, 30, -30, 35, 3, 5]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("one of them", []),
        ("Half of two dozen", [0.5, 2, 12]),
        ("x2 and a1 are names, v1.2.3 is a version", []),
        ("2.5e3 units at (-4)", [2500, -4]),
        ("10MHz", [10]),
        ("ten days", [10]),
        ("2 million euros, 10k a day, two hundred orders", [2e6, 1e4, 200]),
        ("twenty-five at minus 5 degrees", [25, -5]),
        ("a share of 0,95 or .5", [0.95, 0.5]),
        ("1,200 kg", [1200]),
        ("数量从0到30个，每个成本2元", [0, 30, 2]),
        ("1’000 units with probability 1/4", [1000, 0.25]),
        ("3×10^5 and 2 · 10^-3 and 10**4", [3e5, 2e-3, 1e4]),
        ("1e5000 of them", []),
    ],
)
def test_what_counts_as_a_number(text: str, values: list[float]) -> None:
    assert [mention.value for mention in mentions_of(text)] == values


def test_the_items_of_one_list_share_a_line() -> None:
    lines = shown(mentions_of(TEXT), TEXT)
    assert sum(line.startswith("10, 20, 30 in “") for line in lines) == 1
    assert len(lines) == 11


def test_a_quote_is_the_sentence_that_is_pointed_at() -> None:
    assert quoted(TEXT, 3) == ("Each loaf costs 0.5 euro; a 15 % loss is usual.", "")
    assert quoted(TEXT, 0)[0] == quoted(TEXT, 6)[0] == ""
    assert quoted(TEXT, 0)[1]


@given(st.text(max_size=200))
def test_any_text_has_sentences_and_numbers(text: str) -> None:
    sentences = sentences_of(text)
    mentions = mentions_of(text)
    assert all(1 <= mention.sentence <= len(sentences) for mention in mentions)
    joined = "\n".join(shown(mentions, text))
    assert all(f"{mention.value:.12g}" in joined for mention in mentions)


def test_the_closest_mention_is_the_one_whose_words_fit() -> None:
    text = "Users are 200 m away. The transmit power is 200 mW."
    mentions = mentions_of(text)
    for words, sentence in (("distance of users m", 1), ("transmit power mW", 2)):
        found = closest(200, words, mentions, text)
        assert found is not None
        assert found.sentence == sentence
    assert closest(7, "anything", mentions, text) is None
