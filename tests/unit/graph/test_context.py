import math
from dataclasses import fields

import pytest
from pydantic import TypeAdapter

from graph.context import LIMITS, RunContext
from nodes.settings import RunSettings


@pytest.mark.parametrize("name", LIMITS)
def test_limits_are_inclusive_and_kept(name: str) -> None:
    low, high = LIMITS[name]
    for value in (low, high):
        assert getattr(RunContext(**{name: value}), name) == value
    option = "--" + name.replace("_", "-")
    for value in (low - 1, high + 1, math.nan, math.inf):
        with pytest.raises(ValueError, match=f"^{option} must be from"):
            RunContext(**{name: value})


def test_base_url_must_be_an_address() -> None:
    assert RunContext(base_url="http://127.0.0.1:9/v1").base_url == "http://127.0.0.1:9/v1"
    with pytest.raises(ValueError, match="--base-url must start with http"):
        RunContext(base_url="127.0.0.1:9")


def test_settings_carry_over_what_nodes_may_know() -> None:
    context = RunContext(seed=3, steps=9, time_budget=8, max_debug=7, max_tokens=6, out="o")
    settings = context.settings(None)
    for field in fields(RunSettings):
        expected = None if field.name == "model" else getattr(context, field.name)
        assert getattr(settings, field.name) == expected


def test_server_can_fill_the_context_from_plain_json() -> None:
    schema = TypeAdapter(RunContext).json_schema()
    assert "required" not in schema
    assert {field.name for field in fields(RunContext)} == set(schema["properties"])


def test_agents_that_are_reviewed_can_be_chosen() -> None:
    assert RunContext(correct=" sar, objective ,").corrected() == {"sar", "objective"}
    assert RunContext(correct="").corrected() == frozenset()
    assert RunContext(no_error_correction=True).corrected() == frozenset()
    with pytest.raises(ValueError, match=r"^--correct: 'coding' is no agent that is reviewed"):
        RunContext(correct="sar,coding")


def test_what_is_open_is_asked_assumed_or_an_end() -> None:
    assert RunContext(clarify="assume").clarify == "assume"
    with pytest.raises(ValueError, match=r"^--clarify must be one of ask, assume, fail"):
        RunContext(clarify="guess")  # type: ignore[arg-type]


def test_bad_model_name_is_told_in_one_sentence() -> None:
    with pytest.raises(ValueError, match="openai:NAME"):
        RunContext(model="gpt").chosen_model("a description")


def test_what_training_is_to_do_without_must_exist() -> None:
    assert RunContext(without="time left, ppo").without == "time left, ppo"
    with pytest.raises(ValueError, match=r"^--without: there is no remedy or method 'ppp'"):
        RunContext(without="ppo,ppp")
    with pytest.raises(ValueError, match=r"^--algorithm must be one of auto, dqn"):
        RunContext(algorithm="ppp")  # type: ignore[arg-type]
