"""Values that were once wrong without a word: units, rates, per cent, the order of a step."""

from typing import Any

import numpy as np
import pytest

from nodes.codegen.compile_spec import compile_spec, step_length_of
from nodes.codegen.helpers import with_helpers
from nodes.codegen.units import factor_between, parse_unit
from state.dynamics import CodeBody, Dynamics, Rule
from state.model import MarkovModel
from state.objective import Objective
from state.parameters import Parameter
from state.sar import RewardTerm, StateActionReward
from state.spec import Spec
from state.variables import Variable
from tests.unit.codegen.test_compile_spec import built

Quantity = tuple[Any, str]
DECISION = Variable(name="act", role="decision", definition="", dtype="integer", low=0, high=9)


def spec_of(
    constants: dict[str, Quantity],
    system: list[Variable],
    rules: list[Rule],
    *,
    reward: str = "0",
    reward_unit: str = "",
    step_length: str = "",
    seen: list[str] | None = None,
    decision: Variable = DECISION,
    horizon: int = 20,
    **dynamics: Any,
) -> Spec:
    return Spec(
        description="d",
        parameters=[
            Parameter(name=name, definition="", value=value, unit=unit)
            for name, (value, unit) in constants.items()
        ],
        objective=Objective(sense="maximize", statement="s", measure="m"),
        variables=[decision, *system],
        constraints=[],
        model=MarkovModel(objective_latex="", step_measure="", constraints=[], discount=1,
                          horizon=horizon, step_length=step_length),
        sar=StateActionReward(observation=seen or ["time_step"], action=[decision.name],
                              reward=[RewardTerm(name="r", expression=reward)],
                              reward_unit=reward_unit),
        dynamics=Dynamics(rules=rules, **dynamics),
    )  # fmt: skip


def system(name: str, unit: str = "", **kind: Any) -> Variable:
    return Variable(name=name, role="system", definition="", unit=unit, **{"dtype": "real", **kind})


def computed(name: str, expression: str) -> Rule:
    return Rule(variable=name, kind="computed", expression=expression)


def updated(name: str, initial: str, expression: str) -> Rule:
    return Rule(variable=name, kind="updated", initial=initial, expression=expression)


def after_step(spec: Spec, name: str, action: Any = 3, steps: int = 1) -> Any:
    environment = built(spec)
    environment.reset(seed=0)
    for _ in range(steps):
        info = environment.step(action)[4]
    return info["quantities"][name]


def once(constants: dict[str, Quantity], expression: str, unit: str = "", **options: Any) -> Any:
    """Value of one computed quantity after one step."""
    spec = spec_of(constants, [system("x", unit)], [computed("x", expression)], **options)
    return after_step(spec, "x")


def test_the_cost_of_switching_compares_with_the_choice_before() -> None:
    environment = built(spec_of({}, [], [], reward="-5 * (act != previous_act)"))
    environment.reset(seed=0)
    assert [environment.step(a)[1] for a in (0, 1, 1, 0)] == [0, -5, 0, -5]


@pytest.mark.parametrize(
    ("constants", "draw", "step", "mean"),
    [
        ({"rate": (12, "customers/hour")}, "poisson(rate)", "1 hour", 12),
        ({"rate": (12, "customers/hour")}, "poisson(rate)", "15 minutes", 3),
        ({"p": (0.3, "per day")}, "bernoulli(p)", "1 day", 0.3),
        ({"p": (30, "%")}, "bernoulli(p)", "", 0.3),
        ({"m": (20, "litre")}, "poisson(m)", "", 20),
        ({"m": (5, "Mbit")}, "poisson(m)", "", 5),
    ],
)
def test_draws_have_the_mean_that_is_meant(
    constants: dict[str, Quantity], draw: str, step: str, mean: float
) -> None:
    spec = spec_of(
        constants,
        [system("x", shape=[2000])],
        [Rule(variable="x", kind="revealed_after_decision", expression=draw)],
        step_length=step,
    )
    sample = np.array(after_step(spec, "x"))
    assert sample.mean() == pytest.approx(mean, rel=0.1)
    assert sample.var() > 0.1 * mean


