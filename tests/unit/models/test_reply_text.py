"""Finding JSON in what a model wrote."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.models.reply_text import json_objects, refusal_in, runs_on, without_thoughts

ANSWER = {"name": "loaf", "sizes": [1, {"x": None}], "text": 'a { in } "quotes"'}
plain = st.text(alphabet=st.characters(exclude_characters="{}<>`", exclude_categories=["Cs"]))


@given(before=plain, after=plain)
def test_an_object_is_found_between_any_prose(before: str, after: str) -> None:
    assert json_objects(f"{before}{json.dumps(ANSWER)}{after}")[0] == ANSWER


@given(text=st.text() | st.text(alphabet='{}[]":,` \n<think>/'))
def test_any_text_gives_a_list_of_objects(text: str) -> None:
    assert all(isinstance(found, dict) for found in json_objects(text))


@pytest.mark.parametrize(
    "text",
    ["{" * 100_000, '{"a":' * 20_000, "[" * 100_000, '{"a":' + "[" * 100_000, "```" * 10_000],
    ids=["braces", "objects", "lists", "lists-in-object", "fences"],
)
def test_hostile_nesting_is_no_json(text: str) -> None:
    assert json_objects(text) == []


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("<think>so { maybe }</think> yes", " yes"),
        ("\n<think>\nhm\n</think>\n\nyes", "\n\nyes"),
        ("thoughts without their opening tag</think>yes", "yes"),
        ("<think>never closed", "never closed"),
        ('{"text": "a </think> inside"}', '{"text": "a </think> inside"}'),
        ("no thoughts", "no thoughts"),
    ],
)
def test_thoughts_are_cut_off(text: str, rest: str) -> None:
    assert without_thoughts(text) == rest


def test_the_longest_object_comes_first() -> None:
    text = 'As {"a": 1} shows, the answer is {"a": 1, "b": 2}.'
    assert json_objects(text) == [{"a": 1, "b": 2}, {"a": 1}]


@pytest.mark.parametrize("text", ['{"a": NaN}', '{"a": Infinity}', '{"a": 1', "[1, 2]", "3", "{}{"])
def test_what_is_no_json_object_is_not_taken(text: str) -> None:
    assert json_objects(text) == []


def test_line_breaks_within_a_string_are_read() -> None:
    assert json_objects('{"source": "def f():\n\treturn 1"}') == [
        {"source": "def f():\n\treturn 1"}
    ]


def test_a_loop_is_told_from_a_long_text() -> None:
    assert runs_on("start " + "and again the same words come round, " * 20)
    assert not runs_on(" ".join(str(number) for number in range(500)))
    assert not runs_on("")


def test_what_no_file_can_hold_is_left_out() -> None:
    text = '{"a\\u0000": "x\\ud800y", "b": ["\\u0007", "\\n"]}'
    assert json_objects(text) == [{"a": "xy", "b": ["", "\n"]}]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "I'm sorry, but I can't help with that. Ask me another.",
            "I'm sorry, but I can't help with that.",
        ),
        ("I cannot assist with this request.", "I cannot assist with this request."),
        ("<think>hm</think>\nI am unable to answer.", "I am unable to answer."),
        (
            "Es tut mir leid, dabei kann ich nicht helfen.",
            "Es tut mir leid, dabei kann ich nicht helfen.",
        ),
        ("Lo siento, no puedo.", "Lo siento, no puedo."),
        ('I cannot be sure, but here: {"a": 1}', ""),
        ("I think five.", ""),
        ("I know no such rule.", ""),
        ("", ""),
    ],
)
def test_a_refusal_in_plain_words_is_known(text: str, told: str) -> None:
    assert refusal_in(text) == told


@given(st.text())
def test_any_text_is_a_refusal_or_not(text: str) -> None:
    assert len(refusal_in(text)) <= 200
