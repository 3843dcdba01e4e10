"""Where the answer to a run's question comes from: the command line, or the terminal."""

import sys
from collections.abc import Iterable, Sequence
from typing import BinaryIO, NamedTuple, TextIO

from langgraph.types import Interrupt

from graph.arguments import Arguments, UsageError
from graph.text_source import read_text
from nodes.person import answer_problem
from state.question import MOST_BYTES, Question


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
        return _typed(self._terminal)


def answers_of(arguments: Arguments, pending: Sequence[Interrupt] = ()) -> Answers:
    """Where the answers of a run come from that goes on with ``pending`` questions.

    Raises:
        UsageError: there is an answer but no question, or it can be no answer.
    """
    given = arguments.answer
    if arguments.answer_file is not None:
        advice = "answer with something shorter"
        given = read_text(arguments.answer_file, "the answer", MOST_BYTES, advice)
    if given is not None:
        if not pending:
            raise UsageError(f"thread {arguments.resume} waits for no answer; resume it without")
        problem = answer_problem(given, MOST_BYTES)
        if problem:
            raise UsageError(problem)
    on_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
    return Answers(given, Terminal(sys.stderr, sys.stdin.buffer) if on_terminal else None)


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


def _typed(terminal: Terminal) -> str | None:
    """A line that can be an answer; None where there will be no more of them."""
    while True:
        print("answer> ", end="", file=terminal.shows, flush=True)
        typed = terminal.reads.readline()
        if not typed:
            print(file=terminal.shows, flush=True)
            return None
        text = typed.decode("utf-8", "surrogateescape")
        wrong = answer_problem(text, MOST_BYTES)
        if not wrong:
            return text
        print(wrong, file=terminal.shows, flush=True)


def _printable(lines: Iterable[str]) -> Iterable[str]:
    for line in lines:
        yield "".join(c for c in line.expandtabs(4) if c.isprintable())
