"""From a whole specification to an environment that does what it says."""

from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from nodes.codegen.compile_spec import compile_spec, step_length_of
from nodes.codegen.render import render_environment, render_spec_functions
from state.artefacts import BodySource
from state.dynamics import CodeBody, Rule
from state.spec import Spec
from state.variables import Variable
from tests.specs import drone, inventory, wireless


def load(source: str) -> ModuleType:
    """A module made of source that this project's own compiler wrote."""
    module = ModuleType("generated")
    exec(compile(source, "generated.py", "exec"), module.__dict__)
    return module


def built(spec: Spec, *bodies: BodySource) -> gymnasium.Env[Any, Any]:
    program, problems = compile_spec(spec)
    assert program is not None, problems.findings
    environment: gymnasium.Env[Any, Any] = load(
        render_environment(program, list(bodies))
    ).Environment()
    return environment


def with_rules(spec: Spec, *rules: Rule, **dynamics: Any) -> Spec:
    """``spec`` with some rules replaced or added."""
    named = {rule.variable: rule for rule in spec.dynamics.rules} | {r.variable: r for r in rules}
    changed = spec.dynamics.model_copy(update={"rules": list(named.values()), **dynamics})
    return spec.model_copy(update={"dynamics": changed})


def messages(spec: Spec) -> str:
    program, problems = compile_spec(spec)
    assert program is None
    return "\n".join(f"{f.owner}: {f.message}" for f in problems.findings)


@pytest.mark.parametrize("make", [wireless, inventory, drone])
@pytest.mark.filterwarnings("ignore:.*We recommend")
def test_generated_environments_pass_gymnasiums_own_checker(make: Any) -> None:
    check_env(built(make()), skip_render_check=True)


@pytest.mark.parametrize("make", [wireless, inventory, drone])
def test_second_rendering_agrees_with_the_environment(make: Any) -> None:
    spec = make()
    program, _ = compile_spec(spec)
    assert program is not None
    source, faults = render_spec_functions(program)
    functions = load(source)
    assert faults == []
    environment = built(spec)
    environment.reset(seed=3)
    environment.action_space.seed(3)
    for _ in range(50):
        _, reward, terminated, truncated, info = environment.step(environment.action_space.sample())
        assert functions.reward_terms(info["quantities"]) == pytest.approx(info["reward_terms"])
        assert sum(info["reward_terms"].values()) == pytest.approx(reward)
        assert all(functions.constraints(info["quantities"]).values())
        if terminated or truncated:
            break


def test_what_is_seen_is_what_is_paid_for() -> None:
    environment = built(wireless())
    seen, _ = environment.reset(seed=0)
    for user in (0, 3, 1):
        now = seen
        seen, reward, *_ = environment.step(user)
        signal = 0.2 * 10 ** (float(now[user]) / 10)
        noise = 10 ** ((-174 - 30) / 10) * 10e6
        assert reward == pytest.approx(10 * np.log2(1 + signal / noise), rel=1e-5)
        assert not np.allclose(seen, now)


def test_an_order_arrives_before_the_demand_and_nothing_is_backordered() -> None:
    environment = built(inventory())
    environment.reset(seed=0)
    seen, reward, _, _, info = environment.step(np.full(10, 30))
    q = {name: np.array(value) for name, value in info["quantities"].items()}
    assert np.array_equal(q["delivered"], np.full(10, 30))
    assert np.array_equal(seen, np.maximum(30 - q["demand"], 0))
    sold = np.minimum(30, q["demand"])
    expected = 6 * sold.sum() - 2 * 300 - 10 * 10 - 0.5 * seen.sum() - (q["demand"] - sold).sum()
    assert reward == pytest.approx(expected)


