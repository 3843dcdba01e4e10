"""A chat-model server on loopback that says what a test tells it to.

It speaks the OpenAI protocol (POST /v1/chat/completions, GET /v1/models) and the Ollama protocol
(POST /api/chat and /api/show, GET /api/tags). Each answer is made by the test's own
``reply(messages, schema)``, where ``messages`` is the request's list of role and content, and
``schema`` the JSON schema that the reply was asked to fit, or None.
"""

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


@dataclass(frozen=True)
class Say:
    """A reply; ``finish`` is the reason it ended: stop, length or content_filter."""

    text: str
    finish: str = "stop"
    refusal: str | None = None
    prompt_tokens: int = 100
    completion_tokens: int = 20


@dataclass(frozen=True)
class Fail:
    """An HTTP error with the provider's way of saying why."""

    status: int
    message: str = "no"
    code: str | None = None
    retry_after: str | None = None


@dataclass(frozen=True)
class Hang:
    """No answer for some seconds, then an empty one."""

    seconds: float = 5.0


@dataclass(frozen=True)
class Raw:
    """Any body at all, with status 200."""

    body: bytes
    content_type: str = "application/json"


Answer = str | Say | Fail | Hang | Raw
ReplyFunction = Callable[[list[dict[str, Any]], dict[str, Any] | None], Answer]


def scripted(*answers: Answer) -> ReplyFunction:
    """Give the answers in turn, and the last of them from then on."""
    left = list(answers)

    def reply(messages: list[dict[str, Any]], schema: dict[str, Any] | None) -> Answer:
        return left.pop(0) if len(left) > 1 else left[0]

    return reply


@dataclass
class FakeChatServer:
    """The server; ``with FakeChatServer(reply) as server`` starts and stops it.

    ``requests`` collects the chat requests: path, authorization and body of each.
    """

    reply: ReplyFunction
    models: Sequence[str] = ("fake-model",)
    context_length: int = 32768
    requests: list[dict[str, Any]] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> "FakeChatServer":
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler_for(self))
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Close the port; the addresses stay known. Stopping twice does no harm."""
        if not self.stopping.is_set():
            self.stopping.set()
            self._http.shutdown()
            self._http.server_close()
            self._thread.join()

    @property
    def ollama_url(self) -> str:
        """The address that an Ollama client wants."""
        return f"http://127.0.0.1:{self._http.server_port}"

    @property
    def openai_url(self) -> str:
        """The address that an OpenAI client wants."""
        return f"{self.ollama_url}/v1"

    def bodies(self) -> list[dict[str, Any]]:
        """The bodies of the chat requests so far."""
        return [request["body"] for request in self.requests]

    def prompts(self) -> list[str]:
        """The text of the last message of each chat request so far."""
        return [body["messages"][-1]["content"] for body in self.bodies()]


def _handler_for(server: FakeChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        # One connection a request: none is left open when the server stops.
        protocol_version = "HTTP/1.0"

        def log_message(self, *args: Any) -> None:
            """Keep the tests' output clean."""

        def do_GET(self) -> None:
            if self.path == "/api/tags":
                named = [{"name": name, "model": name, "details": {}} for name in server.models]
                self._send(200, {"models": named})
            elif self.path == "/v1/models":
                named = [{"id": name, "object": "model"} for name in server.models]
                self._send(200, {"object": "list", "data": named})
            else:
                self._send(404, {"error": "not found"})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path == "/api/show":
                self._show(body["model"])
            elif self.path in ("/v1/chat/completions", "/api/chat"):
                self._chat(body)
            else:
                self._send(404, {"error": "not found"})

        def _show(self, model: str) -> None:
            if model not in server.models:
                self._send(404, {"error": f"model '{model}' not found"})
                return
            info = {"fake.context_length": server.context_length}
            self._send(200, {"details": {}, "model_info": info, "capabilities": ["completion"]})

        def _chat(self, body: dict[str, Any]) -> None:
            key = self.headers.get("Authorization")
            server.requests.append({"path": self.path, "authorization": key, "body": body})
            schema = body.get("format")
            if self.path.startswith("/v1"):
                named = body.get("response_format", {}).get("json_schema", {})
                schema = named.get("schema")
            answer = server.reply(body["messages"], schema if isinstance(schema, dict) else None)
            if isinstance(answer, str):
                answer = Say(answer)
            if isinstance(answer, Hang):
                server.stopping.wait(answer.seconds)
                answer = Raw(b"")
            if isinstance(answer, Fail):
                self._fail(answer)
            elif isinstance(answer, Raw):
                self._send_bytes(200, answer.body, answer.content_type)
            elif self.path.startswith("/v1"):
                self._send(200, _completion(body["model"], answer))
            else:
                self._send_bytes(200, _stream(body["model"], answer), "application/x-ndjson")

        def _fail(self, answer: Fail) -> None:
            error: Any = answer.message
            if self.path.startswith("/v1"):
                error = {"message": answer.message, "type": "fake_error", "code": answer.code}
            extra = {} if answer.retry_after is None else {"Retry-After": answer.retry_after}
            self._send(answer.status, {"error": error}, extra)

        def _send(self, status: int, body: Any, extra: dict[str, str] | None = None) -> None:
            self._send_bytes(status, json.dumps(body).encode(), "application/json", extra)

        def _send_bytes(
            self, status: int, body: bytes, kind: str, extra: dict[str, str] | None = None
        ) -> None:
            headers = {"Content-Type": kind, "Content-Length": str(len(body)), **(extra or {})}
            try:
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # The client gave up waiting, as it should.

    return Handler


def _completion(model: str, answer: Say) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text}
    if answer.refusal is not None:
        message = {"role": "assistant", "content": None, "refusal": answer.refusal}
    total = answer.prompt_tokens + answer.completion_tokens
    return {
        "id": "chatcmpl-0",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": answer.finish}],
        "usage": {
            "prompt_tokens": answer.prompt_tokens,
            "completion_tokens": answer.completion_tokens,
            "total_tokens": total,
        },
    }


def _stream(model: str, answer: Say) -> bytes:
    """Two lines, so that a client must put the text together."""
    middle = len(answer.text) // 2
    start = {"model": model, "created_at": "2025-01-01T00:00:00Z", "done": False}
    end = {
        **start,
        "done": True,
        "done_reason": answer.finish,
        "prompt_eval_count": answer.prompt_tokens,
        "eval_count": answer.completion_tokens,
    }
    parts = [(start, answer.text[:middle]), (end, answer.text[middle:])]
    lines = [{**line, "message": {"role": "assistant", "content": text}} for line, text in parts]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)
