"""The same calls through both protocols, against a server on loopback."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from nodes.models.budget import TokenBudget
from nodes.models.chosen import ChosenModel, Retry
from nodes.models.errors import (
    BudgetExhausted,
    ContextTooLong,
    ModelError,
    ModelFailed,
    ModelRefused,
    ModelUnavailable,
    ReplyInvalid,
)
from nodes.models.factory import choose_model
from nodes.models.journal import CallJournal, read_journal
from nodes.models.structured import StructuredReply, call_structured
from tests.fake_chat_server import Answer, Fail, FakeChatServer, Hang, Raw, Say, scripted

GOOD = '{"name": "loaf", "price": 2.5}'


class Item(BaseModel):
    name: str
    price: float = Field(ge=0)


class Bench:
    """A model of the protocol under test, its server, and what the calls left behind."""

    def __init__(self, provider: str, server: FakeChatServer, journal: Path) -> None:
        self.provider = provider
        self.server = server
        self.url = server.openai_url if provider == "openai" else server.ollama_url
        self.journal = CallJournal(journal)
        self.budget = TokenBudget(None)
        self.pauses: list[float] = []
        self.retry = Retry(sleep=self.pauses.append, jitter=lambda: 1.0)
        self.model = self.choose()

    def choose(self, timeout: float | None = None) -> ChosenModel:
        return choose_model(
            f"{self.provider}:fake-model", base_url=self.url, timeout=timeout, retry=self.retry
        )

    def ask(
        self,
        text: str = "What does a loaf cost?",
        *,
        check: Callable[[Item], list[str]] | None = None,
        repairs: int = 2,
        max_output_tokens: int = 500,
        temperatures: tuple[float, float] = (0.0, 0.0),
    ) -> StructuredReply[Item]:
        return call_structured(
            self.model,
            Item,
            [("system", "You read prices."), ("human", text)],
            agent="parameter",
            check=check,
            repairs=repairs,
            temperature=temperatures[0],
            repair_temperature=temperatures[1],
            budget=self.budget,
            journal=self.journal,
            max_output_tokens=max_output_tokens,
        )

    def output_limits(self) -> list[int]:
        bodies = self.server.bodies()
        if self.provider == "openai":
            return [body["max_completion_tokens"] for body in bodies]
        return [body["options"]["num_predict"] for body in bodies]


Start = Callable[..., Bench]


@pytest.fixture(params=["openai", "ollama"])
def start(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Start]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
    with ExitStack() as stack:

        def begin(*answers: Answer, context_length: int = 32768) -> Bench:
            server = FakeChatServer(scripted(*answers), context_length=context_length)
            stack.enter_context(server)
            return Bench(str(request.param), server, tmp_path / "llm_calls.jsonl")

        yield begin


def test_a_valid_reply_is_returned_with_its_account(start: Start) -> None:
    bench = start(GOOD)
    reply = bench.ask()
    assert reply.value == Item(name="loaf", price=2.5)
    assert reply.complaints == []
    (call,) = reply.calls
    assert (call.agent, call.model) == ("parameter", f"{bench.provider}:fake-model")
    assert (call.prompt_tokens, call.completion_tokens, call.attempt) == (100, 20, 1)
    assert bench.budget.used == 120
    (line,) = read_journal(bench.journal.path or Path())
    assert line.reply == GOOD
    assert [message["text"] for message in line.messages] == [
        "You read prices.",
        "What does a loaf cost?",
    ]
    assert (line.finish_reason, line.error) == ("stop", None)


def test_the_schema_is_enforced_by_the_provider(start: Start) -> None:
    bench = start(GOOD)
    bench.ask()
    (body,) = bench.server.bodies()
    if bench.provider == "openai":
        named = body["response_format"]["json_schema"]
        assert (named["name"], named["strict"]) == ("Item", True)
        schema = named["schema"]
    else:
        schema = body["format"]
        assert body["options"]["num_ctx"] == bench.model.context_tokens
    assert schema["required"] == ["name", "price"]
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{GOOD}\n```",
        f"<think>A loaf {{is}} cheap.</think>\n{GOOD}",
        f"<think>never closed {GOOD}",
        f"Here you are: {GOOD} Anything else?",
        f"<think>hm</think>Sure!\n```\n{GOOD}\n```",
    ],
    ids=["fenced", "think", "unclosed-think", "prose-around", "think-and-fenced"],
)
def test_json_is_found_in_what_surrounds_it(start: Start, text: str) -> None:
    reply = start(text).ask()
    assert reply.value.price == 2.5
    assert len(reply.calls) == 1


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        ("A loaf costs two fifty.", "holds no JSON object"),
        ("", "the reply was empty"),
        ('{"name": "loaf"}', "price: Field required"),
        ('{"name": "loaf", "price": -1}', "price: Input should be greater than or equal to 0"),
        ('{"name": "loaf", "price": NaN}', "holds no JSON object"),
    ],
    ids=["prose", "empty", "missing-field", "out-of-range", "not-a-number"],
)
def test_a_bad_reply_is_repaired_with_its_complaint(start: Start, bad: str, complaint: str) -> None:
    bench = start(bad, GOOD)
    reply = bench.ask()
    assert reply.value.price == 2.5
    assert [call.attempt for call in reply.calls] == [1, 2]
    roles = [message["role"] for message in bench.server.bodies()[1]["messages"]]
    assert roles == ["system", "user", *(["assistant"] if bad else []), "user"]
    assert complaint in bench.server.prompts()[1]


def test_repairs_are_bounded(start: Start) -> None:
    bench = start("no")
    with pytest.raises(ReplyInvalid, match="no valid answer in 3 attempts") as caught:
        bench.ask()
    assert len(bench.server.requests) == 3
    assert len(caught.value.calls) == 3
    assert caught.value.complaints == ["the reply holds no JSON object"]


def test_a_reply_that_repeats_itself_is_sampled_differently(start: Start) -> None:
    bench = start("no", "no", GOOD)
    bench.ask()
    bodies = bench.server.bodies()
    sampled = [body.get("options", body)["temperature"] for body in bodies]
    assert sampled[0] == sampled[1] == 0
    assert sampled[2] > 0


@pytest.mark.parametrize("temperatures", [(0.0, 0.8), (0.8, 0.8), (0.8, 0.0)])
def test_repairs_may_be_sampled_differently_from_the_first(
    start: Start, temperatures: tuple[float, float]
) -> None:
    bench = start("no", GOOD)
    bench.ask(temperatures=temperatures)
    bodies = bench.server.bodies()
    sampled = [body.get("options", body)["temperature"] for body in bodies]
    assert sampled == [temperatures[0], max(temperatures)]


def test_a_complaint_of_the_check_is_repaired(start: Start) -> None:
    bench = start('{"name": "loaf", "price": 9}', GOOD)
    reply = bench.ask(check=lambda item: ["9 is not in the text"] if item.price == 9 else [])
    assert reply.value.price == 2.5
    assert reply.complaints == []
    assert "9 is not in the text" in bench.server.prompts()[1]


def test_the_value_with_the_fewest_complaints_is_returned(start: Start) -> None:
    bench = start(*(f'{{"name": "x", "price": {price}}}' for price in (3, 1, 2)))
    reply = bench.ask(check=lambda item: ["wrong"] * int(item.price))
    assert reply.value.price == 1
    assert reply.complaints == ["wrong"]
    assert len(reply.calls) == 3


def test_a_valid_value_survives_a_worse_repair(start: Start) -> None:
    reply = start(GOOD, "no", "no").ask(check=lambda item: ["odd"])
    assert reply.value.price == 2.5
    assert reply.complaints == ["odd"]


def test_what_the_check_raises_passes_through(start: Start) -> None:
    def interrupted(item: Item) -> list[str]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        start(GOOD).ask(check=interrupted)


def test_a_truncated_reply_gets_twice_the_room(start: Start) -> None:
    bench = start(Say('{"name": "lo', finish="length"), GOOD)
    assert bench.ask().value.price == 2.5
    assert bench.output_limits() == [500, 1000]
    assert len(bench.server.bodies()[1]["messages"]) == 2


def test_a_reply_truncated_twice_is_asked_to_be_shorter(start: Start) -> None:
    cut = Say('{"name": "lo', finish="length")
    bench = start(cut, cut, GOOD)
    assert bench.ask().value.price == 2.5
    assert "shorter" in bench.server.prompts()[2]


def test_a_reply_that_ran_on_gets_no_more_room(start: Start) -> None:
    bench = start(
        Say('{"name": "' + "and the other loaf of bread and the others " * 50, "length"), GOOD
    )
    bench.ask()
    assert "shorter" in bench.server.prompts()[1]


def test_a_truncated_reply_gets_no_room_that_the_context_lacks(start: Start) -> None:
    bench = start(Say('{"name": "lo', finish="length"), GOOD)
    bench.model.context_tokens = 900
    bench.ask()
    assert "shorter" in bench.server.prompts()[1]
    assert max(bench.output_limits()) < 900


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_not_tried_again(start: Start, status: int) -> None:
    bench = start(Fail(status, "Incorrect API key provided: sk-test-0123456789"))
    with pytest.raises(ModelUnavailable, match=r"refused the key .*check O\w+_API_KEY") as caught:
        bench.ask()
    assert len(bench.server.requests) == 1
    assert bench.pauses == []
    written = (bench.journal.path or Path()).read_text()
    assert "sk-test" not in written + str(caught.value)


def test_an_unknown_model_is_not_tried_again(start: Start) -> None:
    bench = start(Fail(404, "model not found"))
    with pytest.raises(ModelUnavailable, match="knows no model fake-model"):
        bench.ask()
    assert len(bench.server.requests) == 1


def test_429_waits_as_long_as_the_server_says(start: Start) -> None:
    bench = start(Fail(429, "slow down", retry_after="7"), GOOD)
    assert bench.ask().value.price == 2.5
    assert bench.pauses == [7.0]
    lines = read_journal(bench.journal.path or Path())
    assert [line.reply for line in lines] == [None, GOOD]
    assert "slow down" in (lines[0].error or "")


def test_500_then_success_backs_off(start: Start) -> None:
    bench = start(Fail(500), Fail(503), GOOD)
    reply = bench.ask()
    assert reply.value.price == 2.5
    assert len(reply.calls) == 1
    assert bench.pauses == [1.0, 2.0]


def test_a_server_that_keeps_failing_is_given_up(start: Start) -> None:
    bench = start(Fail(500, "worker died"))
    with pytest.raises(ModelFailed, match=r"kept failing \(500: .*worker died.*\)"):
        bench.ask()
    assert len(bench.server.requests) == 4
    assert bench.pauses == [1.0, 2.0, 4.0]


def test_a_used_up_quota_is_not_tried_again(start: Start) -> None:
    bench = start(Fail(429, "You exceeded your current quota", code="insufficient_quota"))
    with pytest.raises(ModelUnavailable, match="quota"):
        bench.ask()
    assert len(bench.server.requests) == 1


def test_a_timeout_is_tried_again(start: Start) -> None:
    bench = start(Hang(), GOOD)
    bench.model = bench.choose(timeout=3)
    assert bench.ask().value.price == 2.5
    assert bench.pauses == [1.0]


def test_a_server_that_never_answers_is_given_up(start: Start) -> None:
    bench = start(Hang())
    bench.model = bench.choose(timeout=1)
    with pytest.raises(ModelFailed, match="did not answer in time"):
        bench.ask()
    assert len(bench.server.requests) == 4


def test_a_server_that_went_away_is_named(start: Start) -> None:
    bench = start(GOOD)
    bench.server.stop()
    with pytest.raises(ModelUnavailable, match=r"No server answers at http://127\.0\.0\.1"):
        bench.ask()
    assert len(bench.pauses) == 3


def test_the_token_cap_stops_the_next_call(start: Start) -> None:
    bench = start("no", GOOD)
    bench.budget = TokenBudget(cap=350)
    with pytest.raises(BudgetExhausted, match="used 120 of its 350 tokens") as caught:
        bench.ask()
    assert (caught.value.used, caught.value.cap) == (120, 350)
    assert len(bench.server.requests) == 1
    assert len(caught.value.calls) == 1


def test_the_token_cap_limits_the_reply(start: Start) -> None:
    bench = start(GOOD)
    bench.budget = TokenBudget(cap=400)
    bench.ask(max_output_tokens=5000)
    assert 256 <= bench.output_limits()[0] < 400


def test_a_prompt_beyond_the_context_is_not_sent(start: Start) -> None:
    bench = start(GOOD, context_length=2048)
    bench.model.context_tokens = 2048
    with pytest.raises(ContextTooLong, match=r"about \d+ tokens .* holds 2048 tokens") as caught:
        bench.ask("a long story " * 2000)
    assert caught.value.limit == 2048
    assert (caught.value.needed or 0) > 7000
    assert bench.server.requests == []


def test_a_context_error_of_the_provider_is_told_with_both_lengths(start: Start) -> None:
    said = (
        "This model's maximum context length is 4096 tokens. "
        "However, your messages resulted in 5000 tokens."
    )
    bench = start(Fail(400, said, code="context_length_exceeded"))
    with pytest.raises(ContextTooLong) as caught:
        bench.ask()
    assert (caught.value.needed, caught.value.limit) == (5000, 4096)
    assert len(bench.server.requests) == 1


def test_a_filtered_reply_is_a_refusal(start: Start) -> None:
    bench = start(Say("", finish="content_filter"))
    with pytest.raises(ModelRefused, match="refused to answer the parameter agent") as caught:
        bench.ask()
    assert len(caught.value.calls) == 1


def test_a_refusal_in_plain_words_is_a_refusal(start: Start) -> None:
    bench = start("I'm sorry, but I cannot help with that.")
    with pytest.raises(ModelRefused, match=r"\(I'm sorry, but I cannot help with that\.\)"):
        bench.ask()


def test_an_answer_after_a_refusal_is_taken(start: Start) -> None:
    assert start("I cannot help with that.", GOOD).ask().value.price == 2.5


@pytest.mark.parametrize("looser", [1, 2])
def test_a_format_that_the_server_rejects_is_loosened(start: Start, looser: int) -> None:
    rejected = Fail(400, "unknown response format")
    bench = start(*[rejected] * looser, GOOD)
    assert bench.ask().value.price == 2.5
    body = bench.server.bodies()[-1]
    wanted = body.get("response_format") if bench.provider == "openai" else body.get("format")
    assert wanted in ([{"type": "json_object"}, "json"] if looser == 1 else [None])
    assert '"price"' in bench.server.prompts()[-1]
    assert bench.pauses == []
    bench.ask()
    assert len(bench.server.requests) == looser + 2


def test_a_request_rejected_in_every_form_fails(start: Start) -> None:
    bench = start(Fail(400, "bad request"))
    with pytest.raises(ModelFailed, match="rejected the request"):
        bench.ask()
    assert len(bench.server.requests) == 3


@pytest.mark.parametrize(
    "body",
    [
        Raw(b"<html>Welcome</html>", "text/html"),
        Raw(b"{}"),
        Raw(b"[1]"),
        Raw(b"{", "application/json"),
        Raw(b'{"choices": null}'),
        Raw(b'{"choices": []}'),
        Raw(b'{"choices": [{"message": null}]}'),
        Raw(b'{"message": 3, "done": true}'),
        Raw(b""),
    ],
    ids=lambda raw: raw.body.decode()[:20] or "nothing",
)
def test_an_answer_that_is_no_reply_is_a_model_error(start: Start, body: Raw) -> None:
    with pytest.raises(ModelError) as caught:
        start(body).ask(repairs=0)
    assert "\n" not in str(caught.value)


ANY_TEXT = st.one_of(
    st.text(),
    st.text(alphabet='{}[]"\\:,`<think>/ \n0'),
    st.recursive(
        st.none() | st.floats() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ).map(json.dumps),
)


def test_any_reply_is_an_answer_or_a_model_error(start: Start) -> None:
    bench = start(GOOD)

    @settings(max_examples=60, deadline=None)
    @given(text=ANY_TEXT, finish=st.sampled_from(["stop", "length", "content_filter", "odd", ""]))
    def holds(text: str, finish: str) -> None:
        bench.server.reply = lambda messages, schema: Say(text, finish=finish)
        with suppress(ModelError):
            assert isinstance(bench.ask(repairs=1).value, Item)

    holds()
