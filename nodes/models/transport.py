"""One question to a model: sent, sent again where that can help, and written down."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import BaseMessage

from nodes.models.chosen import Ask, ChosenModel
from nodes.models.conversation import as_pairs, printable, with_schema
from nodes.models.errors import ModelError
from nodes.models.journal import CUT_OFF, CallJournal, JournalLine
from nodes.models.tokens import estimate_tokens
from state.usage import ModelCall


@dataclass(frozen=True)
class Reply:
    """What came back: the text, why it ended, a refusal if there was one, and the account."""

    text: str
    finish_reason: str | None
    refusal: str | None
    call: ModelCall

    @property
    def truncated(self) -> bool:
        """Whether the output limit cut the reply."""
        return self.finish_reason in CUT_OFF

    @property
    def filtered(self) -> bool:
        """Whether the provider's filter withheld the reply."""
        return self.finish_reason == "content_filter"


def send(
    model: ChosenModel,
    messages: Sequence[BaseMessage],
    ask: Ask,
    attempt: int,
    journal: CallJournal,
) -> Reply:
    """Ask the model, and again after failures that may pass; every try is in the journal.

    What the journal holds the reply to already is not asked again.

    Raises a ``ModelError``; anything else that is raised is not the provider's doing and
    passes through untouched.
    """
    failures = 0
    while True:
        shown = list(messages)
        if model.wire.schema_in_prompt:
            shown = with_schema(shown, ask.schema)
        line = JournalLine(
            agent=ask.agent,
            model=model.name,
            attempt=attempt,
            ordinal=ask.ordinal,
            messages=[{"role": role, "text": text} for role, text in as_pairs(shown)],
            recorded=model.recorded,
            max_output_tokens=ask.max_output_tokens,
        )
        earlier = journal.reply_to(line)
        if earlier is not None:
            return _reply(earlier, from_journal=True)
        started = time.monotonic()
        try:
            message = model.chat.invoke(shown, **model.wire.arguments(ask))
        except ModelError as error:
            journal.write(_failed(line, error, started))
            raise
        except Exception as error:
            failure = model.wire.failure(error)
            if failure is None:
                raise
            journal.write(_failed(line, error, started))
            if failure.kind == "rejected" and model.wire.concede(failure):
                continue
            failures += 1
            if not failure.worth_a_retry or failures >= model.retry.tries:
                needed = model.wire.count_tokens(shown)
                raise failure.error(needed, model.context_tokens) from None
            model.retry.sleep(model.retry.delay(failures, failure.retry_after))
        else:
            answered = _answered(model, message, line, started)
            journal.write(answered)
            return _reply(answered)


def _reply(line: JournalLine, *, from_journal: bool = False) -> Reply:
    call = line.call(from_journal=from_journal)
    return Reply(line.reply or "", line.finish_reason, line.error, call)


def _answered(
    model: ChosenModel, message: BaseMessage, line: JournalLine, started: float
) -> JournalLine:
    """Read the answer; a count that the provider leaves out is estimated."""
    text = printable(str(message.text))
    used = getattr(message, "usage_metadata", None) or {}
    sent = "\n".join(part["text"] for part in line.messages)
    prompt_tokens = max(0, used.get("input_tokens") or 0) or estimate_tokens(sent)
    completion_tokens = max(0, used.get("output_tokens") or 0) or estimate_tokens(text)
    about = message.response_metadata
    reason = about.get("finish_reason") or about.get("done_reason")
    refusal = message.additional_kwargs.get("refusal")
    told = {
        "reply": text,
        "finish_reason": str(reason) if reason else None,
        "error": str(refusal) if refusal else None,
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "seconds": time.monotonic() - started,
        "cost": model.price.cost(prompt_tokens, completion_tokens) if model.price else None,
    }
    return line.model_copy(update=told)


def _failed(line: JournalLine, error: Exception, started: float) -> JournalLine:
    seconds = time.monotonic() - started
    told = printable(f"{type(error).__name__}: {error}")
    return line.model_copy(update={"error": told, "seconds": seconds})
