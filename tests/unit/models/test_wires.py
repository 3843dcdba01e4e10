"""A call through a plain chat model: what passes through, and what is read from its answer."""

import pytest
from langchain_core.language_models.chat_models import BaseChatModel
from langgraph.errors import GraphInterrupt
from pydantic import BaseModel

from nodes.models.budget import TokenBudget
from nodes.models.chosen import ChosenModel
from nodes.models.journal import CallJournal
from nodes.models.structured import call_structured
from tests.unit.models.plain_chat import Plain


class Answer(BaseModel):
    text: str


def ask(chat: BaseChatModel) -> Answer:
    model = ChosenModel(name="openai:plain", reason="a test", chat=chat, provider="openai")
    reply = call_structured(
        model,
        Answer,
        [("human", "$schema {braces} %s")],
        agent="sar",
        budget=TokenBudget(None),
        journal=CallJournal(None),
    )
    (call,) = reply.calls
    assert call.prompt_tokens > 0
    assert call.completion_tokens > 0
    assert call.cost is None
    return reply.value


def test_any_chat_model_will_do() -> None:
    assert ask(Plain()).text == "yes"


@pytest.mark.parametrize("error", [GraphInterrupt(()), KeyboardInterrupt(), MemoryError()])
def test_what_is_not_the_providers_doing_passes_through(error: BaseException) -> None:
    with pytest.raises(type(error)):
        ask(Plain(error=error))
