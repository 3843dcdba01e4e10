"""The small model on the user's own CPUs, through llama.cpp."""

import atexit
import importlib
import importlib.util
import os
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from nodes.models.chosen import Ask, ChosenModel, Wire
from nodes.models.errors import ModelFailed, ModelUnavailable
from nodes.models.generation import Generator
from nodes.models.grammar import grammar_for
from nodes.models.likely_lines import fill
from nodes.models.prices import FREE
from nodes.models.weights import LOCAL_MODEL, verified_weights

CONTEXT_TOKENS = 8192
"""Prompt and reply together; the model itself could take four times as much, for more memory."""

_ROLES = {"human": "user", "ai": "assistant", "system": "system"}

_turn = threading.Lock()
"""One generation at a time: the runtime's state is not safe to share between threads."""


class LocalChat(BaseChatModel):
    """A chat model over GGUF weights whose reply is constrained to a JSON schema.

    Call arguments: ``json_schema`` and ``schema_name``, ``max_tokens``, ``temperature``,
    ``ordinal``; ``fills`` and ``most`` as in ``nodes.models.chosen.Ask``.
    """

    weights: Path
    context_tokens: int = CONTEXT_TOKENS
    seed: int = 0

    @property
    def _llm_type(self) -> str:
        return "llama.cpp"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        grammar = None
        if "json_schema" in kwargs:
            grammar = grammar_for(kwargs["json_schema"], str(kwargs.get("schema_name", "reply")))
        with _turn:
            generator = load(self.weights, self.context_tokens)
            said = _as_llama(messages)
            if "fills" in kwargs:
                texts = [message["content"] for message in said]
                answer = fill(generator, texts, kwargs["fills"], int(kwargs["most"]))
            else:
                answer = generator.generate(
                    generator.tokens(said),
                    grammar=grammar,
                    max_tokens=int(kwargs.get("max_tokens", 1024)),
                    temperature=float(kwargs.get("temperature", 0.0)),
                    # Asked the same again, it is to have another chance.
                    seed=self.seed + int(kwargs.get("ordinal", 0)),
                )
        message = AIMessage(
            content=answer.text,
            usage_metadata={
                "input_tokens": answer.prompt_tokens,
                "output_tokens": answer.completion_tokens,
                "total_tokens": answer.prompt_tokens + answer.completion_tokens,
            },
            response_metadata={"finish_reason": answer.finish_reason},
        )
        return ChatResult(generations=[ChatGeneration(message=message)])

    def count_tokens(self, messages: Sequence[BaseMessage]) -> int:
        """Return the exact length of the prompt in tokens, chat template and all."""
        with _turn:
            return len(load(self.weights, self.context_tokens).tokens(_as_llama(messages)))


class LocalWire(Wire):
    """Passes the schema on to the runtime."""

    fills = True

    def __init__(self, chat: LocalChat) -> None:
        self.chat = chat

    def arguments(self, ask: Ask) -> dict[str, Any]:
        """Return schema, output limit and temperature."""
        if ask.fills:
            return {"fills": ask.fills, "most": ask.most}
        return {
            "json_schema": ask.schema,
            "schema_name": ask.schema_name,
            "max_tokens": ask.max_output_tokens,
            "temperature": ask.temperature,
            "ordinal": ask.ordinal,
        }

    def count_tokens(self, messages: Sequence[BaseMessage]) -> int:
        """Return the exact length of the prompt in tokens."""
        return self.chat.count_tokens(messages)


def connect(*, seed: int) -> ChosenModel:
    """Return the local model.

    Raises ``ModelUnavailable`` if the runtime is not installed or the weights are not fetched.
    """
    if importlib.util.find_spec("llama_cpp") is None:
        raise ModelUnavailable(
            "The local model's runtime is not installed: run 'make local-model' or "
            "pip install 'a-lamp[local]'."
        )
    weights = verified_weights()
    chat = LocalChat(weights=weights, seed=seed)
    return ChosenModel(
        name=f"local:{LOCAL_MODEL.name}",
        reason=f"the weights at {weights}",
        chat=chat,
        provider="local",
        context_tokens=CONTEXT_TOKENS,
        price=FREE,
        wire=LocalWire(chat),
    )


@cache
def load(weights: Path, context_tokens: int) -> Generator:
    """Return the weights loaded and ready to write, once for the whole process.

    Raises ``ModelFailed`` if the weights cannot be loaded.
    """
    llama_cpp = _runtime()
    # Everything that the runtime logs would land on stderr, between the run's own lines.
    llama_cpp.llama_log_set(_silence(), None)
    cores = len(os.sched_getaffinity(0))
    try:
        llama = llama_cpp.Llama(
            model_path=str(weights),
            n_ctx=context_tokens,
            n_threads=cores,
            n_threads_batch=cores,
            verbose=False,
        )
    except (ValueError, OSError, RuntimeError) as error:
        raise ModelFailed(
            f"The local weights at {weights} cannot be loaded ({error}): fetch them again with "
            "'python -m graph.run --fetch-local-model'."
        ) from None
    # Left to the interpreter's end, the bindings would be freed before the model that needs them.
    atexit.register(llama.close)
    return Generator(llama, llama_cpp)


@cache
def _silence() -> Any:
    """Return a log callback that drops everything; it must outlive the runtime."""

    def drop(level: int, text: bytes, user_data: Any) -> None:
        return None

    return _runtime().llama_log_callback(drop)


def _runtime() -> Any:
    """Return the llama.cpp bindings, an optional package that may be absent."""
    return importlib.import_module("llama_cpp")


def _as_llama(messages: Sequence[BaseMessage]) -> list[dict[str, str]]:
    return [
        {"role": _ROLES.get(message.type, "user"), "content": str(message.text)}
        for message in messages
    ]
