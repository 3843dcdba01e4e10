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
from nodes.models.grammar import grammar_for
from nodes.models.prices import FREE
from nodes.models.weights import LOCAL_MODEL, verified_weights

CONTEXT_TOKENS = 8192
"""Prompt and reply together; the model itself could take four times as much, for more memory."""

_ROLES = {"human": "user", "ai": "assistant", "system": "system"}

_turn = threading.Lock()
"""One generation at a time: the runtime's state is not safe to share between threads."""


class LocalChat(BaseChatModel):
    """A chat model over GGUF weights whose reply is constrained to a JSON schema.

    Call arguments: ``json_schema`` and ``schema_name``, ``max_tokens``, ``temperature``.
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
        with _turn:
            llama = load(self.weights, self.context_tokens)
            grammar = None
            if "json_schema" in kwargs:
                name = str(kwargs.get("schema_name", "reply"))
                grammar = _checked_grammar(llama, grammar_for(kwargs["json_schema"], name), name)
            answer: Any = llama.create_chat_completion(
                messages=_as_llama(messages),
                grammar=grammar,
                max_tokens=int(kwargs.get("max_tokens", 1024)),
                temperature=float(kwargs.get("temperature", 0.0)),
                seed=self.seed,
                stop=stop or [],
            )
        choice, used = answer["choices"][0], answer["usage"]
        message = AIMessage(
            content=choice["message"]["content"] or "",
            usage_metadata={
                "input_tokens": used["prompt_tokens"],
                "output_tokens": used["completion_tokens"],
                "total_tokens": used["total_tokens"],
            },
            response_metadata={"finish_reason": choice["finish_reason"]},
        )
        return ChatResult(generations=[ChatGeneration(message=message)])

    def count_tokens(self, messages: Sequence[BaseMessage]) -> int:
        """Return the exact length of the prompt in tokens, give or take the chat template."""
        with _turn:
            llama = load(self.weights, self.context_tokens)
            texts = [str(message.text).encode() for message in messages]
            # Each message stands between a role line and an end mark, five tokens together.
            return sum(len(llama.tokenize(text, add_bos=False)) + 5 for text in texts) + 3


class LocalWire(Wire):
    """Passes the schema on to the runtime."""

    def __init__(self, chat: LocalChat) -> None:
        self.chat = chat

    def arguments(self, ask: Ask) -> dict[str, Any]:
        """Return schema, output limit and temperature."""
        return {
            "json_schema": ask.schema,
            "schema_name": ask.schema_name,
            "max_tokens": ask.max_output_tokens,
            "temperature": ask.temperature,
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
def load(weights: Path, context_tokens: int) -> Any:
    """Return the runtime with the weights loaded, one for the whole process.

    It keeps the last prompt's state, so that a prompt with the same beginning is read faster.
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
    return llama


@cache
def _silence() -> Any:
    """Return a log callback that drops everything; it must outlive the runtime."""

    def drop(level: int, text: bytes, user_data: Any) -> None:
        return None

    return _runtime().llama_log_callback(drop)


def _runtime() -> Any:
    """Return the llama.cpp bindings, an optional package that may be absent."""
    return importlib.import_module("llama_cpp")


def _checked_grammar(llama: Any, text: str, name: str) -> Any:
    """Return the grammar for the runtime, which would crash on one that it cannot read."""
    llama_cpp = _runtime()
    sampler = llama_cpp.llama_sampler_init_grammar(llama._model.vocab, text.encode(), b"root")
    if not sampler:
        raise ModelFailed(
            f"The local model's runtime cannot read the grammar for {name}: choose another model."
        )
    llama_cpp.llama_sampler_free(sampler)
    return llama_cpp.LlamaGrammar.from_string(text, verbose=False)


def _as_llama(messages: Sequence[BaseMessage]) -> list[dict[str, str]]:
    return [
        {"role": _ROLES.get(message.type, "user"), "content": str(message.text)}
        for message in messages
    ]
