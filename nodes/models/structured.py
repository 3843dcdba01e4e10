"""One way to get a typed answer from any model: ask, read, check, and let it repair itself."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from langchain_core.messages import BaseMessage
from pydantic import BaseModel, ValidationError

from nodes.models.budget import TokenBudget
from nodes.models.chosen import Ask, ChosenModel
from nodes.models.complaints import schema_complaints
from nodes.models.conversation import as_messages, with_repair
from nodes.models.errors import ContextTooLong, ModelError, ModelRefused, ReplyInvalid
from nodes.models.journal import CallJournal
from nodes.models.redact import one_line
from nodes.models.repetition import until_it_repeats, whole_things
from nodes.models.reply_text import json_objects, refusal_in, runs_on
from nodes.models.schemas import closed_schema
from nodes.models.tokens import estimate_tokens
from nodes.models.transport import Reply, send
from state.usage import ModelCall

T = TypeVar("T", bound=BaseModel)

LEAST_OUTPUT_TOKENS = 256
"""A prompt that leaves less room than this in the context counts as too long, and one that
leaves less of the token cap is not sent."""

MOST_COMPLAINTS = 8
"""Complaints shown to the model at once; more only confuses it."""

UNSTUCK_TEMPERATURE = 0.6
"""Sampling temperature once a repair brought the very same reply again."""


@dataclass
class StructuredReply(Generic[T]):
    """The best answer, what it cost, and the complaints of ``check`` that are still open."""

    value: T
    calls: list[ModelCall] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


def call_structured(
    model: ChosenModel,
    schema: type[T],
    messages: Sequence[tuple[str, str]],
    *,
    agent: str,
    check: Callable[[T], list[str]] | None = None,
    repairs: int = 2,
    budget: TokenBudget,
    journal: CallJournal,
    max_output_tokens: int = 2048,
    lengthen: bool = True,
    temperature: float = 0.0,
    repair_temperature: float = 0.0,
    ordinal: int = 0,
) -> StructuredReply[T]:
    """Ask ``model`` for a ``schema`` object; ``messages`` are pairs of role and text.

    A reply that is no such object, or of which ``check`` complains, is shown to the model with
    the complaints, at most ``repairs`` times. If ``check`` is never content, the value with the
    fewest complaints is returned together with them. A reply that was cut off is asked for once
    more at double length; after that, or if ``lengthen`` is false, what is whole of it is used.
    Repairs are sampled at ``repair_temperature``, not below ``temperature``, until one brings the
    same reply again, and then not below ``UNSTUCK_TEMPERATURE`` either. ``ordinal`` is the number
    of answers that this agent had in the run so far; with it a recording finds its place, and the
    journal a reply that came before the run was interrupted.

    Raises ``ReplyInvalid`` if no reply was a valid object, and the other ``ModelError``s; each
    carries in ``calls`` what was answered before.
    """
    asked = as_messages(messages)
    talk = _Talk(model, schema, asked, agent, check, budget, journal, ordinal, lengthen)
    try:
        return talk.run(repairs, max_output_tokens, (temperature, repair_temperature))
    except ModelError as error:
        error.calls, error.ordinal = talk.calls, ordinal
        raise


class _Talk(Generic[T]):
    """One agent's exchange with the model, until its answer is good or the repairs are used up."""

    def __init__(
        self,
        model: ChosenModel,
        schema: type[T],
        messages: list[BaseMessage],
        agent: str,
        check: Callable[[T], list[str]] | None,
        budget: TokenBudget,
        journal: CallJournal,
        ordinal: int,
        lengthen: bool,
    ) -> None:
        self.model = model
        self.schema = schema
        self.messages = messages
        self.agent = agent
        self.check = check
        self.budget = budget
        self.journal = journal
        self.ordinal = ordinal
        self.lengthen = lengthen
        self.wire_schema = closed_schema(schema)
        self.calls = journal.given_up(agent, ordinal)
        for call in self.calls:
            budget.spend(call)
        self.best: tuple[T, list[str]] | None = None

    def run(
        self,
        repairs: int,
        max_output_tokens: int,
        temperatures: tuple[float, float],
    ) -> StructuredReply[T]:
        messages = self.messages
        limit, (temperature, warmer) = max_output_tokens, temperatures
        complaints: list[str] = []
        previous: str | None = None
        while True:
            try:
                reply = self._ask(messages, limit, temperature)
            except ContextTooLong:
                if not complaints:
                    raise
                break
            value, complaints = self._read(reply)
            if value is not None:
                self._keep(value, complaints)
                if not complaints:
                    break
            elif reply.truncated and self.lengthen and not runs_on(reply.text):
                self.lengthen, limit = False, 2 * limit
                if self._fits(messages, limit):
                    continue
            stuck = reply.text == previous
            previous = reply.text
            if repairs == 0:
                break
            repairs -= 1
            temperature = max(temperature, warmer, UNSTUCK_TEMPERATURE if stuck else 0.0)
            messages = with_repair(self.messages, reply.text, complaints[:MOST_COMPLAINTS])
        if self.best is None:
            refusal = refusal_in(previous or "")
            if refusal:
                raise self._refused(refusal)
            raise ReplyInvalid(self.agent, len(self.calls), complaints)
        return StructuredReply(self.best[0], self.calls, self.best[1])

    def _ask(self, messages: list[BaseMessage], limit: int, temperature: float) -> Reply:
        """Send the messages within context and budget, and count the answer."""
        if not self.model.recorded:
            needed = self._prompt_tokens(messages)
            context = self.model.context_tokens
            if context is not None:
                if needed + LEAST_OUTPUT_TOKENS > context:
                    raise ContextTooLong(needed, context)
                limit = min(limit, context - needed)
            self.budget.before_call(needed + min(limit, LEAST_OUTPUT_TOKENS))
            limit = self.budget.output_room(needed, limit)
        ask = Ask(
            agent=self.agent,
            ordinal=self.ordinal + len(self.calls),
            schema_name=self.schema.__name__,
            schema=self.wire_schema,
            max_output_tokens=limit,
            temperature=temperature,
        )
        reply = send(self.model, messages, ask, len(self.calls) + 1, self.journal)
        self.calls.append(reply.call)
        self.budget.spend(reply.call)
        if reply.refusal or reply.filtered:
            raise self._refused(reply.refusal or "withheld by the provider's content filter")
        return reply

    def _refused(self, words: str) -> ModelRefused:
        return ModelRefused(
            f"{self.model.name} refused to answer the {self.agent} agent ({one_line(words)}): "
            "rephrase the description or choose another model."
        )

    def _fits(self, messages: list[BaseMessage], limit: int) -> bool:
        context = self.model.context_tokens
        return context is None or self._prompt_tokens(messages) + limit <= context

    def _prompt_tokens(self, messages: list[BaseMessage]) -> int:
        shown = json.dumps(self.wire_schema) if self.model.wire.schema_in_prompt else ""
        return self.model.wire.count_tokens(messages) + estimate_tokens(shown)

    def _keep(self, value: T, complaints: list[str]) -> None:
        if self.best is None or len(complaints) < len(self.best[1]):
            self.best = (value, complaints)

    def _usable(self, reply: Reply) -> list[str]:
        """The text; of one that was cut off, what is whole, where no longer one is asked for."""
        if not reply.truncated:
            return [reply.text]
        circle = until_it_repeats(reply.text)
        return (
            [circle]
            if circle
            else [reply.text, *([] if self.lengthen else whole_things(reply.text))]
        )

    def _read(self, reply: Reply) -> tuple[T | None, list[str]]:
        """Return the valid object in a reply, if any, and the complaints about it."""
        complaints: list[str] = []
        objects = (found for text in self._usable(reply) for found in json_objects(text))
        for found in objects:
            try:
                value = self.schema.model_validate(found)
            except ValidationError as error:
                complaints = complaints or schema_complaints(error)
            else:
                return value, self.check(value) if self.check else []
        if reply.truncated:
            tokens = reply.call.completion_tokens
            return None, [f"the reply was cut off after {tokens} tokens: give a shorter answer"]
        if complaints:
            return None, complaints
        if not reply.text.strip():
            return None, ["the reply was empty"]
        return None, ["the reply holds no JSON object"]
