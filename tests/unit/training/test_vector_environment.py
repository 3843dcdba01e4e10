"""What Stable-Baselines3 sees of a simulator."""

from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from sandbox.training.actions import ActionCoding
from sandbox.training.features import Features, Scaling
from sandbox.training.simulator import plain_maker
from sandbox.training.vector_environment import SimulatorVecEnv
from tests.unit.training.small_problems import Aiming, Climb


def climbing(count: int, **named: float) -> SimulatorVecEnv:
    simulator = plain_maker(Climb)(count)
    features = Features(Scaling.off(2), horizon=5)
    return SimulatorVecEnv(
        simulator, features, ActionCoding(simulator.action_space), seed=0, **named
    )


def test_ended_episodes_begin_anew_and_say_how_they_ended() -> None:
    environments = climbing(2)
    seen: Any = environments.reset()
    assert seen[:, [0, 2]].tolist() == [[0, 1], [0, 1]]
    for _ in range(2):
        seen, rewards, done, infos = environments.step(np.array([1, 0]))
    assert seen[:, 0].tolist() == [2, 0]
    assert (rewards.tolist(), done.tolist(), infos) == ([2, 0], [False, False], [{}, {}])

    # The first reaches the top, which is an end in itself; the next episode is begun.
    seen, rewards, done, infos = environments.step(np.array([1, 0]))
    assert (rewards.tolist(), done.tolist()) == ([3, 0], [True, False])
    assert seen[0, [0, 2]].tolist() == [0, 1]
    assert infos[0]["TimeLimit.truncated"] is False
    assert infos[0]["terminal_observation"][0] == 3
    assert infos[0]["terminal_observation"][2] == pytest.approx(1 - 2 * 3 / 5)
    assert infos[1] == {}

    # The second is cut off after five steps: not an end, as learners must know.
    for _ in range(2):
        seen, rewards, done, infos = environments.step(np.array([0, 0]))
    assert done.tolist() == [False, True]
    assert infos[1]["TimeLimit.truncated"] is True
    assert infos[1]["terminal_observation"][[0, 2]].tolist() == [0, -1]
    assert seen[:, 2].tolist() == [pytest.approx(1 - 2 * 2 / 5), 1]


def test_an_end_at_the_time_limit_is_an_end() -> None:
    environments = climbing(1)
    environments.reset()
    for action in (0, 0, 1, 1, 1):
        _, _, done, infos = environments.step(np.array([action]))
    assert done.tolist() == [True]
    assert infos[0]["TimeLimit.truncated"] is False


def test_rewards_are_shifted_and_scaled() -> None:
    environments = climbing(1, reward_shift=1.0, reward_scale=4.0)
    environments.reset()
    assert [environments.step(np.array([1]))[1][0] for _ in range(3)] == [0, 0.25, 0.5]


def test_answers_of_the_learner_become_actions() -> None:
    simulator = plain_maker(Aiming)(1)
    coding = ActionCoding(simulator.action_space)
    environments = SimulatorVecEnv(simulator, Features(Scaling.off(2)), coding, seed=0)
    assert environments.action_space == spaces.Box(-1, 1, (2,))
    target = environments.reset()[0]
    _, rewards, _, _ = environments.step(np.array([[-1.0, 1.0]]))
    assert rewards[0] == pytest.approx(-(target[0] + 10 - target[1]), rel=1e-5)


def test_the_seed_decides_how_episodes_begin() -> None:
    one, other = climbing(2), climbing(2)
    np.testing.assert_array_equal(one.reset(), other.reset())
    other.seed(100)
    assert (one.reset()[:, 1] != other.reset()[:, 1]).all()
