"""``llm_calls.jsonl``: every question to a model and what came back, one JSON line each.

A reply is in the journal before it is used. A run that was killed between a reply and the next
checkpoint finds it there when it asks the same question again, and does not pay for it twice.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from nodes.models.errors import ModelError
from nodes.models.redact import redact
from nodes.run_folder import append_line
from state.usage import ModelCall

JOURNAL = "llm_calls.jsonl"
"""Name of the file in the run folder."""

CUT_OFF = ("length", "max_tokens")
"""Finish reasons of a reply that the output limit cut off."""


class JournalLine(BaseModel):
    """One try at a call; ``reply`` is None and ``error`` is set where no answer came."""

    model_config = ConfigDict(extra="ignore")

    time: str = Field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="milliseconds"))
    agent: str
    model: str
    attempt: int = Field(description="1 for the agent's first answer, more for repairs")
    ordinal: int = Field(description="how many answers this agent had in the run before this one")
    messages: list[dict[str, str]] = Field(description="role and text of each message sent")
    reply: str | None = None
    finish_reason: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    cost: float | None = 0.0
    recorded: bool = False
    error: str | None = None
    max_output_tokens: int | None = None
    given_up: bool = Field(
        default=False,
        description="no reply, but the end of an exchange that came to nothing: it had ``attempt`` "
        "answers from ``ordinal`` on, and the agent is asked anew when the run goes on",
    )

    def call(self, *, from_journal: bool = False) -> ModelCall:
        """The account of an answered line."""
        return ModelCall(
            agent=self.agent,
            model=self.model,
            attempt=self.attempt,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            seconds=self.seconds,
            cost=self.cost,
            recorded=self.recorded,
            from_journal=from_journal,
        )

    def answers(self, asked: "JournalLine") -> bool:
        """Whether this line holds the reply to what ``asked`` is about to ask.

        What a repair complains of may be worded otherwise (a measured time, say); the reply that
        it is about may not.
        """
        if self.reply is None or (self.agent, self.ordinal) != (asked.agent, asked.ordinal):
            return False
        if self.finish_reason in CUT_OFF and self.max_output_tokens != asked.max_output_tokens:
            return False
        repair = len(asked.messages) > 1 and asked.messages[-2]["role"] == "ai"
        same = slice(None, -1) if repair else slice(None)
        return (
            self.model == asked.model
            and len(self.messages) == len(asked.messages)
            and self.messages[same] == asked.messages[same]
        )


class CallJournal:
    """Appends lines to a file; with ``path`` None it writes nothing and remembers nothing.

    The file is opened for each line, so that what was answered survives a killed run.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._kept: list[JournalLine] | None = None

    def write(self, line: JournalLine) -> None:
        """Append ``line``, without any API key in its error.

        Raises OSError if the file cannot be written.
        """
        if self.path is None:
            return
        entry: dict[str, Any] = line.model_dump(exclude_defaults=line.given_up)
        if line.error is not None:
            entry["error"] = redact(line.error)
        append_line(self.path, json.dumps(entry))

    def reply_to(self, asked: JournalLine) -> JournalLine | None:
        """The line with the reply to ``asked`` that an interrupted process of this run left."""
        return next((line for line in reversed(self._earlier()) if line.answers(asked)), None)

    def give_up(self, error: ModelError) -> None:
        """Note that the exchange that ended with ``error`` came to nothing.

        A run that goes on asks anew then, instead of hearing the same replies again.
        """
        if error.calls and not error.calls[-1].recorded:
            line = JournalLine(
                agent=error.calls[-1].agent,
                model=error.calls[-1].model,
                attempt=len(error.calls),
                ordinal=error.ordinal,
                messages=[],
                error=str(error),
                given_up=True,
            )
            self.write(line)

    def given_up(self, agent: str, ordinal: int) -> list[ModelCall]:
        """Accounts of what ``agent`` was answered from ``ordinal`` on in exchanges given up."""
        lines = [line for line in self._earlier() if line.agent == agent]
        ends = [line for line in lines if line.given_up and line.ordinal == ordinal]
        if not ends:
            return []
        answered = {line.ordinal: line for line in lines if line.reply is not None}
        places = range(ordinal, ordinal + ends[-1].attempt)
        return [answered.get(place, ends[-1]).call(from_journal=True) for place in places]

    def _earlier(self) -> list[JournalLine]:
        """What was in the file when it was first asked for."""
        if self._kept is None:
            there = self.path is not None and self.path.is_file() and not self.path.is_symlink()
            self._kept = read_journal(self.path) if self.path and there else []
        return self._kept


def read_journal(path: Path) -> list[JournalLine]:
    """Return the lines of a journal, but for those that a killed run left cut short.

    Raises OSError if the file cannot be read.
    """
    found = []
    for text in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        try:
            found.append(JournalLine.model_validate_json(text))
        except ValidationError:
            continue
    return found


def copy_answers(source: Path, target: Path, asked: Callable[[str], int]) -> None:
    """Copy the answered lines of a journal, of each agent the first ``asked(agent)``.

    Raises OSError if a file cannot be read or written.
    """
    for line in read_journal(source) if source.is_file() else []:
        if line.reply is not None and line.ordinal < asked(line.agent):
            CallJournal(target).write(line)
