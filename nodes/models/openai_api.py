"""Models behind the OpenAI protocol: OpenAI itself and the many servers that speak it."""

import os
from typing import Any
from urllib.parse import urlsplit

from nodes.models.chosen import Ask, ChosenModel, Wire
from nodes.models.errors import ModelUnavailable
from nodes.models.failures import Failure, Server, from_status, not_a_reply, timed_out, unreachable
from nodes.models.prices import price_of
from nodes.models.redact import one_line
from nodes.models.retry_after import seconds_of
from nodes.models.schemas import is_closed, without

OPENAI_URL = "https://api.openai.com/v1"
DEFAULT_MODEL = "gpt-4o"
TIMEOUT = 120.0
"""Seconds to wait for a reply."""

_UNSUPPORTED = frozenset({"minLength", "maxLength", "pattern", "format", "uniqueItems"})
_FORMATS = ("json_schema", "json_object", "none")


class OpenAIWire(Wire):
    """Asks for a strict JSON schema, and for less where a server rejects that.

    A server that knows no ``json_schema`` is asked for any JSON object with the schema in the
    prompt, then for plain text; a parameter that it complains of is left out. What was learned
    holds for the following calls.
    """

    def __init__(self, server: Server, seed: int | None) -> None:
        self.server = server
        self.seed = seed
        self.format = _FORMATS[0]
        self.sends_temperature = True
        self.limit_name: str | None = "max_completion_tokens"
        self.schema_in_prompt = False

    def arguments(self, ask: Ask) -> dict[str, Any]:
        """Return the request body's fields beside model and messages."""
        # In extra_body they reach the server as they are; given as arguments, the client would
        # parse the reply itself and raise on a truncated one.
        body: dict[str, Any] = {}
        if self.format == "json_schema":
            schema = without(ask.schema, _UNSUPPORTED)
            named = {"name": ask.schema_name, "schema": schema, "strict": is_closed(schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        elif self.format == "json_object":
            body["response_format"] = {"type": "json_object"}
        if self.limit_name:
            body[self.limit_name] = ask.max_output_tokens
        if self.sends_temperature:
            body["temperature"] = ask.temperature
        if self.seed is not None:
            body["seed"] = self.seed
        return {"extra_body": body}

    def concede(self, failure: Failure) -> bool:
        """Drop the parameter that the server complains of, else ask for a looser format."""
        said = failure.detail.lower()
        if "temperature" in said and self.sends_temperature:
            self.sends_temperature = False
            return True
        if self.limit_name and self.limit_name in said:
            newer = self.limit_name == "max_completion_tokens"
            self.limit_name = "max_tokens" if newer else None
            return True
        if "seed" in said and self.seed is not None:
            self.seed = None
            return True
        if self.format == _FORMATS[-1]:
            return False
        self.format = _FORMATS[_FORMATS.index(self.format) + 1]
        self.schema_in_prompt = True
        return True

    def failure(self, error: Exception) -> Failure | None:
        """Read an error of the client library, or of an answer that it could not read."""
        import openai

        if isinstance(error, openai.APITimeoutError):
            return timed_out(self.server)
        if isinstance(error, openai.APIStatusError):
            retry_after = seconds_of(error.response.headers.get("retry-after"))
            said = _message(error)
            return from_status(error.status_code, said, self.server, retry_after)
        if isinstance(error, openai.APIConnectionError):
            return unreachable(self.server, str(error.__cause__ or error))
        if isinstance(error, openai.APIError):
            return not_a_reply(self.server, error.message)
        if isinstance(error, ValueError | TypeError | LookupError | AttributeError):
            return _odd_answer(error, self.server)
        return None


def connect(model: str, *, base_url: str | None, seed: int, timeout: float | None) -> ChosenModel:
    """Return an OpenAI model, or one of another server at ``base_url`` (or OPENAI_BASE_URL).

    The key is OPENAI_API_KEY; a server of one's own may need none. Raises ``ModelUnavailable``
    without a key for OpenAI itself.
    """
    from langchain_openai import ChatOpenAI
    from pydantic import SecretStr

    url = server_url(base_url)
    hosted = urlsplit(url).hostname == urlsplit(OPENAI_URL).hostname
    key = os.environ.get("OPENAI_API_KEY", "").strip()
    if not key and hosted:
        raise ModelUnavailable(
            "No OpenAI key: set OPENAI_API_KEY, or give the address of another server "
            "with --base-url."
        )
    server = Server(
        model=model,
        url=one_line(url),
        key_advice="check OPENAI_API_KEY",
        model_advice="check the model's name and the address, which usually ends in /v1",
    )
    chat = ChatOpenAI(
        model=model,
        api_key=SecretStr(key or "none"),
        base_url=url,
        timeout=timeout or TIMEOUT,
        max_retries=0,
        use_responses_api=False,
        disable_streaming=True,
    )
    price = price_of(model) if hosted else None
    return ChosenModel(
        name=f"openai:{model}",
        reason="OPENAI_API_KEY is set" if hosted else f"the server at {one_line(url)}",
        chat=chat,
        provider="openai",
        context_tokens=price.context_tokens if price else None,
        price=price,
        wire=OpenAIWire(server, seed),
    )


def server_url(base_url: str | None) -> str:
    """Return the address to ask: the one given, else OPENAI_BASE_URL, else OpenAI's own."""
    return base_url or os.environ.get("OPENAI_BASE_URL", "").strip() or OPENAI_URL


def _message(error: Any) -> str:
    """Return what the server said, with its error code, which the message may not name."""
    body = error.body if isinstance(error.body, dict) else {}
    return " ".join(str(part) for part in (body.get("code"), body or error.message) if part)


def _odd_answer(error: Exception, server: Server) -> Failure:
    """Read an answer with status 200 that is no completion; some gateways hide an error in it."""
    inner = error.args[0] if error.args else None
    if isinstance(inner, dict) and isinstance(inner.get("code"), int):
        return from_status(inner["code"], str(inner.get("message", "")), server)
    return not_a_reply(server, str(error))