@pytest.mark.parametrize(
    ("constants", "expression", "unit", "step", "value"),
    [
        ({"b": (0.5, "1/day")}, "1 - exp(-b)", "", "1 day", 1 - np.exp(-0.5)),
        ({"b": (12, "1/day")}, "b", "", "1 hour", 0.5),
        ({"b": (12, "1/day")}, "b", "people", "1 hour", 0.5),
        ({"q": (10, ""), "r": (8, "1/hour")}, "min(q, r)", "", "15 min", 2),
        ({"q": (10, ""), "r": (8, "1/hour")}, "min(r, q)", "", "15 min", 2),
        ({"s": (10, "people"), "i": (7, "people/week")}, "0.9 * s + i", "", "1 day", 10),
        ({"l": (2, "% per hour"), "v": (50, "")}, "v * (1 - l)", "", "1 hour", 49),
        ({"o": (10, ""), "b": (20, "")}, "o / b", "%", "", 50),
        ({"s": (50, "%"), "c": (5, "kWh"), "k": (50, "kWh")}, "s + c / k", "%", "", 60),
        ({"e": (90, "%"), "c": (10, "")}, "c * e * e", "", "", 8.1),
        ({"e": (90, "%")}, "1 - e", "", "", 0.1),
        ({"h": (60, "%"), "t": (50, "%")}, "1 if abs(h - t) <= 5 else 0", "", "", 0),
        ({"h": (60, "%"), "t": (30, "%")}, "1 if h > t + 20 else 0", "", "", 1),
        ({"s": (3, "MB")}, "0.1 * s", "", "", 0.3),
        ({"a": (90, "deg")}, "-0.1 * abs(a)", "", "", -9),
        ({"a": (90, "deg")}, "sin(a)", "", "", 1),
        ({"t": (22, "°C")}, "t - 20", "", "", 2),
        ({"n": (3, "")}, "n * 5", "min", "1 hour", 15),
        ({"t": (30, "min")}, "-t", "points", "1 hour", -30),
        ({"g": (9.81, "m/s2"), "v": (1, "m/s")}, "v - g", "m/s", "0.1 s", 1 - 0.981),
        ({"c": (2, "euro/(item*day)"), "n": (12, "items")}, "c * n", "euro", "1 hour", 1),
        ({"e": (5, "kWh"), "p": (500, "Wh")}, "floor(e / p)", "", "", 10),
        ({"t": (10, "min"), "s": (30, "s")}, "t // s", "", "", 20),
        ({"d": (2, "km")}, "8 * d ** -2", "", "", 2),
        ({"p": (50, "euro/MWh")}, "exp(log(p) + 0.1)", "euro/MWh", "", 50 * np.exp(0.1)),
        ({"h": (24, "hours")}, "time_step % h", "", "1 hour", 0),
    ],
)  # fmt: skip
def test_values_in_their_units(
    constants: dict[str, Quantity], expression: str, unit: str, step: str, value: float
) -> None:
    assert once(constants, expression, unit, step_length=step) == pytest.approx(value)


@pytest.mark.parametrize("reward_unit", ["", "euro"])
def test_a_cost_per_time_is_paid_for_one_step(reward_unit: str) -> None:
    spec = spec_of({"p": (2, "kW"), "c": (0.3, "euro/kWh")}, [], [], reward="-p * c",
                   reward_unit=reward_unit, step_length="15 min")  # fmt: skip
    environment = built(spec)
    environment.reset(seed=0)
    assert environment.step(0)[1] == pytest.approx(-0.15)


def test_helpers_keep_the_unit_that_they_were_worked_out_in() -> None:
    constants = {"power": (10, "kW"), "dur": (15, "min"), "price": (0.3, "euro/kWh")}
    rules = [computed("energy", "power * dur"), computed("cost", "price * energy")]
    spec = spec_of(constants, [system("cost", "euro")], rules)
    helped = with_helpers(spec.parameters, spec.variables, spec.dynamics)
    assert after_step(spec.model_copy(update={"variables": helped}), "cost") == pytest.approx(0.75)


