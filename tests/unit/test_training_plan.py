"""The plan is read off the spec: algorithm from the decisions, discount from what they touch."""

import ast
from collections.abc import Callable
from typing import Any

import pytest

from nodes.dependence import decision_shapes_the_future
from nodes.train_program import render_train_program
from nodes.training_plan import is_flattened, plan_training
from sandbox.programs.requests import ActionSpace
from state.spec import Spec
from tests.environments.scheduling_spec import scheduling_spec

FOUR = ActionSpace("discrete", [4])


def changed(change: Callable[[dict[str, Any]], object]) -> Spec:
    pieces = scheduling_spec().model_dump()
    change(pieces)
    return Spec.model_validate(pieces)


def rule(**fields: Any) -> Callable[[dict[str, Any]], object]:
    return lambda pieces: pieces["dynamics"]["rules"].append(fields)


@pytest.mark.parametrize(
    ("space", "algorithm", "flattened"),
    [
        (FOUR, "DQN", False),
        (ActionSpace("multi_discrete", [4, 4, 4]), "DQN", True),
        (ActionSpace("multi_discrete", [4, 4, 5]), "PPO", False),
        (ActionSpace("multi_discrete", [31] * 10), "PPO", False),
        (ActionSpace("box", low=[0.0], high=[1.0]), "SAC", False),
    ],
)
def test_algorithm_follows_the_decisions(
    space: ActionSpace, algorithm: str, flattened: bool
) -> None:
    plan = plan_training(scheduling_spec(), space)
    assert plan.algorithm == algorithm
    assert is_flattened(space) is flattened
    assert plan.reasons[0].startswith(algorithm)


def test_no_discounting_where_no_decision_outlasts_its_step() -> None:
    plan = plan_training(scheduling_spec(), FOUR, steps=123, time_budget=9.0, seed=5)
    assert plan.discount == 0
    assert (plan.total_timesteps, plan.time_budget, plan.seed) == (123, 9.0, 5)
    assert "no decision changes anything" in plan.reasons[1]


@pytest.mark.parametrize(
    "change",
    [
        rule(variable="total", kind="updated", initial="0", expression="total + rate"),
        rule(variable="total", kind="code"),
        rule(variable="gain_next", kind="known_before_decision", expression="normal(rate, 1)"),
        lambda p: p["dynamics"].update(termination="rate > 5"),
        lambda p: p["sar"]["reward"][0].update(expression="rate * (user == previous_user)"),
        lambda p: p["model"].update(step_measure="previous_rate"),
        lambda p: p["dynamics"].update(gymnasium_id="CartPole-v1", rules=[]),
        lambda p: p["dynamics"]["bodies"].append(
            {"name": "f", "when": "step", "purpose": "p", "reads": ["rate"], "writes": ["gain"]}
        ),
    ],
    ids=["updated", "unread code", "drawn from", "ends", "reward looks back", "measure looks back",
         "standard", "body"],
)  # fmt: skip
def test_memory_of_decisions_is_noticed(
    change: Callable[[dict[str, Any]], object], request: pytest.FixtureRequest
) -> None:
    expected = "unread code" not in request.node.name
    assert decision_shapes_the_future(changed(change)) is expected


@pytest.mark.parametrize(
    "change",
    [
        rule(variable="season", kind="updated", initial="0", expression="season + 1"),
        lambda p: p["dynamics"].update(termination="max(gain) < -125"),
        lambda p: p["sar"]["reward"][0].update(expression="rate - max(previous_gain)"),
    ],
    ids=["clock", "ends by chance", "looks back at chance"],
)
def test_memory_of_chance_alone_needs_no_foresight(
    change: Callable[[dict[str, Any]], object],
) -> None:
    assert decision_shapes_the_future(changed(change)) is False


@pytest.mark.parametrize(
    ("asked", "horizon", "discount", "said"),
    [
        (0.9, 100, 0.99, "sees only about 10 of the 100 steps"),
        (0.995, 1000, 0.99, "not stable"),
        (1.0, 50, 0.99, "not stable"),
        (0.985, 50, 0.985, "as formulated"),
        (0.5, 4, 0.9, "2 of the 4 steps"),
        (0.9, 1, 0.0, "single step"),
    ],
)
def test_discount_sees_as_far_as_the_horizon(
    asked: float, horizon: int, discount: float, said: str
) -> None:
    def change(pieces: dict[str, Any]) -> None:
        pieces["dynamics"]["termination"] = "rate > 15"
        pieces["model"].update(discount=asked, horizon=horizon)

    plan = plan_training(changed(change), FOUR)
    assert plan.discount == pytest.approx(discount)
    assert said in plan.reasons[1]


@pytest.mark.parametrize(
    "space",
    [
        FOUR,
        ActionSpace("multi_discrete", [3, 3]),
        ActionSpace("multi_discrete", [99, 3]),
        ActionSpace("box", low=[0.0], high=[1.0]),
    ],
    ids=str,
)
@pytest.mark.parametrize("gymnasium_id", ["", "CartPole-v1"])
def test_train_program_is_python_whatever_the_title(space: ActionSpace, gymnasium_id: str) -> None:
    def change(pieces: dict[str, Any]) -> None:
        pieces["title"] = 'An "odd" \\title """ with\nlines'
        pieces["dynamics"]["gymnasium_id"] = gymnasium_id

    spec = changed(change)
    plan = plan_training(spec, space, seed=2**40)
    text = render_train_program(spec, plan, flattened=is_flattened(space))
    tree = ast.parse(text)
    imported = {
        alias.name.split(".")[0]
        for node in tree.body
        if isinstance(node, ast.Import)
        for alias in node.names
    } | {
        node.module.split(".")[0]
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module
    }
    own = set() if gymnasium_id else {"environment"}
    assert imported - own <= {
        "csv", "json", "time", "pathlib", "gymnasium", "numpy", "torch", "stable_baselines3",
    }  # fmt: skip
    assert max(len(line) for line in text.splitlines()) <= 100
