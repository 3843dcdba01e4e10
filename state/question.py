"""A question that a run puts to a person, and the answers that it has been given."""

from collections.abc import Sequence
from typing import Literal, Self

from pydantic import Field, model_validator

from state.piece import Piece

QuestionKind = Literal["clarify", "approve_spec", "approve_code", "approve_policy"]

MOST_BYTES = 64_000
"""Of a question as JSON: it is saved with the thread, and again each time that it is put."""
LONGEST_ANSWER = 4_000
"""Characters of an answer in words."""


class Shown(Piece):
    """Something to look at before answering: a short text, or where to find a long one."""

    title: str
    text: str


class Question(Piece):
    """What a person is asked, complete enough to be answered from this object alone."""

    kind: QuestionKind
    agent: str = Field(description="agent whose piece the question is about")
    text: str = Field(min_length=1, description="the question itself")
    choices: list[str] = Field(
        default_factory=list, description="answers to choose from; others are possible too"
    )
    assumption: str = Field(default="", description="what is assumed if nobody answers")
    shown: list[Shown] = Field(default_factory=list)
    how_to_answer: str = Field(default="", description="which answers are understood")

    @model_validator(mode="after")
    def _is_small(self) -> Self:
        size = len(self.model_dump_json().encode())
        if size > MOST_BYTES:
            raise ValueError(f"a question of {size:,} bytes; name long things by their path")
        return self


def told(description: str, answers: Sequence["Answered"]) -> str:
    """The description, and behind it what a person said when asked about it."""
    said = [f"{a.question} Answer: {a.answer}" for a in answers]
    return "\n\n".join([description, *said])


class Answered(Piece):
    """A question that was answered; an answer that is a whole file is named, not repeated."""

    kind: QuestionKind
    agent: str
    question: str
    answer: str = Field(max_length=LONGEST_ANSWER)
