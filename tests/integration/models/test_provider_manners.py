"""What is peculiar to one protocol."""

from pathlib import Path

import pytest
from pydantic import BaseModel

from nodes.models.budget import TokenBudget
from nodes.models.chosen import ChosenModel, Retry
from nodes.models.errors import ModelRefused, ModelUnavailable
from nodes.models.factory import choose_model
from nodes.models.journal import CallJournal
from nodes.models.structured import StructuredReply, call_structured
from tests.fake_chat_server import Fail, FakeChatServer, Raw, Say, scripted


class Answer(BaseModel):
    text: str


GOOD = '{"text": "yes"}'


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")


def ask(model: ChosenModel) -> StructuredReply[Answer]:
    return call_structured(
        model,
        Answer,
        [("human", "Well?")],
        agent="objective",
        budget=TokenBudget(None),
        journal=CallJournal(None),
    )


def openai(server: FakeChatServer) -> ChosenModel:
    return choose_model("openai:fake-model", base_url=server.openai_url, retry=patient())


def ollama(server: FakeChatServer) -> ChosenModel:
    return choose_model("ollama:fake-model", base_url=server.ollama_url, retry=patient())


def patient() -> Retry:
    return Retry(sleep=lambda seconds: None)


def test_openai_sends_key_seed_and_temperature() -> None:
    with FakeChatServer(scripted(GOOD)) as server:
        ask(choose_model("openai:fake-model", base_url=server.openai_url, seed=7))
    (request,) = server.requests
    assert request["authorization"] == "Bearer sk-test-0123456789"
    assert (request["body"]["seed"], request["body"]["temperature"]) == (7, 0)
    assert request["body"]["model"] == "fake-model"


def test_openai_refusal_is_told_in_its_own_words() -> None:
    said = Say("", refusal="I cannot help with that")
    with (
        FakeChatServer(scripted(said)) as server,
        pytest.raises(ModelRefused, match="I cannot help with that"),
    ):
        ask(openai(server))


@pytest.mark.parametrize("parameter", ["temperature", "seed", "max_completion_tokens"])
def test_openai_leaves_out_what_a_server_does_not_know(parameter: str) -> None:
    rejected = Fail(400, f"Unsupported value: '{parameter}' is not supported with this model")
    with FakeChatServer(scripted(rejected, GOOD)) as server:
        assert ask(openai(server)).value.text == "yes"
    body = server.bodies()[1]
    assert parameter not in body
    assert body["response_format"]["type"] == "json_schema"
    assert ("max_tokens" in body) == (parameter == "max_completion_tokens")


def test_openai_error_hidden_in_a_good_status_is_tried_again() -> None:
    hidden = Raw(b'{"error": {"code": 502, "message": "upstream died"}}')
    with FakeChatServer(scripted(hidden, GOOD)) as server:
        assert ask(openai(server)).value.text == "yes"


def test_openai_prompt_rejected_by_a_filter_is_a_refusal() -> None:
    rejected = Fail(400, "The response was filtered", code="content_filter")
    with FakeChatServer(scripted(rejected)) as server, pytest.raises(ModelRefused, match="filter"):
        ask(openai(server))


def test_openai_half_a_character_can_be_sent_back() -> None:
    with FakeChatServer(scripted("half a \ud83e emoji", GOOD)) as server:
        assert ask(openai(server)).value.text == "yes"
    assert server.bodies()[1]["messages"][1]["content"] == "half a ? emoji"


def test_ollama_error_inside_a_stream_is_tried_again() -> None:
    broken = Raw(b'{"error": "model runner has stopped"}\n', "application/x-ndjson")
    with FakeChatServer(scripted(broken, GOOD)) as server:
        assert ask(ollama(server)).value.text == "yes"
    assert len(server.requests) == 2


def test_ollama_context_is_asked_for_and_bounded() -> None:
    with FakeChatServer(scripted(GOOD), context_length=4096) as server:
        assert ollama(server).context_tokens == 4096
    with FakeChatServer(scripted(GOOD), context_length=1_000_000) as server:
        assert ollama(server).context_tokens == 16384


def test_ollama_model_that_is_not_there_is_named() -> None:
    with (
        FakeChatServer(scripted(GOOD)) as server,
        pytest.raises(ModelUnavailable, match="has no model other: fetch it with 'ollama pull"),
    ):
        choose_model("ollama:other", base_url=server.ollama_url)


def test_auto_takes_openai_when_there_is_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_MODEL", "gpt-4o-mini")
    model = choose_model("auto")
    assert (model.name, model.reason) == ("openai:gpt-4o-mini", "OPENAI_API_KEY is set")
    assert model.context_tokens == 128000
    assert model.price is not None


def test_auto_takes_the_first_chat_model_of_ollama(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    models = ("nomic-embed-text:latest", "fake-model")
    with FakeChatServer(scripted(GOOD), models=models) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.ollama_url.removeprefix("http://"))
        model = choose_model("auto", retry=patient())
        assert model.name == "ollama:fake-model"
        assert "passed over: OpenAI (No OpenAI key)" in model.reason
        assert ask(model).value.text == "yes"


def test_auto_takes_a_server_without_a_key_by_its_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with FakeChatServer(scripted(GOOD)) as server:
        model = choose_model("auto", base_url=server.openai_url)
        (call,) = ask(model).calls
    assert call.cost is None
    assert model.name == "openai:gpt-4o"


def test_auto_without_any_model_names_the_ways(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with FakeChatServer(scripted(GOOD), models=()) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.ollama_url)
        with pytest.raises(ModelUnavailable) as caught:
            choose_model("auto", recordings=tmp_path)
    for way in ("OPENAI_API_KEY", "Ollama", "recording", "--fetch-local-model"):
        assert way in str(caught.value)
