"""Learning from a teacher until the student does as well."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from sandbox.training import imitation
from sandbox.training.actions import ActionCoding
from sandbox.training.checkpoint import Checkpoint
from sandbox.training.examples import Examples, RuleExamples
from sandbox.training.features import Features, Scaling
from sandbox.training.imitation import RULE, ImitationSettings
from sandbox.training.network import NetworkPolicy
from sandbox.training.policy import load_policy
from sandbox.training.simulator import plain_maker
from sandbox.training.teacher import RuleTeacher
from tests.unit.training.judging import JudgeOf
from tests.unit.training.small_problems import Aiming, Matching, MatchingMany

SETTINGS = ImitationSettings(total_timesteps=4000, seed=3, gradient_steps=600, rounds=RULE)


def learned(
    judge_of: JudgeOf,
    folder: Path,
    problem: type[Any],
    rule: Callable[[NDArray[np.float32]], Any],
    wanted: float | None,
) -> tuple[Any, int]:
    """The judge, and how many states the teacher was asked about."""
    torch.manual_seed(0)
    simulator = plain_maker(problem)(16)
    samples = np.stack([simulator.reset(k) for k in range(10)]).reshape(160, -1).astype(float)
    features = Features(Scaling.fitted(simulator.observation_space, samples))
    policy = NetworkPolicy(features, ActionCoding(simulator.action_space))
    judge = judge_of(problem=problem, total_timesteps=4000)
    source = RuleExamples(simulator, RuleTeacher(rule), 3, wanted)
    checkpoint = Checkpoint(folder, {})
    asked = imitation.learn(source, policy, SETTINGS, judge, folder, checkpoint=checkpoint)
    return judge, asked


@pytest.mark.parametrize(
    ("problem", "rule", "wanted"),
    [
        (Matching, lambda seen: int(seen[0]), 10.0),
        (MatchingMany, lambda seen: seen.astype(int), 50.0),
    ],
)
def test_a_good_rule_is_learned_and_kept(
    judge_of: JudgeOf, tmp_path: Path, problem: type[Any], rule: Any, wanted: float
) -> None:
    judge, asked = learned(judge_of, tmp_path, problem, rule, wanted)
    assert judge.best == wanted
    assert judge.stopped_because == "converged"
    assert 0 < asked < 4000
    simulator = plain_maker(problem)(20)
    seen = simulator.reset(1)
    loaded = load_policy(tmp_path, simulator.action_space)
    actions = loaded.actions(seen, np.zeros(20, dtype=np.int64))
    assert actions.tolist() == [np.asarray(rule(one)).tolist() for one in seen]


def test_real_numbers_are_learned_too(judge_of: JudgeOf, tmp_path: Path) -> None:
    judge, _ = learned(judge_of, tmp_path, Aiming, lambda seen: seen, None)
    # Chance misses each of two numbers by 10/3 in each of ten steps.
    assert -10 < judge.best <= 0


def test_who_cannot_reach_the_teacher_is_below_it(judge_of: JudgeOf, tmp_path: Path) -> None:
    """The rule does worse than what is said to be its return, so that it is never reached."""
    judge, asked = learned(judge_of, tmp_path, Matching, lambda seen: min(int(seen[0]), 1), None)
    judge.wanted = 10.0
    assert judge.best == pytest.approx(20 / 3, abs=1)
    assert judge.symptom() == "below its teacher"
    assert 0 < asked <= 4000 + 16


def test_without_time_a_first_try_is_left_behind(judge_of: JudgeOf, tmp_path: Path) -> None:
    simulator = plain_maker(Matching)(4)
    policy = NetworkPolicy(Features(Scaling.off(1)), ActionCoding(simulator.action_space))
    judge = judge_of(seconds=0.2)
    source = RuleExamples(simulator, RuleTeacher(lambda seen: int(seen[0])), 0)
    settings, checkpoint = ImitationSettings(10**7, 0, 10**7, RULE), Checkpoint(tmp_path, {})
    asked = imitation.learn(source, policy, settings, judge, tmp_path, checkpoint=checkpoint)
    assert 0 < asked < 10**6
    assert judge.stopped_because == "time_budget"
    assert (tmp_path / "policy.zip").exists()


def test_examples_are_kept_apart_from_what_they_were_made_of() -> None:
    examples = Examples()
    seen, times = np.zeros((2, 1), dtype=np.float32), np.zeros(2, dtype=np.int64)
    for k in range(3):
        seen[:], times[:] = k, k
        examples.add(seen, times, np.array([k, k]))
    observations, time_steps, answers = examples.arrays()
    assert observations[:, 0].tolist() == [0, 0, 1, 1, 2, 2]
    assert time_steps.tolist() == answers.tolist() == [0, 0, 1, 1, 2, 2]
