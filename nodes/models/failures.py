"""What a provider's error means: wait and try again, ask for less, or give up with a sentence."""

import re
from dataclasses import dataclass
from typing import Literal

from nodes.models.errors import (
    ContextTooLong,
    ModelError,
    ModelFailed,
    ModelRefused,
    ModelUnavailable,
)
from nodes.models.redact import one_line

Kind = Literal["unavailable", "unreachable", "busy", "rejected", "context", "refused", "failed"]
"""``unreachable`` and ``busy`` are worth another try, ``rejected`` is worth a simpler request."""

_CONTEXT = re.compile(
    r"context_length_exceeded|maximum context length|context size|context window"
    r"|exceed\w* (?:the )?(?:available )?context|prompt is too long|input tokens exceed",
    re.IGNORECASE,
)
_LIMIT = re.compile(r"(?:maximum context length is|context size \(?|n_ctx\W+)\s*(\d+)", re.I)
_NEEDED = re.compile(r"(?:resulted in|you requested|n_prompt_tokens\W+)\s*(\d+)", re.I)
_FILTER = re.compile(r"content_filter|content_policy|content management policy", re.I)
_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota", re.I)


@dataclass(frozen=True)
class Server:
    """Who was asked, in words for a user: the model, where, and how its key is given."""

    model: str
    url: str
    key_advice: str
    model_advice: str


@dataclass(frozen=True)
class Failure:
    """A provider's error, read: ``sentence`` says what is wrong and what to do.

    ``retry_after`` in seconds and ``needed`` / ``limit`` in tokens where the server told them.
    """

    kind: Kind
    sentence: str
    detail: str = ""
    retry_after: float | None = None
    needed: int | None = None
    limit: int | None = None

    @property
    def worth_a_retry(self) -> bool:
        """Whether the same request may succeed later."""
        return self.kind in ("unreachable", "busy")

    def error(self, needed: int, limit: int | None) -> ModelError:
        """Return the exception; ``needed`` and ``limit`` are used where the server told none."""
        if self.kind == "context":
            return ContextTooLong(self.needed or needed, self.limit or limit)
        if self.kind in ("unavailable", "unreachable"):
            return ModelUnavailable(self.sentence)
        if self.kind == "refused":
            return ModelRefused(self.sentence)
        return ModelFailed(self.sentence)


def from_status(
    status: int, text: str, server: Server, retry_after: float | None = None
) -> Failure:
    """Read an HTTP error: its status code and the text of its body."""
    said = one_line(text)
    where = f"{server.model} at {server.url}"
    if _FILTER.search(text):
        return Failure("refused", f"The filter of {where} rejected the prompt: {said}", text)
    if status == 413 or (status in (400, 422, 500) and _CONTEXT.search(text)):
        return Failure("context", said, text, None, _number(_NEEDED, text), _number(_LIMIT, text))
    if status in (401, 403):
        return Failure(
            "unavailable", f"{server.url} refused the key ({status}): {server.key_advice}.", text
        )
    if status == 404:
        sentence = f"{server.url} knows no model {server.model} (404): {server.model_advice}."
        return Failure("unavailable", sentence, text)
    if status == 429 and _QUOTA.search(text):
        sentence = f"The quota for {where} is used up: add credit or choose another model."
        return Failure("unavailable", sentence, text)
    if status in (408, 409, 425, 429) or status >= 500:
        sentence = f"{where} kept failing ({status}: {said}): try again later or another model."
        return Failure("busy", sentence, text, retry_after)
    if status in (400, 422):
        sentence = f"{where} rejected the request ({status}: {said}): choose another model."
        return Failure("rejected", sentence, text)
    return Failure("failed", f"{where} answered {status} ({said}): check the address.", text)


def timed_out(server: Server) -> Failure:
    """No answer in time."""
    sentence = (
        f"{server.model} at {server.url} did not answer in time: "
        "try again later, or raise the limit with ALAMP_MODEL_TIMEOUT (seconds)."
    )
    return Failure("busy", sentence)


def unreachable(server: Server, detail: str) -> Failure:
    """No connection, or one that broke."""
    sentence = (
        f"No server answers at {server.url} ({one_line(detail)}): start it or check the address."
    )
    return Failure("unreachable", sentence, detail)


def not_a_reply(server: Server, detail: str) -> Failure:
    """An answer that is no chat completion, as from a wrong address."""
    sentence = (
        f"{server.url} answered with something that is no chat reply ({one_line(detail, 120)}): "
        "check the address, which usually ends in /v1."
    )
    return Failure("failed", sentence, detail)


def _number(pattern: re.Pattern[str], text: str) -> int | None:
    found = pattern.search(text)
    return int(found.group(1)) if found else None
