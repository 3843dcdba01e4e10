"""Rules doubt what is strange, and nothing of a good answer."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.correction.rules import rule_doubts
from state.constraints import Constraint
from state.model import ConstraintEquation, MarkovModel
from state.objective import Objective
from state.parameters import Parameter
from state.review import REVIEWED, Doubt, Reviewed
from state.run_state import RunState
from state.sar import RewardTerm, StateActionReward
from state.spec import Spec
from state.variables import Variable

TASKS = Path(__file__).parents[3] / "benchmarks" / "tasks"
TEXT = "The tank holds 40 litres. The pump moves 3 kW of water. We look at 30 days of 6 euros each."
SENTENCES = TEXT.split(". ")
CAPACITY = Parameter(
    name="capacity", definition="room in the tank", value=40, unit="litres",
    quote="The tank holds 40 litres.",
)  # fmt: skip
POWER = Parameter(
    name="power", definition="power of the pump", value=3, unit="kW",
    quote="The pump moves 3 kW of water.",
)  # fmt: skip
DAYS = Parameter(name="days", definition="length", value=30, unit="days", quote="")
PRICE = Parameter(name="price", definition="price", value=6, unit="euros", quote="")
PARAMETERS = [CAPACITY, POWER, DAYS, PRICE]
LEVEL = Variable(
    name="level", role="system", definition="water", dtype="real", low=0, high=40, unit="litres"
)
PUMP = Variable(
    name="pump", role="decision", definition="pump power", dtype="real", low=0, high="power",
    unit="kW",
)  # fmt: skip


def doubts(agent: Reviewed, **pieces: Any) -> list[Doubt]:
    return rule_doubts(agent, RunState(description=TEXT, **{"parameters": PARAMETERS, **pieces}))


def items(found: list[Doubt]) -> list[str]:
    assert all(doubt.score == 0 and doubt.found_by == "rule" for doubt in found)
    return [doubt.item for doubt in found]


@pytest.mark.parametrize("task", sorted(path.name for path in TASKS.iterdir()))
def test_nothing_is_doubted_of_a_good_specification(task: str) -> None:
    spec = Spec.model_validate_json((TASKS / task / "spec.json").read_text())
    pieces = {name: getattr(spec, name) for name in Spec.model_fields}
    state = RunState.model_validate(pieces)
    assert [doubt for agent in REVIEWED for doubt in rule_doubts(agent, state)] == []


def test_a_number_that_no_parameter_uses() -> None:
    assert doubts("parameter") == []
    found = doubts("parameter", parameters=[CAPACITY, POWER, DAYS])
    assert items(found) == ["6"]
    assert found[0].evidence.startswith("We look at 30 days")
    assert found[0].open_point is None


def test_a_number_that_was_assumed_is_a_question() -> None:
    assumed = Parameter(name="fee", definition="fee for a litre", value=2, assumed="not given")
    found = doubts("parameter", parameters=[*PARAMETERS, assumed])
    assert items(found) == ["fee"]
    point = found[0].open_point
    assert point is not None
    assert point.question == "What is the fee for a litre?"
    assert point.assumption == "2 (not given)"


@pytest.mark.parametrize("unit", ["W", "MW", "kWh", "litres", "m"])
def test_a_unit_that_is_not_the_one_beside_the_number(unit: str) -> None:
    changed = POWER.model_copy(update={"unit": unit})
    assert items(doubts("parameter", parameters=[CAPACITY, changed, DAYS, PRICE])) == ["power"]


@pytest.mark.parametrize("unit", ["kW", "kilowatt", "kW/pump", "kW per litre"])
def test_the_same_unit_in_other_words_is_not_doubted(unit: str) -> None:
    changed = POWER.model_copy(update={"unit": unit})
    assert doubts("parameter", parameters=[CAPACITY, changed, DAYS, PRICE]) == []


def test_a_plural_fits_its_singular() -> None:
    changed = CAPACITY.model_copy(update={"unit": "litre/step"})
    assert doubts("parameter", parameters=[changed, POWER, DAYS, PRICE]) == []


@given(low=st.floats(0, 100), high=st.floats(0, 100), word=st.sampled_from(["min", "smallest"]))
def test_limits_that_cross_are_a_question(low: float, high: float, word: str) -> None:
    large = {"min": "max", "smallest": "largest"}[word]
    text = f"At least {low!r} and at most {high!r}."
    given_limits = [
        Parameter(name=f"{word}_order", definition="d", value=low),
        Parameter(name=f"{large}_order", definition="d", value=high),
    ]
    found = rule_doubts("parameter", RunState(description=text, parameters=given_limits))
    crossed = [doubt for doubt in found if doubt.open_point is not None]
    assert bool(crossed) is (low > high)


@pytest.mark.parametrize(
    ("sense", "statement", "measure", "quote", "doubted"),
    [
        ("maximize", "Minimize the distance.", "km driven", "", ["sense"]),
        ("minimize", "Minimize the distance.", "km driven", "", []),
        ("maximize", "Minimize the distance.", "minus the km driven", "", []),
        ("minimize", "Sales.", "sales", "Sales should be as high as possible.", ["sense"]),
        ("maximize", "Serve most.", "served", "", []),
    ],
)
def test_a_sense_against_the_words_is_doubted(
    sense: str, statement: str, measure: str, quote: str, doubted: list[str]
) -> None:
    goal = Objective.model_validate(
        {"sense": sense, "statement": statement, "measure": measure, "quote": quote}
    )
    assert items(doubts("objective", objective=goal)) == doubted


def test_a_goal_that_no_sentence_states_is_a_question() -> None:
    goal = Objective(sense="maximize", statement="Earn much.", measure="profit")
    assert doubts("objective", objective=goal) == []
    found = doubts("objective", objective=goal.model_copy(update={"assumed": "not said"}))
    assert items(found) == ["sense"]
    assert found[0].open_point is not None
    assert found[0].open_point.assumption == "Earn much."


def test_limits_that_the_description_does_not_have() -> None:
    assert doubts("variable", variables=[PUMP, LEVEL]) == []
    found = doubts(
        "variable",
        variables=[
            PUMP.model_copy(update={"high": 555.0}), LEVEL.model_copy(update={"high": 777.0})
        ],
    )  # fmt: skip
    assert items(found) == ["pump", "level"]
    assert [doubt.open_point is not None for doubt in found] == [True, False]


@given(st.lists(st.text(min_size=1, max_size=5), min_size=2, max_size=16, unique=True))
def test_options_and_truths_have_no_limits_to_doubt(labels: list[str]) -> None:
    choice = Variable(
        name="choice", role="decision", definition="d", dtype="integer", labels=labels
    )
    truth = Variable(name="truth", role="system", definition="d", dtype="boolean")
    assert doubts("variable", variables=[choice, truth]) == []


def test_constraints_with_strange_numbers_and_names() -> None:
    def stated(statement: str) -> list[str]:
        rule = Constraint(name="rule", statement=statement, quote=SENTENCES[0])
        return [d.reason for d in doubts("constraint", variables=[LEVEL], constraints=[rule])]

    assert stated("The level never exceeds capacity, which is 40.") == []
    assert stated("water_level is at most 40.") == ["there is no quantity water_level"]
    assert stated("The level is at most 45 litres.") == ["45 is not in the description"]


def model(**changed: Any) -> MarkovModel:
    given_fields = {
        "objective_latex": "", "step_measure": "price * level", "constraints": [],
        "discount": 1, "horizon": 30,
    }  # fmt: skip
    return MarkovModel.model_validate({**given_fields, **changed})


def test_what_is_strange_in_a_model() -> None:
    def found(**changed: Any) -> list[Doubt]:
        return doubts("modeling", variables=[LEVEL, PUMP], model=model(**changed))

    assert found() == []
    length = found(horizon=200)
    assert items(length) == ["horizon"]
    assert length[0].open_point is not None
    assert length[0].open_point.assumption == "200 steps"
    assert items(found(discount=0.73)) == ["discount"]
    assert items(found(step_measure="price * level * 0.77")) == ["step_measure"]
    misfit = ConstraintEquation(name="fits", latex="", expression="level <= power")
    assert "units do not fit" in found(constraints=[misfit])[0].reason


def test_what_is_strange_in_a_reward() -> None:
    def found(expression: str) -> list[str]:
        reward = [RewardTerm(name="earned", expression=expression)]
        sar = StateActionReward(observation=["level"], action=["pump"], reward=reward)
        return [d.reason for d in doubts("sar", variables=[LEVEL, PUMP], model=model(), sar=sar)]

    assert found("price * level - 2") == []
    assert found("price * 0.83") == ["0.83 is not in the description"]
    assert "'profit'" in found("profit")[0]


@pytest.mark.parametrize(("unit", "doubted"), [("kWh", True), ("MW", False), ("", False)])
def test_a_limit_of_another_dimension_is_doubted(unit: str, doubted: bool) -> None:
    store = LEVEL.model_copy(update={"name": "store", "high": "power", "unit": unit})
    found = [d for d in doubts("variable", variables=[store]) if "not in kWh" in d.reason]
    assert bool(found) == doubted
    assert all(d.open_point and "kWh" in d.open_point.assumption for d in found)
