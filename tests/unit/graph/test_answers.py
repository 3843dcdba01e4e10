import io
from pathlib import Path

import pytest
from langgraph.types import Interrupt

from graph.answers import Answers, Terminal, answers_of, question_lines
from graph.arguments import Arguments, UsageError
from state.question import Question, Shown

QUESTION = Question(
    kind="clarify",
    agent="objective",
    text="Total or mean?",
    choices=["total", "mean"],
    assumption="total",
    shown=[Shown(title="spec.md", text="a\x1b[2J\n\tb")],
    how_to_answer="In words.",
)
PENDING = [Interrupt(value=QUESTION.model_dump(mode="json"), id="i")]


def typed(*lines: bytes) -> tuple[Answers, io.StringIO]:
    shown = io.StringIO()
    return Answers(terminal=Terminal(shown, io.BytesIO(b"".join(lines)))), shown


def test_question_is_shown_whole_and_harmless() -> None:
    assert question_lines(QUESTION) == [
        "--- spec.md",
        "a[2J",
        "    b",
        "",
        "Total or mean?",
        "  - total",
        "  - mean",
        "Assumed otherwise: total",
        "In words.",
    ]


def test_what_is_typed_is_the_answer_and_nonsense_is_asked_again() -> None:
    answers, shown = typed(b"\n", b"\xff\n", b" \x07\n", "größer\n".encode(), b"next\n")
    assert answers.next(QUESTION) == "größer\n"
    assert shown.getvalue().count("answer> ") == 4
    assert "Total or mean?" in shown.getvalue()
    assert shown.getvalue().count("is empty") == 2
    assert "broken character" in shown.getvalue()


def test_refused_answer_is_asked_again_with_the_reason_alone() -> None:
    answers, shown = typed(b"mean\n")
    assert answers.next(QUESTION, "There is no median.") == "mean\n"
    assert shown.getvalue() == "There is no median.\nanswer> "


def test_end_of_input_leaves_the_question_open() -> None:
    answers, _ = typed()
    assert answers.next(QUESTION) is None
    assert Answers().next(QUESTION) is None


def test_given_answer_serves_one_question() -> None:
    answers = Answers("total")
    assert answers.next(QUESTION) == "total"
    assert answers.next(QUESTION) is None


def test_answer_is_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "answer.md").write_text("the total\n")
    answers = answers_of(Arguments(resume="T", answer_file=str(tmp_path / "answer.md")), PENDING)
    assert answers.next(QUESTION) == "the total\n"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"\0", "not a text file"),
        (b"\xff", "not UTF-8"),
        (b"x" * 64_001, "too long"),
        (b"x" * 300_000, "far too long"),
    ],
)
def test_file_that_can_be_no_answer_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "answer").write_bytes(content)
    with pytest.raises(UsageError, match=says):
        answers_of(Arguments(resume="T", answer_file=str(tmp_path / "answer")), PENDING)


def test_answer_without_a_question_is_refused() -> None:
    with pytest.raises(UsageError, match="thread T waits for no answer"):
        answers_of(Arguments(resume="T", answer="total"))
