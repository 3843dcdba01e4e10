"""Where the answer to a run's question comes from: the command line, or the terminal."""

import os
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple, TextIO

from langgraph.types import Interrupt

from graph.arguments import Arguments, UsageError
from graph.text_source import read_text
from nodes.person import answer_problem
from state.question import MOST_BYTES, Question

APPROVALS = frozenset({"approve_spec", "approve_code", "approve_policy"})
EDITED = frozenset({".json", ".py"})
EDIT = re.compile(r"edit\s*:\s*(\S[^\n{}]*)", re.IGNORECASE)


class Terminal(NamedTuple):
    """Where questions are shown to a person, and their answers read from."""

    shows: TextIO
    reads: BinaryIO


class Answers:
    """Gives each question of a run its answer, as far as there is somebody to answer.

    Args:
        given: answer to the question that is pending when the run goes on, or None.
        terminal: where a person can be asked, or None.
    """

    def __init__(self, given: str | None = None, terminal: Terminal | None = None) -> None:
        self._given = given
        self._terminal = terminal

    def next(self, question: Question, refused: str = "") -> str | None:
        """The answer to ``question``, or None if nobody is there to give it.

        ``refused`` says why the answer before it was not taken.

        Raises:
            KeyboardInterrupt: the person wants to leave.
        """
        given, self._given = self._given, None
        if given is not None or self._terminal is None:
            return given
        lines = [refused] if refused else ["", *question_lines(question)]
        print("\n".join(lines), file=self._terminal.shows, flush=True)
        return _typed(self._terminal, question)


def answers_of(arguments: Arguments, pending: Sequence[Interrupt] = ()) -> Answers:
    """Where the answers of a run come from that goes on with ``pending`` questions.

    Raises:
        UsageError: there is an answer but no question, or it can be no answer.
    """
    given, file = arguments.answer, arguments.answer_file
    if given is not None or file is not None:
        if not pending:
            raise UsageError(f"thread {arguments.resume} waits for no answer; resume it without")
        question = Question.model_validate(pending[0].value)
        if file is not None:
            given = _read(file)
            if Path(file).suffix in EDITED and question.kind in APPROVALS:
                given = f"edit:\n{given}"
        given = _complete(given or "", question)
    on_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
    return Answers(given, Terminal(sys.stderr, sys.stdin.buffer) if on_terminal else None)


def _complete(answer: str, question: Question) -> str:
    """``answer``, in place of a file that it names as the edit of a piece the file's text.

    What is no file here is left as it is: it may be one of the run folder.

    Raises:
        UsageError: it can be no answer, or the file cannot be read.
    """
    named = EDIT.fullmatch(answer.strip())
    if named and question.kind in APPROVALS and os.path.isfile(named[1]):
        answer = f"edit:\n{_read(named[1])}"
    problem = answer_problem(answer, MOST_BYTES)
    if problem:
        raise UsageError(problem)
    return answer


def _read(file: str) -> str:
    return read_text(file, "the answer", MOST_BYTES, "answer with something shorter")


def question_lines(question: Question) -> list[str]:
    """The question as a person reads it, without what could move the cursor of a terminal."""
    lines = []
    for shown in question.shown:
        lines += [f"--- {shown.title}", *shown.text.splitlines(), ""]
    lines += [question.text, *(f"  - {choice}" for choice in question.choices)]
    if question.assumption:
        lines.append(f"Assumed otherwise: {question.assumption}")
    if question.how_to_answer:
        lines.append(question.how_to_answer)
    return list(_printable(lines))


def _typed(terminal: Terminal, question: Question) -> str | None:
    """A line that can be an answer; None where there will be no more of them."""
    while True:
        print("answer> ", end="", file=terminal.shows, flush=True)
        typed = terminal.reads.readline()
        if not typed:
            print(file=terminal.shows, flush=True)
            return None
        try:
            return _complete(typed.decode("utf-8", "surrogateescape"), question)
        except UsageError as error:
            print(error, file=terminal.shows, flush=True)


def _printable(lines: Iterable[str]) -> Iterable[str]:
    for line in lines:
        yield "".join(c for c in line.expandtabs(4) if c.isprintable())
