"""Putting a question to a person: the one place where a run is interrupted for an answer.

A node that asks is run again from its start with the answer. So it does nothing else before it
asks, asks once, and catches nothing around it.
"""

import json
import unicodedata
from collections.abc import Callable
from typing import Annotated

from langgraph.types import interrupt
from pydantic import BeforeValidator, ConfigDict, RootModel
from pydantic_core import PydanticCustomError

from state.question import LONGEST_ANSWER, Answered, Question
from state.run_state import RunState

ALLOWED_CONTROLS = "\t\n\r"


def put(
    question: Question,
    complaint: Callable[[str], str] = lambda answer: "",
    *,
    longest: int = LONGEST_ANSWER,
    objects: bool = False,
) -> str:
    """Put ``question`` and return the answer, without white space around it.

    The run is interrupted with the question as JSON. An answer that is no text or empty, or about
    which ``complaint`` has something to say, is not taken: the question stays pending, and the
    error says why.

    Args:
        question: what is asked.
        complaint: what is wrong with an answer, in one sentence, or an empty string.
        longest: characters that an answer may have.
        objects: a JSON object, which a client may make of a text, is taken for that text.

    Raises:
        langgraph.errors.GraphInterrupt: there is no answer yet.
        pydantic.ValidationError: the answer was not taken; the question is still pending.
    """

    def taken(answer: object) -> str:
        if objects and isinstance(answer, dict):
            answer = json.dumps(answer, default=repr, skipkeys=True)
        wrong = answer_problem(answer, longest)
        text = answer.strip() if isinstance(answer, str) else ""
        wrong = wrong or complaint(text)
        if wrong:
            raise PydanticCustomError("answer_not_taken", "{why}", {"why": wrong})
        return text

    class Answer(RootModel[Annotated[str, BeforeValidator(taken)]]):
        """The answer, in words."""

        model_config = ConfigDict(hide_input_in_errors=True)

    return interrupt(question.model_dump(mode="json"), response_schema=Answer).root


def answer_problem(answer: object, longest: int = LONGEST_ANSWER) -> str:
    """One sentence saying why ``answer`` can be no answer to anything, or an empty string."""
    if not isinstance(answer, str):
        return f"An answer is a text, not {_kind_of(answer)}: say it in words."
    if any(unicodedata.category(c) == "Cs" for c in answer):
        return "The answer holds a broken character: send it as UTF-8 text."
    if not any(unicodedata.category(c)[0] not in "CZ" for c in answer):
        return "The answer is empty: say it in words."
    if any(unicodedata.category(c) == "Cc" and c not in ALLOWED_CONTROLS for c in answer):
        return "The answer holds control characters: send plain text."
    if len(answer) > longest:
        return (
            f"The answer is too long: {len(answer):,} characters where at most {longest:,} are "
            "taken."
        )
    return ""


def answered(state: RunState, question: Question, answer: str) -> list[Answered]:
    """All answers of the run so far and this one."""
    now = Answered(kind=question.kind, agent=question.agent, question=question.text, answer=answer)
    return [*state.answers, now]


def _kind_of(answer: object) -> str:
    names = {type(None): "nothing", bool: "true or false", dict: "an object", list: "a list"}
    return names.get(type(answer), "a number" if isinstance(answer, (int, float)) else "that")
