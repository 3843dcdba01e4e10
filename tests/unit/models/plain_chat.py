"""A chat model without any manners of a provider."""

from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult


class Plain(BaseChatModel):
    """Answers with one text and without any account of tokens, or raises."""

    text: str = '{"text": "yes"}'
    finish_reason: str | None = None
    error: Any = None

    @property
    def _llm_type(self) -> str:
        return "plain"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        if self.error is not None:
            raise self.error
        content: list[str | dict[str, Any]] = [{"type": "text", "text": self.text}]
        about = {"finish_reason": self.finish_reason} if self.finish_reason else {}
        message = AIMessage(content=content, response_metadata=about)
        return ChatResult(generations=[ChatGeneration(message=message)])
