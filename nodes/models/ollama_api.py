"""Models of an Ollama server."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nodes.models.chosen import Ask, ChosenModel, Wire
from nodes.models.errors import ModelUnavailable
from nodes.models.failures import Failure, Server, from_status, not_a_reply, timed_out, unreachable
from nodes.models.prices import FREE
from nodes.models.redact import one_line
from nodes.models.retry_after import seconds_of

if TYPE_CHECKING:
    import httpx
    import ollama

DEFAULT_PORT = 11434
DEFAULT_HOST = f"http://127.0.0.1:{DEFAULT_PORT}"
TIMEOUT = 600.0
"""Seconds to wait for the next part of a reply; a model on CPUs reads its prompt slowly."""

PROBE_TIMEOUT = 2.0
"""Seconds to wait for a server that may not be there."""

LONGEST_CONTEXT = 16384
"""Tokens of context asked for at most: each costs the server memory. Without asking, Ollama
takes a few thousand and silently drops what does not fit."""

_FORMATS = ("schema", "json", "none")


class OllamaWire(Wire):
    """Constrains the reply by ``format``, and by less where the server rejects the schema."""

    def __init__(self, server: Server, seed: int, context_tokens: int) -> None:
        self.server = server
        self.seed = seed
        self.context_tokens = context_tokens
        self.format = _FORMATS[0]
        self.schema_in_prompt = False
        self.retry_after: float | None = None

    def keep_retry_after(self, response: "httpx.Response") -> None:
        """Remember the Retry-After of a failed response, which the client does not pass on."""
        self.retry_after = seconds_of(response.headers.get("retry-after"))

    def arguments(self, ask: Ask) -> dict[str, Any]:
        """Return the format and the sampling options."""
        options = {
            "num_predict": ask.max_output_tokens,
            "num_ctx": self.context_tokens,
            "temperature": ask.temperature,
            "seed": self.seed,
        }
        if self.format == "none":
            return {"options": options}
        return {"options": options, "format": ask.schema if self.format == "schema" else "json"}

    def concede(self, failure: Failure) -> bool:
        """Ask for a looser format."""
        if self.format == _FORMATS[-1]:
            return False
        self.format = _FORMATS[_FORMATS.index(self.format) + 1]
        self.schema_in_prompt = True
        return True

    def failure(self, error: Exception) -> Failure | None:
        """Read an error of the client library, or of an answer that it could not read."""
        import httpx
        import ollama

        if isinstance(error, ollama.ResponseError):
            # An error inside a stream that began well has no status of its own.
            status = error.status_code if error.status_code > 0 else 500
            said = str(error.error)
            if status >= 500 and "format" in said.lower():
                status = 400
            return from_status(status, said, self.server, self.retry_after)
        if isinstance(error, httpx.TimeoutException):
            return timed_out(self.server)
        if isinstance(error, httpx.TransportError | ConnectionError):
            return unreachable(self.server, str(error))
        if isinstance(error, ValueError | TypeError | LookupError | AttributeError):
            return not_a_reply(self.server, str(error))
        return None


def connect(model: str, *, base_url: str | None, seed: int, timeout: float | None) -> ChosenModel:
    """Return a model of the Ollama server at ``base_url``, OLLAMA_HOST or the usual local port.

    Raises ``ModelUnavailable`` if no server answers there or it has no such model.
    """
    from langchain_ollama import ChatOllama

    host = server_host(base_url)
    context = min(_context_length(model, host) or LONGEST_CONTEXT, LONGEST_CONTEXT)
    server = Server(
        model=model,
        url=one_line(host),
        key_advice="check OLLAMA_API_KEY",
        model_advice=f"fetch it with 'ollama pull {model}'",
    )
    wire = OllamaWire(server, seed, context)
    chat = ChatOllama(
        model=model,
        base_url=host,
        client_kwargs={"timeout": timeout or TIMEOUT},
        sync_client_kwargs={"event_hooks": {"response": [wire.keep_retry_after]}},
        disable_streaming=True,
    )
    return ChosenModel(
        name=f"ollama:{model}",
        reason=f"the Ollama server at {one_line(host)}",
        chat=chat,
        provider="ollama",
        context_tokens=context,
        price=FREE,
        wire=wire,
    )


def first_chat_model(base_url: str | None = None) -> str:
    """Return the name of the server's first model that can chat.

    Raises ``ModelUnavailable`` if no server answers or it has none.
    """
    host = server_host(base_url)
    with _asking(host) as client:
        listed = client.list().models
    for entry in listed:
        name = entry.model or ""
        families = (entry.details.families if entry.details else None) or []
        embeds = "embed" in name or any("bert" in family for family in families)
        if name and not embeds:
            return name
    raise ModelUnavailable(
        f"The Ollama server at {one_line(host)} has no chat model: fetch one with 'ollama pull'."
    )


def server_host(base_url: str | None) -> str:
    """Return the address to ask: the one given, else OLLAMA_HOST, else the usual local port."""
    host = base_url or os.environ.get("OLLAMA_HOST", "").strip() or DEFAULT_HOST
    if "://" not in host:
        host = f"http://{host}" if ":" in host else f"http://{host}:{DEFAULT_PORT}"
    return host.rstrip("/").removesuffix("/v1")


def _context_length(model: str, host: str) -> int | None:
    """Return the tokens that the model can read, None if the server does not say.

    Raises ``ModelUnavailable`` if no server answers or it has no such model.
    """
    with _asking(host, model) as client:
        told = client.show(model).modelinfo or {}
    lengths = [value for key, value in told.items() if key.endswith(".context_length")]
    return lengths[0] if lengths and isinstance(lengths[0], int) else None


@contextmanager
def _asking(host: str, model: str = "") -> Iterator["ollama.Client"]:
    """Yield a client for a short question; its errors become ``ModelUnavailable``."""
    import httpx
    import ollama

    where = f"Ollama server at {one_line(host)}"
    try:
        yield ollama.Client(host=host, timeout=PROBE_TIMEOUT)
    except ollama.ResponseError as error:
        if error.status_code == 404 and model:
            sentence = f"The {where} has no model {model}: fetch it with 'ollama pull {model}'."
        elif error.status_code in (401, 403):
            sentence = f"The {where} refused the key ({error.status_code}): check OLLAMA_API_KEY."
        else:
            told = f"{error.status_code}: {one_line(str(error.error), 120)}"
            sentence = f"The {where} gave an error ({told}): check OLLAMA_HOST and the server."
        raise ModelUnavailable(sentence) from None
    except (httpx.HTTPError, httpx.InvalidURL, ConnectionError, ValueError) as error:
        told = one_line(str(error), 120)
        raise ModelUnavailable(
            f"No {where} answers ({told}): start it with 'ollama serve' or set OLLAMA_HOST."
        ) from None
