"""The typed pieces refuse what later stages could not use."""

import pytest
from pydantic import ValidationError

from state.parameters import Parameter
from state.run_state import RunState
from state.usage import ModelCall, Usage
from state.variables import Variable


@pytest.mark.parametrize("name", ["2nd", "time_step", "previous_x", "ä", "", "if", "x" * 61])
def test_names_that_cannot_name_a_quantity(name: str) -> None:
    with pytest.raises(ValidationError):
        Parameter(name=name, definition="", value=1)


@pytest.mark.parametrize("name", ["ChannelGain", "channelGain", "channel gain", "channel-gain"])
def test_other_spellings_of_a_name_are_taken_for_snake_case(name: str) -> None:
    assert Parameter(name=name, definition="", value=1).name == "channel_gain"


@pytest.mark.parametrize("value", [[], [[1.0], []], [[1.0, 2.0], [3.0]]])
def test_a_list_of_numbers_is_full_and_even(value: list[float]) -> None:
    with pytest.raises(ValidationError):
        Parameter(name="p", definition="", value=value)


def test_not_a_number_is_no_value() -> None:
    with pytest.raises(ValidationError):
        Parameter(name="cost", definition="", value=float("nan"))


@pytest.mark.parametrize(
    ("value", "shape"), [(3, ()), ([1, 2], (2,)), ([[1, 2], [3, 4], [5, 6]], (3, 2))]
)
def test_shape_of_a_parameter(value: float, shape: tuple[int, ...]) -> None:
    assert Parameter(name="p", definition="", value=value).shape == shape


def test_labels_number_the_options() -> None:
    valve = Variable(
        name="valve", role="decision", definition="", dtype="real", labels=["open", "closed"]
    )
    assert (valve.dtype, valve.low, valve.high) == ("integer", 0, 1)


def test_labels_must_differ() -> None:
    with pytest.raises(ValidationError, match="differ"):
        Variable(name="v", role="decision", definition="", dtype="integer", labels=["a", "a"])


def test_usage_adds_up_and_an_unknown_price_stays_unknown() -> None:
    known = ModelCall(agent="a", model="m", prompt_tokens=3, completion_tokens=2, cost=0.5)
    unknown = known.model_copy(update={"cost": None})
    assert Usage.of([known, known]).cost == 1.0
    assert Usage.of([known, unknown]).cost is None
    assert Usage.of([known, unknown]).tokens == 10


def test_a_specification_needs_all_its_pieces() -> None:
    with pytest.raises(ValueError, match="not complete"):
        RunState(description="d").spec()
