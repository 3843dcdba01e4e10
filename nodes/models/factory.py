"""Which model a run asks: by name, or the first that can serve."""

import os
from collections.abc import Callable
from pathlib import Path

from nodes.models import local, ollama_api, openai_api, recording
from nodes.models.chosen import ChosenModel, Retry
from nodes.models.errors import ModelError, ModelUnavailable

__all__ = ["ChosenModel", "choose_model"]

NAMES = "auto, recorded, local, openai:NAME or ollama:NAME"

TIMEOUT_VARIABLE = "ALAMP_MODEL_TIMEOUT"
"""Environment variable: seconds to wait for a reply of a model server."""


def choose_model(
    name: str,
    *,
    base_url: str | None = None,
    task: str | None = None,
    description: str | None = None,
    seed: int = 0,
    timeout: float | None = None,
    retry: Retry | None = None,
    recordings: Path = recording.RECORDINGS,
) -> ChosenModel:
    """Return the model called ``name``: auto, recorded, local, openai:NAME or ollama:NAME.

    ``auto`` takes the first that can serve: OpenAI (OPENAI_API_KEY, or a server at ``base_url``
    or OPENAI_BASE_URL; the model from OPENAI_MODEL), a running Ollama with a chat model, the
    recording for a built-in ``task``, the local weights. ``reason`` of the result says why it
    was taken and what was passed over. ``description`` is the problem's text, which a recording
    must match; ``timeout`` in seconds.

    Raises ValueError, with one sentence, for a bad name or timeout; ``ModelUnavailable`` or
    ``RecordingMissing`` if the model cannot serve.
    """
    provider, _, model = name.partition(":")
    timeout = timeout if timeout is not None else _timeout_wanted()
    if provider == "openai" and model:
        chosen = openai_api.connect(model, base_url=base_url, seed=seed, timeout=timeout)
    elif provider == "ollama" and model:
        chosen = ollama_api.connect(model, base_url=base_url, seed=seed, timeout=timeout)
    elif name == "recorded":
        chosen = recording.connect(task, description, recordings)
    elif name == "local":
        chosen = local.connect(seed=seed)
    elif name == "auto":
        chosen = _first_that_serves(
            {
                "OpenAI": lambda: _openai_if_asked_for(base_url, seed, timeout),
                "Ollama": lambda: _first_of_ollama(seed, timeout),
                "recorded": lambda: recording.connect(task, description, recordings),
                "local": lambda: local.connect(seed=seed),
            }
        )
    else:
        raise ValueError(f"There is no model {name!r}: give {NAMES}.")
    if retry is not None:
        chosen.retry = retry
    return chosen


def _first_that_serves(candidates: dict[str, Callable[[], ChosenModel]]) -> ChosenModel:
    passed_over: list[str] = []
    for label, connect in candidates.items():
        try:
            chosen = connect()
        except ModelError as error:
            passed_over.append(f"{label} ({str(error).partition(': ')[0].rstrip('.')})")
        else:
            if passed_over:
                chosen.reason += f"; passed over: {', '.join(passed_over)}"
            return chosen
    raise ModelUnavailable(
        "No model can serve: set OPENAI_API_KEY, start Ollama with a chat model, choose a "
        "built-in task that has a recording, or fetch the local weights with "
        "'python -m graph.run --fetch-local-model'."
    )


def _openai_if_asked_for(base_url: str | None, seed: int, timeout: float | None) -> ChosenModel:
    model = os.environ.get("OPENAI_MODEL", "").strip() or openai_api.DEFAULT_MODEL
    return openai_api.connect(model, base_url=base_url, seed=seed, timeout=timeout)


def _first_of_ollama(seed: int, timeout: float | None) -> ChosenModel:
    model = ollama_api.first_chat_model()
    return ollama_api.connect(model, base_url=None, seed=seed, timeout=timeout)


def _timeout_wanted() -> float | None:
    told = os.environ.get(TIMEOUT_VARIABLE, "").strip()
    if not told:
        return None
    try:
        seconds = float(told)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise ValueError(f"{TIMEOUT_VARIABLE} is {told!r}: give a number of seconds above 0.")
    return seconds