def test_a_package_is_fetched_and_brought() -> None:
    environment: Any = built(drone(side=3))
    environment.reset(seed=1)
    environment.x, environment.y = 0, 0
    environment.pickup_x, environment.pickup_y = np.array([0, 0, 2]), np.array([0, 0, 2])
    environment.target_x, environment.target_y = np.array([1, 1, 2]), np.array([0, 1, 2])
    environment.battery = 10.0
    pick_up, deliver, east, north = 4, 5, 2, 0
    rewards = [environment.step(a)[1] for a in (pick_up, pick_up, east, deliver, north, deliver)]
    assert rewards == [0, -1, -1, 500 - 2, -1, -1]
    assert environment.status.tolist() == [2, 0, 0]
    assert environment.battery == 10 - 0 - 1 - 1 - 2 - 1 - 1


def test_the_episode_ends_at_the_horizon_and_not_before() -> None:
    environment = built(wireless())
    environment.reset(seed=0)
    ends = [environment.step(0)[2:4] for _ in range(100)]
    assert ends[:-1] == [(False, False)] * 99
    assert ends[-1] == (False, True)


def test_same_seed_same_episode_other_seed_another() -> None:
    first, again, other = (built(wireless()) for _ in range(3))
    one, two, three = (e.reset(seed=s)[0] for e, s in ((first, 7), (again, 7), (other, 8)))
    assert np.array_equal(one, two)
    assert not np.array_equal(one, three)
    assert np.array_equal(first.step(1)[0], again.step(1)[0])


def test_rules_are_worked_out_in_an_order_that_has_all_values() -> None:
    spec = inventory()
    turned = spec.dynamics.model_copy(update={"rules": spec.dynamics.rules[::-1]})
    environment, mirrored = built(spec), built(spec.model_copy(update={"dynamics": turned}))
    environment.reset(seed=5)
    mirrored.reset(seed=5)
    assert environment.step(np.full(10, 9))[1] == mirrored.step(np.full(10, 9))[1]


def test_what_is_seen_and_untouched_by_decisions_changes_after_it_was_paid_for() -> None:
    gain = next(r for r in wireless().dynamics.rules if r.variable == "channel_gain")
    as_update = gain.model_copy(update={"kind": "updated", "initial": gain.expression})
    plain, mended = built(wireless()), built(with_rules(wireless(), as_update))
    plain.reset(seed=2)
    mended.reset(seed=2)
    assert plain.step(1)[1] == mended.step(1)[1]


def test_tables_are_seen_row_by_row() -> None:
    spec = drone(side=5)
    cells = Variable(name="cells", role="system", definition="", dtype="integer", shape=[3, 2],
                     low=0, high=4)  # fmt: skip
    spec = spec.model_copy(
        update={
            "variables": [*spec.variables, cells],
            "sar": spec.sar.model_copy(update={"observation": ["x", "cells", "pickup_x"]}),
        }
    )
    environment: Any = built(
        with_rules(spec, Rule(variable="cells", kind="fixed", initial="uniform_integer(0, 4)"))
    )
    seen, _ = environment.reset(seed=0)
    assert environment.observation_space.contains(seen)
    expected = [environment.x, *environment.cells.ravel(), *environment.pickup_x]
    assert seen.tolist() == expected


def test_code_bodies_are_called_with_what_they_read() -> None:
    body = CodeBody(
        name="sell", when="step", purpose="sell in order", reads=["previous_stock", "delivered",
        "demand"], writes=["sold", "stock"],
    )  # fmt: skip
    source = BodySource(
        name="sell",
        source="def sell(rng, previous_stock, delivered, demand):\n"
        "    there = previous_stock + delivered\n"
        "    sold = np.minimum(there, demand)\n"
        "    return sold, there - sold",
    )
    code = [Rule(variable=n, kind="code", initial="0") for n in ("stock", "sold")]
    by_code = built(with_rules(inventory(), *code, bodies=[body]), source)
    by_rules = built(inventory())
    by_code.reset(seed=4)
    by_rules.reset(seed=4)
    for _ in range(5):
        assert by_code.step(np.full(10, 8))[1] == by_rules.step(np.full(10, 8))[1]


