"""What training is told is read off the spec: the discount from what decisions touch."""

import ast
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nodes.consequences import decision_shapes_the_future
from nodes.settings import RunSettings
from nodes.train import plan_training
from nodes.train_program import copy_training_package, render_train_program
from nodes.training_plan import problem_of
from sandbox.training.fitted_discount import fitted_discount
from sandbox.training.request import Attempt
from state.spec import Spec
from state.training import AttemptRecord, TrainingRecord
from tests.environments.scheduling_spec import scheduling_spec


def changed(change: Callable[[dict[str, Any]], object]) -> Spec:
    pieces = scheduling_spec().model_dump()
    change(pieces)
    return Spec.model_validate(pieces)


def rule(**fields: Any) -> Callable[[dict[str, Any]], object]:
    return lambda pieces: pieces["dynamics"]["rules"].append(fields)


def test_no_discounting_where_no_decision_outlasts_its_step() -> None:
    settings = RunSettings(steps=123, time_budget=9.0, seed=5, algorithm="ppo")
    plan = plan_training(scheduling_spec(), settings)
    assert plan.discount == 0
    assert (plan.steps, plan.time_budget, plan.seed, plan.algorithm) == (123, 9.0, 5, "ppo")
    _, why = fitted_discount(problem_of(scheduling_spec()))
    assert "no decision changes anything" in why


def test_pieces_of_observation_and_decision_are_told_in_order() -> None:
    problem = problem_of(scheduling_spec())
    assert [(p.name, p.shape, p.low, p.high) for p in problem.observation] == [
        ("gain", [4], -130, -60)
    ]
    assert [(p.name, p.size, p.dtype) for p in problem.decisions] == [("user", 1, "integer")]
    assert problem.from_json(json.loads(problem.to_json())) == problem


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

    fitted, why = fitted_discount(problem_of(changed(change)))
    assert fitted == pytest.approx(discount)
    assert said in why


def record(*attempts: Attempt) -> TrainingRecord:
    made = [
        AttemptRecord(
            method=a.method, timesteps=70, seconds=1, stopped_because="overtaken",
            best_evaluation=1, attempt=a.as_json(),
        )
        for a in attempts
    ]  # fmt: skip
    return TrainingRecord(**made[-1].model_dump(), attempts=made)


@pytest.mark.parametrize("gymnasium_id", ["", "CartPole-v1"])
def test_train_program_names_what_led_to_the_policy(gymnasium_id: str, tmp_path: Path) -> None:
    def change(pieces: dict[str, Any]) -> None:
        pieces["title"] = 'An "odd" \\title """ with\nlines'
        pieces["dynamics"]["gymnasium_id"] = gymnasium_id

    spec = changed(change)
    first = Attempt("1-imitation", "imitation", 1.0, 100, 3)
    other = Attempt("2-dqn", "dqn", 0.9, 100, 3)
    last = Attempt("3-imitation", "imitation", 1.0, 100, 3, start_from="1-imitation",
                   reasons=['so as "said"'])  # fmt: skip
    text = render_train_program(spec.title, problem_of(spec), record(first, other, last))
    tree = ast.parse(text)
    modules = {n.module for n in tree.body if isinstance(n, ast.ImportFrom)}
    assert {str(module).split(".")[0] for module in modules} == {"pathlib", "training"}
    copy_training_package(tmp_path)
    monkeypatched = dict[str, Any](__name__="train")
    sys.path.insert(0, str(tmp_path))
    try:
        exec(compile(text, "train.py", "exec"), monkeypatched)
    finally:
        sys.path.remove(str(tmp_path))
        for name in [n for n in sys.modules if n.split(".")[0] == "training"]:
            del sys.modules[name]
    attempts = monkeypatched["ATTEMPTS"]
    assert [a.name for a in attempts] == ["1-imitation", "3-imitation"]
    assert [a.stop_after for a in attempts] == [70, 70]
    assert monkeypatched["PROBLEM"].observation[0].name == "gain"
