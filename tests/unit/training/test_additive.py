"""Values that are sums over the components of a decision."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.training import additive
from sandbox.training.additive import AdditiveSettings, Components, Memory, components_of
from sandbox.training.checkpoint import Checkpoint
from sandbox.training.features import Features, Scaling
from sandbox.training.judge import episode_returns
from sandbox.training.policy import load_policy
from sandbox.training.problem import Piece, Problem
from sandbox.training.simulator import plain_maker
from tests.unit.training.judging import JudgeOf
from tests.unit.training.small_problems import MatchingMany


@given(st.lists(st.lists(st.integers(0, 9), min_size=2, max_size=2), min_size=1), st.data())
def test_components_come_back(inputs: list[list[int]], data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 9), min_size=len(inputs), max_size=len(inputs)))
    components = Components(np.array(inputs), np.array(sizes))
    again = Components.from_json(json.loads(json.dumps(components.as_json())))
    np.testing.assert_array_equal(again.inputs, components.inputs)
    np.testing.assert_array_equal(again.sizes, components.sizes)


PROBLEM = Problem(
    observation=[Piece("price", []), Piece("stock", [3]), Piece("coming", [3, 2])],
    decisions=[Piece("order", [3]), Piece("speed", [])],
)
SIZES = np.array([4, 4, 4, 2])


def test_each_component_sees_its_own_and_what_all_share() -> None:
    components = components_of(
        PROBLEM, SIZES, Features(Scaling.off(10), horizon=5), everything=False
    )
    # Price (0) and time left (10) are shared; 11 stands for nothing.
    assert components.inputs.tolist() == [
        [1, 4, 5, 0, 10],
        [2, 6, 7, 0, 10],
        [3, 8, 9, 0, 10],
        [11, 11, 11, 0, 10],
    ]
    assert components.sizes.tolist() == SIZES.tolist()


def test_on_request_each_component_sees_everything() -> None:
    components = components_of(PROBLEM, SIZES, Features(Scaling.off(10)), everything=True)
    assert components.inputs.tolist() == [list(range(10))] * 4


def test_without_a_list_that_fits_everything_is_shared() -> None:
    problem = Problem(observation=[Piece("x", [4])], decisions=[Piece("order", [3])])
    components = components_of(problem, SIZES[:3], Features(Scaling.off(4)), everything=False)
    assert components.inputs.tolist() == [[0, 1, 2, 3]] * 3


def test_a_full_memory_forgets_the_oldest() -> None:
    memory = Memory(4, 1, 1)
    for k in range(3):
        two = np.full((2, 1), k)
        memory.add(two, two, two[:, 0], two, np.ones(2))
    assert memory.filled == 4
    seen = memory.sample(200, np.random.default_rng(0))[0]
    assert set(seen[:, 0].tolist()) == {1, 2}


@pytest.mark.parametrize("discount", [0.0, 0.5])
def test_five_choices_at_once_are_learned(
    judge_of: JudgeOf, tmp_path: Path, discount: float
) -> None:
    problem = Problem(
        observation=[Piece("shown", [5], "", 0, 2, "integer")], decisions=[Piece("named", [5])]
    )
    features = Features(Scaling.off(5))
    components = components_of(problem, np.array([3] * 5), features, everything=False)
    settings = AdditiveSettings(discount, 12_000, 1, 1200, gradient_steps=1)
    judge = judge_of((16.0, 18.0), MatchingMany, total_timesteps=12_000)
    simulator = plain_maker(MatchingMany)(16)
    made = additive.learn(
        simulator, components, features, settings, judge, tmp_path, Checkpoint(tmp_path, {})
    )
    assert 0 < made <= 12_000 + 16
    assert judge.best > 45
    loaded = load_policy(tmp_path, simulator.action_space)
    assert episode_returns(loaded, plain_maker(MatchingMany)(20), 10).mean() > 45
