"""Slow proofs that the one general setting of each algorithm learns problems of several kinds."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime

from nodes.evaluate import ask_evaluation
from nodes.settings import RunSettings
from nodes.train import train
from sandbox import Limits
from sandbox.programs.requests import EvaluateRequest
from state.run_state import RunState
from state.spec import Spec
from state.training import Evaluation
from tests.environments.scheduling_spec import scheduling_spec

ENVIRONMENTS = Path(__file__).parent.parent / "environments"
# Seconds of evaluation, enough for all but most of the one-step-greedy episodes.
EVALUATION_SECONDS = 20.0


def learned(folder: Path, pieces: dict[str, Any], **settings: Any) -> Evaluation:
    """Evaluation of what the train node makes of ``pieces``."""
    spec = Spec.model_validate(pieces)
    fields: dict[str, Any] = {name: getattr(spec, name) for name in type(spec).model_fields}
    state = RunState(run_folder=str(folder), **fields)
    update = train(state, Runtime(context=RunSettings(**settings), stream_writer=print))
    assert update["training"] is not None, update["account"]
    gymnasium_id = spec.dynamics.gymnasium_id
    request = EvaluateRequest(gymnasium_id, episodes=60, seconds=EVALUATION_SECONDS)
    limits = Limits(wall_seconds=300, cpu_seconds=600)
    found = ask_evaluation(request, folder, limits, RunSettings())
    assert isinstance(found, Evaluation), found
    return found


def standard(gymnasium_id: str, choices: int) -> dict[str, Any]:
    pieces = scheduling_spec().model_dump()
    pieces["dynamics"] = {"gymnasium_id": gymnasium_id}
    pieces["model"] |= {"horizon": 500, "discount": 0.99}
    pieces["variables"][0]["high"] = choices - 1
    return pieces


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_choice_without_consequences_is_nearly_greedy(tmp_path: Path) -> None:
    shutil.copy(ENVIRONMENTS / "scheduling" / "environment.py", tmp_path)
    evaluation = learned(tmp_path, scheduling_spec().model_dump(), time_budget=60.0)
    greedy, constant = (evaluation.baseline(name) for name in ("greedy", "constant"))
    assert greedy is not None
    assert constant is not None
    assert evaluation.trained.mean >= 0.97 * greedy.mean
    # The best constant choice is a strong local optimum, not what was asked for.
    assert evaluation.trained.low > constant.high


@pytest.mark.slow
@pytest.mark.timeout(700)
@pytest.mark.parametrize(
    ("gymnasium_id", "choices", "steps", "enough"),
    [("CartPole-v1", 2, 40_000, 450.0), ("MountainCar-v0", 3, 80_000, -125.0)],
)
def test_standard_problems_are_solved(
    tmp_path: Path, gymnasium_id: str, choices: int, steps: int, enough: float
) -> None:
    pieces = standard(gymnasium_id, choices)
    evaluation = learned(tmp_path, pieces, steps=steps, time_budget=300.0)
    assert evaluation.better_than_random
    assert evaluation.trained.mean >= enough


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_many_choices_at_once_are_clearly_better_than_chance(tmp_path: Path) -> None:
    shutil.copy(ENVIRONMENTS / "stock" / "environment.py", tmp_path)
    pieces = scheduling_spec().model_dump()
    pieces["variables"] = [
        {"name": "order", "role": "decision", "definition": "ordered", "dtype": "integer",
         "shape": [10], "low": 0, "high": 30},
        {"name": "stock", "role": "system", "definition": "on the shelf", "dtype": "integer",
         "shape": [10], "low": 0, "high": 40},
    ]  # fmt: skip
    pieces["constraints"], pieces["model"]["constraints"] = [], []
    pieces["sar"] |= {"observation": ["stock"], "action": ["order"]}
    pieces["dynamics"]["rules"] = [
        {"variable": "stock", "kind": "updated", "initial": "0", "expression": "stock + order"}
    ]
    evaluation = learned(tmp_path, pieces, time_budget=60.0)
    random = evaluation.baseline("random")
    assert random is not None
    assert evaluation.better_than_random
    assert evaluation.trained.low > random.high + 5000
