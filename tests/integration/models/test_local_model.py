"""The local model for real, where its runtime and weights are there."""

import atexit
import importlib.util
import subprocess
import sys
from typing import Literal

import pytest
from langchain_core.messages import AIMessage
from pydantic import BaseModel, Field

from nodes.models.budget import TokenBudget
from nodes.models.chosen import ChosenModel
from nodes.models.conversation import as_messages
from nodes.models.errors import ModelUnavailable
from nodes.models.factory import choose_model
from nodes.models.fill import Gap
from nodes.models.grammar import grammar_for
from nodes.models.journal import CallJournal
from nodes.models.schemas import closed_schema
from nodes.models.structured import call_structured

needs_runtime = pytest.mark.skipif(
    importlib.util.find_spec("llama_cpp") is None, reason="llama-cpp-python is not installed"
)


@pytest.fixture(scope="module", autouse=True)
def _close_what_the_runtime_leaves_open() -> None:
    """Its bindings hold two null files open to the end, which Python then warns of."""
    if importlib.util.find_spec("llama_cpp") is not None:
        from llama_cpp import _utils

        atexit.register(_utils.outnull_file.close)
        atexit.register(_utils.errnull_file.close)


class Price(BaseModel):
    item: str = Field(pattern=r"^[a-z_]+$", max_length=40)
    value: float
    currency: Literal["euro", "dollar"]


class Prices(BaseModel):
    prices: list[Price] = Field(max_length=100)


@pytest.fixture(scope="module")
def model() -> ChosenModel:
    try:
        return choose_model("local")
    except ModelUnavailable as error:
        pytest.skip(str(error))


@needs_runtime
def test_a_schema_becomes_a_grammar_of_bounded_size() -> None:
    grammar = grammar_for(closed_schema(Prices), "Prices")
    assert "root ::=" in grammar
    assert '"\\"euro\\"" | "\\"dollar\\""' in grammar
    assert len(grammar) < 3000


@needs_runtime
def test_an_unknown_pattern_is_left_to_the_check_of_the_reply() -> None:
    class Odd(BaseModel):
        name: str = Field(pattern=r"^(?:a|b)$")

    assert "root ::=" in grammar_for(closed_schema(Odd), "Odd")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_local_model_fills_a_schema(model: ChosenModel) -> None:
    reply = call_structured(
        model,
        Prices,
        [
            ("system", "List the prices in the text as JSON: item, value, currency."),
            ("human", "A loaf costs 2.5 euro."),
        ],
        agent="parameter",
        budget=TokenBudget(None),
        journal=CallJournal(None),
        max_output_tokens=200,
    )
    assert [price.value for price in reply.value.prices] == [2.5]
    (call,) = reply.calls
    assert 10 < call.prompt_tokens < 100
    assert 5 < call.completion_tokens < 200


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_local_model_fills_a_gap(model: ChosenModel) -> None:
    """The line that the names ask for is among the first, and likelier than what stands there."""
    gap = Gap(
        model, "# The area of a rectangle.\ndef area(width, height):\n    ", "\n", agent="coding",
        budget=TokenBudget(None), journal=CallJournal(None),
    )  # fmt: skip
    wrong, right = "return width + height", "return width * height"
    lines, call = gap.lines(wrong, most=4, ordinal=0)
    assert right in lines
    assert wrong not in lines
    assert 10 < call.prompt_tokens < 40
    odds, _ = gap.odds([right, wrong], ordinal=1)
    assert -1.0 < odds[0] < 0.0
    assert odds[1] < odds[0] - 2.0
    assert model.chat.invoke("Say yes.", max_tokens=2).text  # it reads on as before


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_prompt_is_counted_as_the_runtime_counts_it(model: ChosenModel) -> None:
    messages = as_messages([("system", "You are brief."), ("human", "How are you?")])
    answer = model.chat.invoke(messages, max_tokens=3)
    assert isinstance(answer, AIMessage)
    used = answer.usage_metadata
    assert used is not None
    assert abs(model.wire.count_tokens(messages) - used["input_tokens"]) <= 2
    assert answer.response_metadata["finish_reason"] == "length"


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_runtime_prints_nothing(model: ChosenModel) -> None:
    code = (
        "from nodes.models.factory import choose_model; "
        "print(choose_model('local').chat.invoke('Hi', max_tokens=1).text)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1
