"""``llm_calls.jsonl``: every question to a model and what came back, one JSON line each."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from nodes.models.redact import redact


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


class CallJournal:
    """Appends lines to a file; with ``path`` None it writes nothing.

    The file is opened for each line, so that what was answered survives a killed run.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path

    def write(self, line: JournalLine) -> None:
        """Append ``line``, without any API key in its error.

        Raises OSError if the file cannot be written.
        """
        if self.path is None:
            return
        entry: dict[str, Any] = line.model_dump()
        if line.error is not None:
            entry["error"] = redact(line.error)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")


def read_journal(path: Path) -> list[JournalLine]:
    """Return the lines of a journal; a last line cut short by a killed run is left out.

    Raises OSError if the file cannot be read and pydantic's ValidationError on a broken line.
    """
    lines = path.read_text(encoding="utf-8").split("\n")
    return [JournalLine.model_validate_json(line) for line in lines[:-1] if line.strip()]
