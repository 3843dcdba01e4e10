"""What of a reviewer's reply becomes a doubt."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.correction.items import Item
from nodes.review import ReviewReply, model_doubts, reply_schema, with_count
from state.question import Answered
from state.review import Assumption, Doubt
from state.run_state import RunState

STATE = RunState(description="The tank is small. It holds 40 litres.")
ITEMS = [Item("capacity", "40", "40"), Item("leak", "2", "2")]


def reply(*scores: float, **more: Any) -> ReviewReply:
    items = [
        {"item": item.name, "sentence": 2, "reason": "it says so", "score": score}
        for item, score in zip(ITEMS, scores, strict=True)
    ]
    return reply_schema(ITEMS).model_validate({"items": items, **more})


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_a_score_under_the_threshold_is_a_doubt(one: float, other: float, limit: float) -> None:
    found = model_doubts(reply(one, other), STATE, limit)
    expected = [i.name for i, s in zip(ITEMS, (one, other), strict=True) if s < limit]
    assert [doubt.item for doubt in found] == expected
    assert all(doubt.evidence == "It holds 40 litres." for doubt in found)


@pytest.mark.parametrize(("given_score", "taken"), [(95, 0.95), (1, 1.0), (0.3, 0.3), (100, 1.0)])
def test_per_cent_are_taken_for_a_score(given_score: float, taken: float) -> None:
    assert reply(given_score, 1).items[0].score == taken


@pytest.mark.parametrize("wrong", [-0.1, 101, "high", None])
def test_anything_else_is_no_score(wrong: Any) -> None:
    with pytest.raises(ValueError, match="score"):
        reply(wrong, 1)


def test_an_item_that_was_not_asked_about_is_refused() -> None:
    items = [{"item": n, "sentence": 0, "reason": "", "score": 1} for n in ("capacity", "ghost")]
    with pytest.raises(ValueError, match="'capacity' or 'leak'"):
        reply_schema(ITEMS).model_validate({"items": items})


OPEN = {
    "item": "leak", "why": "a day or an hour", "question": "Per day or per hour? ",
    "choices": ["day", "hour", "day", " "], "assumption": "per day",
}  # fmt: skip


def test_what_is_left_open_is_a_doubt_with_a_question() -> None:
    (found,) = model_doubts(reply(1, 1, open=[OPEN, {**OPEN, "question": " "}]), STATE, 0.8)
    assert found.open_point is not None
    assert found.open_point.question == "Per day or per hour?"
    assert found.open_point.choices == ["day", "hour"]


@pytest.mark.parametrize("how", ["answered", "assumed"])
def test_what_is_settled_is_left_open_no_more(how: str) -> None:
    question = "Per day or per hour?"
    answer = Answered(kind="clarify", agent="parameter", question=question, answer="day")
    assumed = Assumption(agent="parameter", question=question, assumption="per day")
    update = {"answers": [answer]} if how == "answered" else {"assumptions": [assumed]}
    state = STATE.model_copy(update=update)
    assert model_doubts(reply(1, 1, open=[OPEN]), state, 0.8) == []


def test_what_is_open_may_be_named_otherwise_the_next_time() -> None:
    first = model_doubts(reply(1, 1, open=[OPEN]), STATE, 0.8)
    again = model_doubts(reply(1, 1, open=[{**OPEN, "item": "the leak"}]), STATE, 0.8)
    assert [d.seen for d in with_count(again, with_count(first, []))] == [2]


def test_reviews_in_a_row_are_counted_for_each_doubt() -> None:
    def doubts(*names: str) -> list[Doubt]:
        return [Doubt(item=name, score=0, reason="r", found_by="rule") for name in names]

    once = with_count(doubts("a", "b"), [])
    twice = with_count(doubts("b", "c"), once)
    assert {d.item: d.seen for d in twice} == {"b": 2, "c": 1}
    assert {d.item: d.seen for d in with_count(doubts("a"), twice)} == {"a": 1}