def test_limits_are_taken_in_the_unit_of_what_they_limit() -> None:
    charge = Variable(name="act", role="decision", definition="", dtype="real", unit="kW", low=0,
                      high="most")  # fmt: skip
    program, _ = compile_spec(spec_of({"most": (2, "MW")}, [], [], decision=charge))
    assert program is not None
    assert program.action_space.high == [2000]


def test_whole_numbers_stay_within_fractional_limits() -> None:
    between = DECISION.model_copy(update={"low": 0.5, "high": 3.7})
    environment = built(spec_of({}, [], [], decision=between))
    assert environment.action_space.n == 3  # type: ignore[attr-defined]
    none = DECISION.model_copy(update={"low": 0.2, "high": 0.8})
    _, problems = compile_spec(spec_of({}, [], [], decision=none))
    assert "no whole number" in problems.findings[0].message


def test_a_plain_name_whose_rule_stands_above_means_its_new_value() -> None:
    rules = [
        updated("stock", "10", "previous_stock + act - sold"),
        computed("cost", "stock"),
        computed("sold", "1"),
    ]
    spec = spec_of({}, [system("stock"), system("cost"), system("sold")], rules)
    assert after_step(spec, "cost") == 12


def test_what_is_seen_may_rest_on_what_is_not() -> None:
    rules = [
        computed("hour", "time_step % 3"),
        Rule(variable="price", kind="known_before_decision", expression="prices[hour]"),
    ]
    spec = spec_of({"prices": ([10, 20, 30], "")}, [system("hour", dtype="integer"),
                   system("price")], rules, seen=["price"])  # fmt: skip
    environment = built(spec)
    seen = [environment.reset(seed=0)[0], *(environment.step(0)[0] for _ in range(3))]
    assert [s.tolist() for s in seen] == [[10], [20], [30], [10]]


def test_a_profile_as_long_as_the_episode_is_enough() -> None:
    rule = Rule(variable="p", kind="known_before_decision", expression="prices[time_step]")
    spec = spec_of({"prices": ([1, 2, 3], "")}, [system("p")], [rule], seen=["p"], horizon=3)
    assert after_step(spec, "p", steps=3) == 3


def test_rounded_numbers_are_indices() -> None:
    constants: dict[str, Quantity] = {"prices": ([1, 2, 3], "")}
    assert once(constants, "prices[floor(time_step / 4)]") == 1


def test_before_the_first_step_what_was_is_what_is() -> None:
    rules = [updated("level", "5", "level + 1"), computed("change", "level - previous_level")]
    spec = spec_of({}, [system("level"), system("change")], rules, seen=["change"])
    assert built(spec).reset(seed=0)[0].tolist() == [0]


def test_a_quantity_written_by_code_has_its_initial_value() -> None:
    body = CodeBody(name="grow", when="step", purpose="", reads=["x", "nope"], writes=["x"])
    rules = [Rule(variable="x", kind="code", initial="7")]
    _, problems = compile_spec(spec_of({}, [system("x")], rules, bodies=[body]))
    assert "no quantity is called nope" in problems.findings[0].message
    good = spec_of({}, [system("x")], rules,
                   bodies=[body.model_copy(update={"reads": ["x"]})])  # fmt: skip
    program, _ = compile_spec(good)
    assert program is not None
    assert program.reset[0].source == "float(7)"


def test_a_condition_is_no_index() -> None:
    spec = spec_of({"v": ([1, 10, 100], "")}, [system("x")], [computed("x", "sum(v[v > 5])")])
    _, problems = compile_spec(spec)
    assert "is a condition, no index" in problems.findings[0].message


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("half an hour", 1800), ("two weeks", 1209600), ("fifteen minutes", 900),
        ("1 slot of 10 ms", 0.01), ("one step is 5 minutes", 300), ("1 day (24 hours)", 86400),
        ("0.5 s", 0.5), ("hour", 3600),
    ],
)  # fmt: skip
def test_how_long_a_step_lasts(text: str, seconds: float) -> None:
    length = step_length_of(text)
    assert length is not None
    factor = factor_between(length[1], parse_unit("s").linear)
    assert length[0] * (factor or 0) == pytest.approx(seconds)
