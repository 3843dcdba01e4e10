"""A reply that goes round in circles is used up to where it began to."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from nodes.models.budget import TokenBudget
from nodes.models.chosen import ChosenModel
from nodes.models.journal import CallJournal
from nodes.models.repetition import until_it_repeats, whole_things
from nodes.models.structured import call_structured
from tests.unit.models.plain_chat import Plain

NAMES = st.lists(st.text(max_size=6), min_size=1, max_size=6, unique=True)


def a_thing(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "limits": [{"low": 0}, {"low": 0}], **more}


@given(NAMES, st.integers(0, 200))
def test_what_came_before_the_first_repeated_name_stays(names: list[str], cut: int) -> None:
    first = [a_thing(name, sentence=i) for i, name in enumerate(names)]
    again = [a_thing(name, sentence=50 + i) for i, name in enumerate(names * 3)]
    whole = json.dumps({"title": 'a "tank" [{', "things": first + again})
    begun = whole.index(json.dumps(again[0])) + len(json.dumps(again[0]))
    kept = until_it_repeats(whole[: min(begun + cut, len(whole) - 2)])
    assert kept is not None
    assert json.loads(kept) == {"title": 'a "tank" [{', "things": first}


@given(NAMES, st.integers(1, 400))
def test_a_reply_without_repetition_is_left_alone(names: list[str], cut: int) -> None:
    whole = json.dumps({"things": [a_thing(name) for name in names]})
    assert until_it_repeats(whole) is None
    assert until_it_repeats(whole[:-cut]) is None


@given(st.text())
def test_any_text_can_be_asked_about(text: str) -> None:
    for kept in [until_it_repeats(text), *whole_things(text)]:
        assert kept is None or kept.startswith("{")


@given(NAMES, st.integers(2, 400))
def test_what_is_whole_of_a_list_stays(names: list[str], cut: int) -> None:
    things = [a_thing(name) for name in names]
    whole = json.dumps({"title": 'a "tank" [{', "things": things})
    for kept in whole_things(whole[:-cut])[-1:]:
        read = json.loads(kept)["things"]
        assert read[:-1] == things[: len(read) - 1]
        assert read[-1]["name"] == names[len(read) - 1]
    assert whole_things(whole) == []


def test_a_list_within_a_thing_that_repeats_is_closed_with_all_around_it() -> None:
    inner = ", ".join('{"item": "a", "score": 1}' for _ in range(3))
    kept = until_it_repeats('Here: {"outer": {"items": [' + inner + ', {"item": "a", "sc')
    assert kept is not None
    assert json.loads(kept) == {"outer": {"items": [{"item": "a", "score": 1}]}}


class Thing(BaseModel):
    name: str


class Things(BaseModel):
    things: list[Thing]


class Owner(BaseModel):
    name: str
    of: list[dict[str, int]] = Field(min_length=2)


class Owned(BaseModel):
    things: list[Owner]


def test_an_answer_that_went_in_circles_is_no_lost_call() -> None:
    text = '{"things": [' + '{"name": "a"}, {"name": "b"}, ' * 9 + '{"na'
    chat = Plain(text=text, finish_reason="length")
    model = ChosenModel(name="openai:plain", reason="a test", chat=chat, provider="openai")
    reply = call_structured(
        model,
        Things,
        [("human", "Name two things.")],
        agent="variable",
        budget=TokenBudget(None),
        journal=CallJournal(None),
    )
    assert [thing.name for thing in reply.value.things] == ["a", "b"]
    assert len(reply.calls) == 1


def test_what_is_whole_of_an_answer_that_ran_on_is_used_where_no_longer_one_is_asked_for() -> None:
    whole = '{"things": [' + ", ".join(f'{{"name": "{k}", "of": [{{}}, {{}}]}}' for k in "abcd")
    chat = Plain(text=whole[:-4], finish_reason="length")
    model = ChosenModel(name="local:plain", reason="a test", chat=chat, provider="local")
    reply = call_structured(
        model,
        Owned,
        [("human", "Name things.")],
        agent="variable",
        budget=TokenBudget(None),
        journal=CallJournal(None),
        lengthen=False,
    )
    assert [thing.name for thing in reply.value.things] == ["a", "b", "c"]
    assert len(reply.calls) == 1
