"""The kept policy beside simple ones, by return and by the objective's own measure."""

import math
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from sandbox.training import probes
from sandbox.training.judge import ConstantPolicy, OutOfTime, episode_returns
from sandbox.training.probes import TRAINED, RandomPolicy, probe
from sandbox.training.simulator import plain_maker
from sandbox.training.teacher import RuleTeacher
from state.training import Probe
from tests.unit.training.small_problems import Matching
from tests.unit.training.test_attempt import write_environment

RIGHT = RuleTeacher(lambda seen: int(seen[0]))
OBJECTIVE = """

def step_with_objective(self, action, step=Matching.step):
    seen, reward, terminated, truncated, info = step(self, action)
    return seen, reward, terminated, truncated, {**info, "objective": -2.0 * reward}


Matching.step = step_with_objective
"""


def probed(folder: Path, policies: dict[str, Any], seconds: float = 60.0) -> list[dict[str, Any]]:
    return probe("", folder, policies, 10, time.monotonic() + seconds)


@pytest.mark.parametrize("told", [True, False], ids=["objective", "none"])
def test_how_far_the_policy_is_ahead(tmp_path: Path, told: bool) -> None:
    write_environment(tmp_path, "Matching")
    path = tmp_path / "environment.py"
    path.write_text(path.read_text() + (OBJECTIVE if told else ""))
    policies = {
        TRAINED: RIGHT,
        "random": RandomPolicy(Matching().action_space, 0),
        "constant": ConstantPolicy(np.array(1)),
        "heuristic": RIGHT,
    }
    random, constant, heuristic = probed(tmp_path, policies)
    assert [p["policy"] for p in (random, constant, heuristic)] == list(policies)[1:]
    for account in (random, constant):
        assert 5 < account["return_ahead"] < 8.5
        assert 0 < account["return_error"] < 1
        expected = -2 * account["return_ahead"] if told else None
        assert account["objective_ahead"] == (pytest.approx(expected) if told else None)
    assert (heuristic["return_ahead"], heuristic["return_error"]) == (0, 0)
    head, first, *others, whole, beside = constant["episode"]
    made = ", objective -2" if told else ""
    assert head == "Under the trained policy:"
    assert re.fullmatch(rf"step 1: action \d, reward 1{made}", first)
    assert [line.split(":")[0] for line in others] == [f"step {k}" for k in (2, 3, 4, 5, 10)]
    assert whole == f"in all 10 steps: reward 10{', objective -20' if told else ''}"
    assert beside.startswith("constant, from the same beginning: 10 steps, reward ")


def test_without_time_there_is_no_comparison(tmp_path: Path) -> None:
    write_environment(tmp_path, "Matching")
    assert probed(tmp_path, {TRAINED: RIGHT, "heuristic": RIGHT}, -1.0) == []


def test_playing_ends_when_the_time_is_over() -> None:
    simulator = plain_maker(Matching)(2)
    assert episode_returns(RIGHT, simulator, 10, deadline=math.inf).tolist() == [10, 10]
    with pytest.raises(OutOfTime):
        episode_returns(RIGHT, simulator, 10, deadline=time.monotonic() - 1)


def test_what_breaks_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def break_off(seen: Any) -> int:
        raise LookupError("no such item")

    write_environment(tmp_path, "Matching")
    policies = {TRAINED: RIGHT, "constant": ConstantPolicy(np.array(1)),
                "heuristic": RuleTeacher(break_off)}  # fmt: skip
    assert [p["policy"] for p in probed(tmp_path, policies)] == ["constant"]
    assert "not compared with heuristic: LookupError: no such item" in capsys.readouterr().out


def test_an_action_of_any_shape_is_told_in_one_short_line() -> None:
    line = probes._step(0, np.full((7, 7), -123.456), 1.0, math.nan)
    assert line == f"step 1: action {', '.join(['-123.5'] * 10)}, ..., reward 1"
    with pytest.raises(ValidationError, match="cannot be printed"):
        Probe(policy="random", return_ahead=1, return_error=1, episode=["one\ntwo"])
