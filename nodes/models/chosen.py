"""The model that a run asks, and how its provider is spoken to."""

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import BaseMessage

from nodes.models.failures import Failure
from nodes.models.prices import Price
from nodes.models.tokens import estimate_prompt

Provider = Literal["openai", "ollama", "local", "recorded"]
Fills = Literal["lines", "odds"]


@dataclass(frozen=True)
class Ask:
    """What one request needs beside its messages.

    With ``fills`` the messages are what stands before and behind one line of code, and what stands
    there or may stand there, a line each: "lines" asks for at most ``most`` lines to put in its
    place, "odds" for the logarithm of the probability of each, as many lines.
    """

    agent: str
    ordinal: int
    schema_name: str
    schema: dict[str, Any]
    max_output_tokens: int
    temperature: float = 0.0
    fills: Fills | None = None
    most: int = 1


class Wire:
    """How one provider is asked for JSON, and how its errors read.

    This base class suits a model that needs no special arguments and raises only
    ``ModelError``; each provider overrides what differs.
    """

    schema_in_prompt: bool = False
    """True while the provider does not enforce the schema, so that the prompt must show it."""

    fills: bool = False
    """True if the model was trained to write what is missing inside a text, and can be asked to."""

    def arguments(self, ask: Ask) -> dict[str, Any]:
        """Return the keyword arguments for the chat model's ``invoke``."""
        return {}

    def failure(self, error: Exception) -> Failure | None:
        """Say what ``error`` means; None if it is not the provider's doing."""
        return None

    def concede(self, failure: Failure) -> bool:
        """Ask for less after a rejected request; False if there is nothing left to give up."""
        return False

    def count_tokens(self, messages: Sequence[BaseMessage]) -> int:
        """Return the length of the prompt in tokens, exact or estimated."""
        return estimate_prompt(messages)


@dataclass(frozen=True)
class Retry:
    """How often and how patiently a failed request is sent again; times in seconds."""

    tries: int = 4
    first_delay: float = 1.0
    longest_delay: float = 60.0
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = field(default=lambda: secrets.SystemRandom().uniform(0.5, 1.5))

    def delay(self, failures: int, retry_after: float | None) -> float:
        """Return the pause after ``failures`` failed tries; the server's own wish wins."""
        if retry_after is not None:
            return min(max(retry_after, 0.0), self.longest_delay)
        return min(self.first_delay * 2.0 ** (failures - 1) * self.jitter(), self.longest_delay)


@dataclass
class ChosenModel:
    """A model that can serve, and why it was taken.

    ``context_tokens`` is the longest prompt plus reply, None where unknown; ``price`` is None
    where no price is known.
    """

    name: str
    reason: str
    chat: BaseChatModel
    provider: Provider
    context_tokens: int | None = None
    recorded: bool = False
    price: Price | None = None
    wire: Wire = field(default_factory=Wire)
    retry: Retry = field(default_factory=Retry)
