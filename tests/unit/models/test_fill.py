"""A missing line, from a model that fills gaps."""

import pytest

from nodes.models.budget import TokenBudget
from nodes.models.chosen import ChosenModel, Wire
from nodes.models.errors import BudgetExhausted
from nodes.models.fill import fill_in
from nodes.models.journal import CallJournal
from tests.unit.models.plain_chat import Plain


class Filling(Wire):
    fills = True


def filled(chat: Plain, wire: Wire | None = None, cap: int | None = None) -> str:
    model = ChosenModel("local:plain", "a test", chat, "local", wire=wire or Filling())
    line, call = fill_in(
        model, "def f(x):\n    ", "\n", agent="coding", budget=TokenBudget(cap),
        journal=CallJournal(None), ordinal=3,
    )  # fmt: skip
    assert call.completion_tokens > 0
    return line


def test_the_reply_is_the_line() -> None:
    assert filled(Plain(text="  return x\n")) == "return x"


def test_a_line_that_was_cut_off_is_none() -> None:
    assert filled(Plain(text="return x + x + x +", finish_reason="length")) == ""


def test_a_model_that_fills_no_gaps_is_not_asked() -> None:
    with pytest.raises(ValueError, match="cannot be asked for what is missing"):
        filled(Plain(), Wire())


def test_the_cap_holds_here_too() -> None:
    with pytest.raises(BudgetExhausted):
        filled(Plain(), cap=50)
