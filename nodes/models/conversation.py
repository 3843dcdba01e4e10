"""The messages that are sent: the agent's own, a schema that must be shown, a repair."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, convert_to_messages

PROMPTS = Path(__file__).parent.parent / "prompts"

LONGEST_REPLY_SHOWN = 6000
"""Characters of a bad reply that go back to the model: enough to see its own mistake in."""


@cache
def _template(name: str) -> Template:
    return Template((PROMPTS / name).read_text(encoding="utf-8").strip())


def printable(text: str) -> str:
    """Return ``text`` with lone surrogates replaced, so that it can be sent and stored."""
    return text.encode("utf-8", "replace").decode("utf-8")


def as_messages(pairs: Sequence[tuple[str, str]]) -> list[BaseMessage]:
    """Return chat messages for pairs of role (system, human, ai, ...) and text."""
    return convert_to_messages([(role, printable(text)) for role, text in pairs])


def as_pairs(messages: Sequence[BaseMessage]) -> list[tuple[str, str]]:
    """Return role and text of each message."""
    return [(message.type, str(message.text)) for message in messages]


def with_schema(messages: Sequence[BaseMessage], schema: dict[str, Any]) -> list[BaseMessage]:
    """Return the messages with the JSON schema shown at the end of the last one."""
    shown = _template("schema.md").substitute(schema=json.dumps(schema))
    last = str(messages[-1].text)
    return [*messages[:-1], HumanMessage(f"{last}\n\n{shown}")]


def with_repair(
    messages: Sequence[BaseMessage], reply: str, complaints: Sequence[str]
) -> list[BaseMessage]:
    """Return the messages followed by the model's own reply and what is wrong with it."""
    listed = "\n".join(f"- {complaint}" for complaint in complaints)
    asked = HumanMessage(_template("repair.md").substitute(complaints=listed))
    if not reply.strip():
        return [*messages, asked]
    shown = reply
    if len(reply) > LONGEST_REPLY_SHOWN:
        shown = reply[:LONGEST_REPLY_SHOWN] + " …"
    return [*messages, AIMessage(shown), asked]
