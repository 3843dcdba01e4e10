"""A reply that came before an interruption is taken from the journal, never asked for again."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from nodes.models.budget import TokenBudget
from nodes.models.errors import BudgetExhausted, ModelRefused, ReplyInvalid
from nodes.models.factory import choose_model
from nodes.models.journal import CallJournal, JournalLine, read_journal
from nodes.models.recording import record
from nodes.models.structured import StructuredReply, call_structured
from tests.fake_chat_server import Answer, FakeChatServer, Say, scripted


class Item(BaseModel):
    price: float


class Killed(BaseException):
    """Ends an exchange as a killed process would, with nothing cleaned up."""


class Run:
    """A run whose processes come and go; each ``ask`` is one that starts its node anew."""

    def __init__(self, server: FakeChatServer, folder: Path) -> None:
        self.server = server
        self.path = folder / "llm_calls.jsonl"
        self.budget = TokenBudget(None)

    def ask(
        self,
        *,
        ordinal: int = 0,
        text: str = "What does a loaf cost?",
        check: Callable[[Item], list[str]] | None = None,
        cap: int | None = None,
        repairs: int = 2,
        max_output_tokens: int = 500,
    ) -> StructuredReply[Item]:
        self.budget = TokenBudget(cap)
        return call_structured(
            choose_model("openai:fake-model", base_url=self.server.openai_url),
            Item,
            [("system", "You read prices."), ("human", text)],
            agent="parameter",
            check=check,
            repairs=repairs,
            budget=self.budget,
            journal=CallJournal(self.path),
            ordinal=ordinal,
            max_output_tokens=max_output_tokens,
        )


Start = Callable[..., Run]


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    monkeypatch.setenv("OPENAI_API_KEY", "no-key")
    servers: list[FakeChatServer] = []

    def begin(*answers: Answer) -> Run:
        server = FakeChatServer(scripted(*answers)).__enter__()
        servers.append(server)
        return Run(server, tmp_path)

    yield begin
    for server in servers:
        server.stop()


def price(value: float) -> str:
    return json.dumps({"price": value})


def killing_at(number: int) -> Callable[[Item], list[str]]:
    """A check that is never content before the third answer, and dies at answer ``number``."""
    seen = 0

    def check(item: Item) -> list[str]:
        nonlocal seen
        seen += 1
        if seen == number:
            raise Killed
        # Measured anew by each process, as the time that a rule takes is.
        return [] if seen == 3 else [f"too dear, found after {id(item)} s"]

    return check


@pytest.mark.parametrize("number", [1, 2, 3])
def test_an_exchange_goes_on_where_it_was_killed(start: Start, number: int) -> None:
    run = start(price(9), price(8), price(7))
    with pytest.raises(Killed):
        run.ask(check=killing_at(number))
    assert len(run.server.requests) == number
    reply = run.ask(check=killing_at(0))
    assert reply.value.price == 7
    assert len(run.server.requests) == 3
    assert [call.from_journal for call in reply.calls] == [n <= number for n in (1, 2, 3)]
    assert [call.attempt for call in reply.calls] == [1, 2, 3]
    assert run.budget.used == 3 * 120
    again = run.ask(check=killing_at(0))
    assert again.value == reply.value
    assert len(run.server.requests) == 3


def test_another_question_is_asked(start: Start) -> None:
    run = start(price(1), price(2), price(3))
    assert run.ask().value.price == 1
    assert run.ask(text="And a roll?").value.price == 2
    assert run.ask(ordinal=1).value.price == 3
    assert [run.ask(ordinal=n).value.price for n in (0, 1)] == [1, 3]
    assert len(run.server.requests) == 3


def test_a_reply_cut_off_for_want_of_room_is_asked_for_again_where_there_is_more(
    start: Start,
) -> None:
    cut = Say('{"price"', finish="length")
    run = start(cut, cut, price(2))
    with pytest.raises(ReplyInvalid):
        run.ask(repairs=0, max_output_tokens=4)
    assert run.ask(repairs=0, max_output_tokens=600).value.price == 2


def test_tokens_of_a_kept_reply_count_against_the_cap_once(start: Start) -> None:
    run = start(price(1), price(2))

    def never(item: Item) -> list[str]:
        return ["no"]

    with pytest.raises(BudgetExhausted):
        run.ask(check=never, cap=400, repairs=1)
    assert len(run.server.requests) == 1
    reply = run.ask(check=never, cap=100_000, repairs=1)
    assert len(run.server.requests) == 2
    assert [call.from_journal for call in reply.calls] == [True, False]
    assert run.budget.used == 240


@pytest.mark.parametrize(
    ("answers", "error"),
    [(["none", "none"], ReplyInvalid), ([Say("", refusal="I will not.")], ModelRefused)],
)
def test_what_was_given_up_is_asked_anew_and_stays_in_the_accounts(
    start: Start, answers: list[Answer], error: type[ReplyInvalid | ModelRefused], tmp_path: Path
) -> None:
    run = start(*answers, *answers, price(5))
    for _ in range(2):
        with pytest.raises(error) as caught:
            run.ask(repairs=len(answers) - 1)
        CallJournal(run.path).give_up(caught.value)
    reply = run.ask(repairs=len(answers) - 1)
    assert reply.value.price == 5
    assert len(run.server.requests) == len(reply.calls) == 2 * len(answers) + 1
    assert run.budget.used == 120 * len(reply.calls)
    again = run.ask(repairs=0)
    assert [call.from_journal for call in again.calls] == [True] * len(reply.calls)
    assert run.ask(ordinal=len(reply.calls)).value.price == 5
    told = record(
        run.path, tmp_path / "r.json", task="t", model="m", date="2026-01-01", description="d"
    )
    assert [(r.ordinal, r.reply) for r in told.replies] == [(0, price(5)), (1, price(5))]


@given(st.data())
def test_a_journal_cut_anywhere_by_kills_keeps_its_whole_lines(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("j") / "llm_calls.jsonl"
    whole: list[str] = []
    for number in range(data.draw(st.integers(1, 4))):
        before = path.stat().st_size if path.exists() else 0
        line = JournalLine(
            agent="a", model="m", attempt=1, ordinal=number, messages=[], reply=f"é{number}"
        )
        CallJournal(path).write(line)
        if data.draw(st.booleans()):
            with path.open("r+b") as file:
                file.truncate(data.draw(st.integers(before, path.stat().st_size - 2)))
        else:
            whole.append(f"é{number}")
    assert [line.reply for line in read_journal(path)] == whole


def test_a_link_in_place_of_the_journal_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("mine\n")
    path = tmp_path / "llm_calls.jsonl"
    path.symlink_to(tmp_path / "secret")
    line = JournalLine(agent="a", model="m", attempt=1, ordinal=0, messages=[], reply="x")
    with pytest.raises(OSError, match="symbolic link"):
        CallJournal(path).write(line)
    assert CallJournal(path).reply_to(line) is None
    assert (tmp_path / "secret").read_text() == "mine\n"
