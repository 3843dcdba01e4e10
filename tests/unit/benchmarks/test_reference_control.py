"""Best policies of problems of movement."""

from pathlib import Path

import gymnasium
import numpy as np
import pytest

from benchmarks.ablation import write_environment
from benchmarks.other import rooms
from benchmarks.play import episode_returns, random_policy
from benchmarks.problems import PROBLEMS
from benchmarks.reference import cart_pole, mountain_car
from sandbox.training.environments import make_environment


def test_the_pole_can_be_kept_up_for_all_pushes() -> None:
    returns = episode_returns(gymnasium.make("CartPole-v1"), cart_pole.balance, range(30))
    assert np.all(returns == cart_pole.BEST_RETURN)


def test_mountain_car_steps_are_those_of_gymnasium() -> None:
    environment = gymnasium.make("MountainCar-v0")
    environment.action_space.seed(0)
    seen, _ = environment.reset(seed=0)
    for _ in range(199):
        action = environment.action_space.sample()
        expected = mountain_car.moved(float(seen[0]), float(seen[1]), action)
        seen, *_ = environment.step(action)
        assert seen.tolist() == pytest.approx([float(value) for value in expected], abs=1e-6)


def test_the_far_corner_is_reached_from_gap_to_gap(tmp_path: Path) -> None:
    problem = PROBLEMS["rooms"]
    write_environment(problem.spec(), problem.name, tmp_path)
    environment = make_environment("", tmp_path)
    returns = episode_returns(environment, rooms.through_the_gaps, range(200))
    assert returns.mean() == pytest.approx(problem.best_return, abs=1.0)
    at_random = random_policy(environment)
    assert set(episode_returns(environment, at_random, range(20))) == {problem.random_return}


def test_interpolation_is_exact_for_a_plane() -> None:
    positions = np.linspace(-1.2, 0.6, mountain_car.POSITIONS)[:, None]
    speeds = np.linspace(-0.07, 0.07, mountain_car.SPEEDS)[None, :]
    read = mountain_car.Interpolation(np.array([-0.512, 0.6]), np.array([0.0123, 0.07]))
    assert read(3 * positions - 5 * speeds) == pytest.approx([-1.5975, 1.45])


@pytest.mark.slow
def test_mountain_car_gets_out_as_soon_as_stated() -> None:
    returns = episode_returns(gymnasium.make("MountainCar-v0"), mountain_car.best, range(500))
    assert returns.mean() == pytest.approx(PROBLEMS["mountain-car"].best_return, abs=1.2)
