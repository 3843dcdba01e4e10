"""Budget, prices, journal, secrets, pauses: what a call costs and what is kept of it."""

import json
from email.utils import formatdate
from pathlib import Path
from time import time

import pytest

from nodes.models.budget import TokenBudget
from nodes.models.chosen import Retry
from nodes.models.errors import BudgetExhausted, ContextTooLong, ReplyInvalid
from nodes.models.journal import CallJournal, JournalLine, read_journal
from nodes.models.prices import FREE, price_of
from nodes.models.redact import one_line, redact
from nodes.models.retry_after import seconds_of
from nodes.models.tokens import estimate_tokens
from state.usage import ModelCall


def call(prompt: int, completion: int, *, recorded: bool = False) -> ModelCall:
    return ModelCall(
        agent="a",
        model="m",
        prompt_tokens=prompt,
        completion_tokens=completion,
        recorded=recorded,
    )


def line(**more: object) -> JournalLine:
    fields = {"agent": "a", "model": "m", "attempt": 1, "ordinal": 0, "messages": [], **more}
    return JournalLine.model_validate(fields)


def test_a_budget_ends_at_its_cap() -> None:
    budget = TokenBudget(cap=100, used=50)
    budget.before_call(50)
    budget.spend(call(30, 10))
    assert budget.used == 90
    with pytest.raises(BudgetExhausted, match="used 90 of its 100 tokens") as caught:
        budget.before_call(11)
    assert (caught.value.used, caught.value.cap) == (90, 100)
    assert budget.output_room(5, 500) == 5
    assert budget.output_room(50, 500) == 1


def test_no_cap_and_replays_spend_nothing() -> None:
    budget = TokenBudget(cap=None)
    budget.before_call(10**9)
    assert budget.output_room(5, 500) == 500
    budget.spend(call(30, 10, recorded=True))
    assert budget.used == 0


def test_prices_are_per_million_tokens() -> None:
    price = price_of("gpt-4o")
    assert price is not None
    assert price.cost(1_000_000, 0) == price.input
    assert price_of("gpt-4o-2024-11-20") == price
    assert price_of("somebody-elses-model") is None
    assert FREE.cost(10**6, 10**6) == 0.0


def test_the_journal_appends_lines_without_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "my-own-key")
    path = tmp_path / "llm_calls.jsonl"
    journal = CallJournal(path)
    journal.write(line(reply="a\nb \ud800 é", messages=[{"role": "human", "text": "hi"}]))
    journal.write(line(error="bad key my-own-key or sk-abcdef123"))
    assert len(path.read_text().splitlines()) == 2
    assert json.loads(path.read_text().splitlines()[1])["error"] == "bad key *** or sk-***"
    CallJournal(None).write(line())


def test_a_journal_cut_by_a_kill_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "llm_calls.jsonl"
    CallJournal(path).write(line(reply="whole"))
    with path.open("a") as file:
        file.write('{"agent": "a", "mod')
    assert [read.reply for read in read_journal(path)] == ["whole"]


def test_secrets_are_taken_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "hush-hush")
    assert redact("x hush-hush http://me:word@host/v1") == "x *** http://***@host/v1"
    assert one_line("a\n\n b" + "c" * 300, 10) == "a bcccccc…"


@pytest.mark.parametrize("header", [None, "soon", ""])
def test_no_pause_where_none_is_named(header: str | None) -> None:
    assert seconds_of(header) is None


def test_a_pause_in_seconds_or_until_a_date() -> None:
    assert seconds_of("2.5") == 2.5
    assert seconds_of("-3") == 0.0
    assert 25 < (seconds_of(formatdate(time() + 30, usegmt=True)) or 0) <= 30


def test_pauses_grow_and_are_bounded() -> None:
    retry = Retry(jitter=lambda: 1.0, longest_delay=5.0)
    assert [retry.delay(failures, None) for failures in (1, 2, 3, 4)] == [1, 2, 4, 5]
    assert retry.delay(1, 3600.0) == 5.0
    assert 0.5 <= Retry().delay(1, None) <= 1.5


def test_lengths_are_estimated_by_bytes() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("a" * 35) == 10
    assert estimate_tokens("語" * 7) == 6


def test_errors_are_one_sentence() -> None:
    assert str(ContextTooLong(9000, 8192)).startswith("The prompt takes about 9000 tokens")
    assert "fewer tokens" in str(ContextTooLong(None, None))
    assert "(last: no name)" in str(ReplyInvalid("sar", 3, ["no name."]))
