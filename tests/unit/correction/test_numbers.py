"""Numbers of a description: which are constants of the task, and which answers they explain."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.correction.numbers import Numbers, says_count_of_steps, unused
from state.parameters import Parameter
from state.run_state import RunState


def state_of(description: str, **parameters: float | list[float]) -> RunState:
    return RunState(
        description=description,
        parameters=[
            Parameter(name=name, definition="d", value=value) for name, value in parameters.items()
        ],
    )


def doubtful(description: str, **parameters: float | list[float]) -> list[float]:
    return [mention.value for mention, _ in unused(state_of(description, **parameters))]


def test_numbers_that_no_parameter_uses_are_found() -> None:
    text = "A tank holds 40 litres and leaks 0.5 litres an hour. Rain brings 7 litres."
    assert doubtful(text) == [40, 0.5, 7]
    assert doubtful(text, capacity=40.0, leak=0.5) == [7]
    assert doubtful(text, all_of_them=[40.0, 0.5, 7.0]) == []


@pytest.mark.parametrize(
    "text",
    [
        "See section 4.2 and table 7 of chapter 3.",
        "Version 2.3 of this note, 14 March 2024.",
        "Written on 2024-03-14, at 10:45, for building 7 in room 412.",
        "1. The service\n\n2. The costs",
        "The 3rd of the 21st.",
        "Im Abschnitt 5, vom 14 März 2024.",
        "There are two tanks, and one of three valves opens.",
        "The stock is never below 0.",
        "An episode is a day of 24 hours; a year has 365 days and a minute 60 seconds.",
        "They use 100 % of it.",
        "We use CartPole-v1 and item_2.",
    ],
)
def test_numbers_in_passing_are_not_doubted(text: str) -> None:
    assert doubtful(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("A ride earns 12 euros.", 12),
        ("It takes 1 MWh.", 1),
        ("There are 2000 kg in it.", 2000),
        ("The chance is 0.3.", 0.3),
        ("Eine Portion kostet 3 Euro.", 3),
        ("It lasts 48 hours.", 48),
        ("It costs 2,500 euros.", 2500),
    ],
)
def test_constants_of_the_task_are_doubted(text: str, value: float) -> None:
    assert doubtful(text) == [value]


@given(st.floats(0.001, 1e9), st.sampled_from([1.0, 1e2, 1e3, 1e6, 60.0, 3600.0, 24.0]))
def test_a_known_number_is_explained_in_any_scale(value: float, scale: float) -> None:
    numbers = Numbers(frozenset({value}))
    for given_value in (value, -value, value * scale, value / scale, value + 1):
        assert numbers.explain(given_value)


@given(st.integers(3, 500), st.integers(3, 500))
def test_what_two_numbers_make_is_explained(one: int, other: int) -> None:
    numbers = Numbers(frozenset({float(one), float(other)}))
    assert all(numbers.explain(value) for value in (one * other, one + other, one - other))


def test_a_number_out_of_nowhere_is_not_explained() -> None:
    numbers = Numbers.of(state_of("A tank holds 40 litres.", leak=0.5))
    assert numbers.explain(40)
    assert numbers.explain(39)
    assert not numbers.explain(777)
    assert not numbers.explain(0.7)


@pytest.mark.parametrize(
    ("text", "steps", "said"),
    [
        ("One episode lasts 100 slots.", 100, True),
        ("One episode lasts 100 slots.", 99, True),
        ("Every 15 minutes, for 8 hours.", 32, True),
        ("An episode is one week of hours.", 168, True),
        ("Every half hour for 2 weeks.", 672, True),
        ("A season of 30 days, 4 shifts each.", 120, True),
        ("Every hour it costs 10 euros.", 24, False),
        ("It costs 7 euros.", 1000, False),
        ("It costs 7 euros.", 200, False),
        ("The room holds 20 bikes.", 150, False),
    ],
)
def test_the_length_of_an_episode_follows_from_the_text_or_not(
    text: str, steps: int, said: bool
) -> None:
    assert says_count_of_steps(text, steps) is said
