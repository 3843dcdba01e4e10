"""What may stand in a gap, from a model that fills gaps."""

from collections.abc import Callable

import pytest

from nodes.models.budget import TokenBudget
from nodes.models.chosen import ChosenModel, Wire
from nodes.models.errors import BudgetExhausted, ReplyInvalid
from nodes.models.fill import Gap
from nodes.models.journal import CallJournal
from tests.unit.models.plain_chat import Plain


class Filling(Wire):
    fills = True


def gap_in(chat: Plain, wire: Wire | None = None, cap: int | None = None) -> Gap:
    model = ChosenModel("local:plain", "a test", chat, "local", wire=wire or Filling())
    return Gap(
        model, "def f(x):\n    ", "\n", agent="coding", budget=TokenBudget(cap),
        journal=CallJournal(None),
    )  # fmt: skip


def test_each_line_of_the_reply_is_one() -> None:
    lines, call = gap_in(Plain(text="return x\nreturn -x\n")).lines("pass", most=2, ordinal=3)
    assert lines == ["return x", "return -x"]
    assert call.completion_tokens > 0


def test_no_more_lines_than_were_asked_for() -> None:
    assert gap_in(Plain(text="a\nb\nc")).lines("pass", most=2, ordinal=0)[0] == ["a", "b"]
    assert gap_in(Plain(text="")).lines("pass", most=2, ordinal=0)[0] == []


def test_each_line_has_its_odds() -> None:
    odds, _ = gap_in(Plain(text="-1.500\n-20.000")).odds(["return x", "return y"], ordinal=0)
    assert odds == [-1.5, -20.0]


@pytest.mark.parametrize("text", ["-1.5", "-1.5\nlikely", "-1\n-2\n-3", ""])
def test_odds_that_are_not_those_of_the_lines_are_no_answer(text: str) -> None:
    with pytest.raises(ReplyInvalid, match="not one number for each line") as raised:
        gap_in(Plain(text=text)).odds(["return x", "return y"], ordinal=0)
    assert len(raised.value.calls) == 1


def test_a_model_that_fills_no_gaps_is_not_asked() -> None:
    with pytest.raises(ValueError, match="cannot be asked for what is missing"):
        gap_in(Plain(), Wire())


@pytest.mark.parametrize(
    "asked", [lambda gap: gap.lines("x", most=1, ordinal=0), lambda gap: gap.odds(["x"], ordinal=0)]
)
def test_the_cap_holds_here_too(asked: Callable[[Gap], object]) -> None:
    with pytest.raises(BudgetExhausted):
        asked(gap_in(Plain(), cap=50))
