"""What becomes a question to a person, and what does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.correction.items import items_of, readings
from nodes.correction.questions import LONGEST_TEXT, MOST_POINTS, pending_question, question_about
from state.parameters import Parameter
from state.question import MOST_BYTES
from state.review import Doubt, OpenPoint, Review
from state.run_state import RunState

FEE = Parameter(name="fee", definition="fee for a loaf", value=2, unit="euros")


def point(question: str) -> OpenPoint:
    return OpenPoint(question=question, choices=["this", "that"], assumption="this")


def doubt(item: str = "fee", *, seen: int = 2, asks: str = "") -> Doubt:
    return Doubt(
        item=item, score=0.2, reason="r", found_by="model", seen=seen,
        open_point=point(asks) if asks else None,
    )  # fmt: skip


def reviewed(*doubts: Doubt, **review: object) -> RunState:
    given_fields = {"doubts": list(doubts), "reexaminations": 1, **review}
    return RunState(
        description="d",
        parameters=[FEE],
        reviews={"parameter": Review.model_validate(given_fields)},
    )


def test_only_what_is_open_is_asked() -> None:
    assert question_about("parameter", reviewed(doubt())) is None
    question = question_about("parameter", reviewed(doubt(asks="Which?")))
    assert question is not None
    assert (question.kind, question.agent, question.text) == ("clarify", "parameter", "Which?")
    assert (question.choices, question.assumption) == (["this", "that"], "this")


def test_a_doubt_that_only_one_review_had_is_not_asked() -> None:
    assert question_about("parameter", reviewed(doubt(seen=1, asks="Which?"))) is None


def test_what_a_rule_asks_is_not_asked_again_in_other_words() -> None:
    by_rule = doubt(asks="What is the fee for each unsold loaf?").model_copy(
        update={"found_by": "rule"}
    )
    other = doubt("loaf", asks="How many euros does the farmer charge for each unsold loaf?")
    different = doubt("days", asks="How long does an episode last?")
    question = question_about("parameter", reviewed(other, by_rule, different))
    assert question is not None
    assert question.text == (
        "1. What is the fee for each unsold loaf? 2. How long does an episode last?"
    )


def test_two_readings_that_differ_are_asked() -> None:
    differing = reviewed(doubt(), readings={"fee": "3 euros"})
    question = question_about("parameter", differing)
    assert question is not None
    assert question.text == "Which is right for fee: 3 euros or 2 euros?"
    assert question.choices == ["3 euros", "2 euros"]
    assert question.assumption == "2 euros"
    assert question_about("parameter", reviewed(doubt(), readings={"fee": "2 euros"})) is None


@pytest.mark.parametrize("settled", ["answered", "assumed"])
def test_what_is_settled_is_not_asked_again(settled: str) -> None:
    state = reviewed(doubt(asks="Which?"), settled=settled)
    assert question_about("parameter", state) is None
    assert pending_question(state) is None


def test_several_points_are_one_question() -> None:
    state = reviewed(doubt(asks="Which?"), doubt("other", asks="When?"), doubt(asks="Which?"))
    question = question_about("parameter", state)
    assert question is not None
    assert question.text == "1. Which? 2. When?"
    assert question.choices == ["1. this", "1. that", "2. this", "2. that"]
    assert question.assumption == "1. this; 2. this"
    assert pending_question(state) == ("parameter", question)


@given(st.lists(st.text(min_size=1, max_size=50_000), min_size=1, max_size=6, unique=True))
def test_a_question_is_never_too_large(texts: list[str]) -> None:
    question = question_about("parameter", reviewed(*(doubt(asks=text) for text in texts)))
    assert question is not None
    assert len(question.model_dump_json().encode()) < MOST_BYTES
    assert len(question.text) <= MOST_POINTS * (LONGEST_TEXT + 4)


@given(st.text(max_size=30), st.text(max_size=30))
def test_other_words_are_no_other_reading(one: str, other: str) -> None:
    def read(definition: str) -> dict[str, str]:
        fee = FEE.model_copy(update={"definition": definition})
        state = RunState(description="d", parameters=[fee])
        return readings(items_of("parameter", state))

    assert read(one) == read(other) == {"fee": "2 euros"}
