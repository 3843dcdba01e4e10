"""Planned examples are of the shortest way, wherever the student has got to."""

from pathlib import Path

import numpy as np
import pytest
import torch

from sandbox.training import imitation
from sandbox.training.actions import ActionCoding
from sandbox.training.checkpoint import Checkpoint
from sandbox.training.features import Features, Scaling
from sandbox.training.imitation import PLANS, ImitationSettings
from sandbox.training.network import NetworkPolicy
from sandbox.training.planned_examples import PlannedExamples
from sandbox.training.relations import like_pairs
from sandbox.training.simulator import plain_maker
from tests.unit.training.forms import ERRAND
from tests.unit.training.judging import JudgeOf
from tests.unit.training.small_problems import Errand
from tests.unit.training.test_planner import planner, shortest


def student() -> NetworkPolicy:
    torch.manual_seed(0)
    space = plain_maker(Errand)(1).action_space
    features = Features(Scaling.off(4), pairs=like_pairs(ERRAND))
    return NetworkPolicy(features, ActionCoding(space))


def planned() -> PlannedExamples:
    make = plain_maker(Errand)
    return PlannedExamples(planner(make), make(8), 3)


@pytest.mark.parametrize("student_plays", [False, True])
def test_every_example_is_a_step_of_a_shortest_way(judge_of: JudgeOf, student_plays: bool) -> None:
    source = planned()
    source.gather(300, student(), judge_of(problem=Errand), student_plays=student_plays)
    seen, time_steps, answers = source.examples.arrays()
    assert len(seen) == source.examples.count >= 300
    assert (time_steps >= 0).all()
    assert (time_steps < 60).all()
    for (place, origin, goal, carrying), answer in zip(seen.astype(int), answers, strict=True):
        after = {
            0: (max(place - 1, 0), origin, goal, carrying),
            1: (min(place + 1, 11), origin, goal, carrying),
            2: (place, origin, goal, carrying or int(place == origin)),
        }
        before = shortest(np.array([place, origin, goal, carrying]))
        if answer == 3:
            assert (carrying, place, before) == (1, goal, 1)
        else:
            assert shortest(np.array(after[int(answer)])) == before - 1


def test_the_return_of_planned_episodes_is_known_once_some_have_ended(judge_of: JudgeOf) -> None:
    source = planned()
    assert source.mean_return is None
    first = [100.0 - shortest(one) for one in source.seen]
    source.gather(300, student(), judge_of(problem=Errand), student_plays=False)
    assert source.finished[:8] == first
    assert source.mean_return == pytest.approx(np.mean(source.finished))


def test_an_errand_is_learned_from_plans(judge_of: JudgeOf, tmp_path: Path) -> None:
    judge = judge_of((-60.0, -50.0), Errand)
    judge.horizon = 60
    settings = ImitationSettings(6000, 1, 1500, PLANS)
    checkpoint = Checkpoint(tmp_path, {})
    count = imitation.learn(planned(), student(), settings, judge, tmp_path, checkpoint=checkpoint)
    assert judge.wanted == pytest.approx(91, abs=2)
    assert judge.stopped_because == "converged"
    assert judge.reaches(judge.wanted, 0.05)
    assert 0 < count <= 7000