def test_an_impossible_choice_is_replaced_by_what_its_rule_says() -> None:
    limited = Rule(variable="order", kind="computed", expression="min(order, room - stock - 30)")
    environment: Any = built(with_rules(inventory(), limited))
    environment.reset(seed=0)
    _, _, _, _, info = environment.step(np.full(10, 25))
    assert info["quantities"]["order"] == [10] * 10
    assert info["quantities"]["delivered"] == [10] * 10


def test_a_choice_may_be_held_to_numbers_alone() -> None:
    program, problems = compile_spec(with_rules(inventory(), held("min(order, 5)")))
    assert program is not None
    assert problems.remarks == []
    environment: Any = built(with_rules(inventory(), held("min(order, 5)")))
    environment.reset(seed=0)
    _, _, _, _, info = environment.step(np.arange(10))
    assert info["quantities"]["order"] == [0, 1, 2, 3, 4, 5, 5, 5, 5, 5]


@pytest.mark.parametrize("expression", ["order", "(order)"])
def test_a_choice_that_is_itself_is_no_rule(expression: str) -> None:
    _, problems = compile_spec(with_rules(inventory(), held(expression)))
    assert any("it changes nothing; left out" in remark for remark in problems.remarks)


def held(expression: str) -> Rule:
    return Rule(variable="order", kind="computed", expression=expression)


def test_a_choice_cannot_depend_on_what_comes_after_it() -> None:
    late = Rule(variable="order", kind="computed", expression="min(order, demand)")
    assert "only by what is known when deciding, not by demand" in messages(
        with_rules(inventory(), late)
    )


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (Rule(variable="stock", kind="updated", expression="stock + 1"), "needs an initial value"),
        (Rule(variable="nothing", kind="fixed", initial="0"), "no variable is called nothing"),
        (Rule(variable="sold", kind="computed", expression="demands"), "did you mean demand"),
        (Rule(variable="sold", kind="computed", expression=""), "has no expression"),
        (Rule(variable="sold", kind="computed", expression="delivered * sold[3:5]"), "do not fit"),
        (Rule(variable="delivered", kind="computed", expression="sold"), "need each other"),
        (Rule(variable="sold", kind="code"), "no code body writes sold"),
        (Rule(variable="demand", kind="computed", expression="poisson(price, 2)"), "1 arguments"),
    ],
)
def test_faulty_rules_are_named_with_their_owner(rule: Rule, said: str) -> None:
    assert said in messages(with_rules(inventory(), rule))
    assert "environment:" in messages(with_rules(inventory(), rule))


def test_a_missing_rule_is_missed() -> None:
    spec = inventory()
    fewer = spec.dynamics.model_copy(
        update={"rules": [r for r in spec.dynamics.rules if r.variable != "demand"]}
    )
    assert "demand is used but no rule gives it a value" in messages(
        spec.model_copy(update={"dynamics": fewer})
    )


def test_observation_and_action_must_be_variables() -> None:
    spec = wireless()
    wrong = spec.sar.model_copy(update={"observation": ["gains"], "action": ["rate"]})
    text = messages(spec.model_copy(update={"sar": wrong}))
    assert "no variable is called 'gains'" in text
    assert "rate is not one of the decision variables" in text
    assert "served_user is not in the action" in text


def test_words_in_the_spec_cannot_become_code() -> None:
    spec = wireless()
    nasty = '"""\nimport os\nos.system("true")\n"""'
    spec = spec.model_copy(
        update={
            "title": nasty,
            "objective": spec.objective.model_copy(update={"statement": nasty}),
            "parameters": [p.model_copy(update={"definition": nasty}) for p in spec.parameters],
            "variables": [v.model_copy(update={"definition": nasty}) for v in spec.variables],
        }
    )
    program, _ = compile_spec(spec)
    assert program is not None
    module = load(render_environment(program, []))
    assert not hasattr(module, "os")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("15 minutes", 15.0), ("1 day", 1.0), ("hour", 1.0), ("a slot", None), ("", None)],
)
def test_step_length(text: str, expected: float | None) -> None:
    found = step_length_of(text)
    assert (found[0] if found else None) == expected
