"""Answers of all kinds, put to a real interrupt: none crashes, none is taken without a look."""

import unicodedata
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import is_invalid_resume
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command
from pydantic import ValidationError

from nodes.person import answer_problem, answered, put
from state.question import LONGEST_ANSWER, MOST_BYTES, Answered, Question, Shown
from state.run_state import RunState

QUESTION = Question(
    kind="clarify",
    agent="objective",
    text="Is it the total or the mean?",
    choices=["total", "mean"],
    assumption="the total",
)


def ask(state: RunState) -> dict[str, Any]:
    answer = put(QUESTION, lambda text: "There is no median." if text == "median" else "")
    return {"answers": answered(state, QUESTION, answer)}


builder = StateGraph(RunState)
builder.add_node("ask", ask)
builder.add_edge(START, "ask")
builder.add_edge("ask", END)
APP = builder.compile(checkpointer=InMemorySaver())


class Asked:
    """A thread that waits with the question."""

    def __init__(self) -> None:
        self.config: Any = {"configurable": {"thread_id": str(uuid4())}}
        APP.invoke(RunState(description="d"), self.config)

    @property
    def pending(self) -> Any:
        return APP.get_state(self.config).interrupts

    def answer(self, answer: Any) -> list[Answered]:
        resume: Command[Any] = Command(resume={self.pending[0].id: answer})
        answers = APP.invoke(resume, self.config)["answers"]
        assert isinstance(answers, list)
        return answers


def test_the_question_travels_as_plain_json() -> None:
    (waiting,) = Asked().pending
    assert waiting.value == QUESTION.model_dump(mode="json")
    assert waiting.response_schema["type"] == "string"


def test_an_answer_is_kept_with_its_question() -> None:
    assert Asked().answer("  the mean\n") == [
        Answered(kind="clarify", agent="objective", question=QUESTION.text, answer="the mean")
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
CONTROLS = st.text(st.characters(categories=["Cc", "Cf", "Zs", "Zl", "Zp"]), max_size=20)
SURROGATES = st.text(st.characters(categories=["Cs", "Ll"]), min_size=1, max_size=20)
LANGUAGES = st.sampled_from(
    [
        "總和",
        "ধন্যবাদ",
        "den Mittelwert, bitte",
        "المجموع",
        "сумма",
        "平均値",
        "👍🏽",
        "👩‍👩‍👧 ja",
        "é" * 4000,
    ]
)
HUGE = st.integers(LONGEST_ANSWER - 2, LONGEST_ANSWER * 30).map(lambda n: "x" * n)


@pytest.mark.slow
@given(answer=JSON | CONTROLS | SURROGATES | LANGUAGES | HUGE | st.binary(max_size=20))
@example(answer=None)
@example(answer="")
@example(answer={})
@example(answer=" \t\n\u200b\ufeff")
@example(answer="\ud83d")
@example(answer="median")
@example(answer="{why}")
@example(answer="yes\x00")
@example(answer={"answer": {"answer": ["total"]}})
@settings(max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_answer_is_taken_as_it_is_or_leaves_the_question_pending(answer: Any) -> None:
    asked = Asked()
    before = asked.pending
    why = answer_problem(answer) or ("There is no median." if answer == "median" else "")
    if why:
        with pytest.raises(ValidationError) as refused:
            asked.answer(answer)
        assert is_invalid_resume(refused.value)
        assert refused.value.errors()[0]["msg"] == why
        assert asked.pending == before
        answer = "total"
    else:
        assert 0 < len(answer) <= LONGEST_ANSWER
        assert any(unicodedata.category(c)[0] not in "CZ" for c in answer)
    assert [given.answer for given in asked.answer(answer)] == [answer.strip()]
    assert not asked.pending


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (None, "not nothing"),
        (3, "not a number"),
        (True, "not true or false"),
        (["total"], "not a list"),
        ({"answer": "total"}, "not an object"),
        (b"total", "not that"),
        ("", "is empty"),
        ("\x1b\x07", "is empty"),
        ("total\x1b[2J", "control characters"),
        ("\udcff", "broken character"),
        ("x" * 4001, "4,001 characters where at most 4,000"),
    ],
)
def test_what_is_wrong_with_an_answer_is_said(answer: Any, says: str) -> None:
    assert says in answer_problem(answer)


def test_a_question_names_long_things_instead_of_holding_them() -> None:
    with pytest.raises(ValidationError, match="name long things by their path"):
        Question(
            kind="approve_code",
            agent="coding",
            text="Is it right?",
            shown=[Shown(title="environment.py", text="x" * MOST_BYTES)],
        )
