"""Policies of every kind decide the same after they were kept and read back."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces
from numpy.typing import NDArray

from sandbox.training.actions import ActionCoding
from sandbox.training.additive import AdditiveNetwork, AdditivePolicy, Components
from sandbox.training.features import Features, Scaling
from sandbox.training.network import NetworkPolicy
from sandbox.training.policy import LearnedPolicy, content_sha256, load_policy
from sandbox.training.reinforce import make_model
from sandbox.training.simulator import plain_maker
from sandbox.training.vector_environment import SimulatorVecEnv
from tests.unit.training.small_problems import Aiming, Matching, MatchingMany

MANY = spaces.MultiDiscrete([3] * 5)
COMPONENTS = Components(np.array([[k, 5, 6] for k in range(5)]), np.array([3] * 5))
OBSERVATIONS = np.random.default_rng(0).uniform(0, 3, (40, 5)).astype(np.float32)
TIMES = np.arange(40)
FEATURES = Features(
    Scaling.fitted(spaces.Box(0, 3, (5,)), OBSERVATIONS.astype(float)), horizon=40
)  # fmt: skip


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.manual_seed(1)


def decided(policy: Any, width: int = 5) -> NDArray[Any]:
    actions: NDArray[Any] = policy.actions(OBSERVATIONS[:, :width], TIMES)
    return actions


@pytest.mark.parametrize(
    "space",
    [
        spaces.Discrete(4, start=-1),
        spaces.MultiDiscrete([3, 2]),
        spaces.MultiDiscrete([9, 9, 2], start=[0, 5, 0]),
        spaces.Box(np.array([-2, 5], np.float32), np.array([0, 6], np.float32)),
    ],
    ids=str,
)
@pytest.mark.parametrize("sampled", [False, True])
def test_networks(tmp_path: Path, space: spaces.Space[Any], sampled: bool) -> None:
    policy = NetworkPolicy(FEATURES, ActionCoding(space), sampled=sampled)
    policy.save(tmp_path)
    actions = decided(policy)
    assert all(space.contains(action) for action in actions)
    np.testing.assert_array_equal(decided(load_policy(tmp_path, space)), actions)


@pytest.mark.parametrize("sampled", [False, True])
def test_networks_with_components(tmp_path: Path, sampled: bool) -> None:
    policy = NetworkPolicy(FEATURES, ActionCoding(MANY), COMPONENTS, sampled=sampled)
    policy.save(tmp_path)
    actions = decided(policy)
    assert actions.shape == (40, 5)
    assert all(MANY.contains(action) for action in actions)
    np.testing.assert_array_equal(decided(load_policy(tmp_path, MANY)), actions)


@pytest.mark.parametrize("start", [0, 4])
def test_additive_values(tmp_path: Path, start: int) -> None:
    space = spaces.MultiDiscrete([3, 2, 3], start=[start] * 3)
    components = Components(COMPONENTS.inputs[:3], np.array([3, 2, 3]))
    policy = AdditivePolicy(AdditiveNetwork(components), components, FEATURES, space)
    policy.save(tmp_path)
    actions = decided(policy)
    assert all(space.contains(action) for action in actions)
    np.testing.assert_array_equal(decided(load_policy(tmp_path, space)), actions)


@pytest.mark.parametrize(
    ("algorithm", "problem"),
    [("dqn", Matching), ("ppo", MatchingMany), ("ppo", Aiming), ("sac", Aiming), ("td3", Aiming)],
)
@pytest.mark.filterwarnings("ignore:.*CUDA:UserWarning")
def test_stable_baselines3(tmp_path: Path, algorithm: str, problem: type[Any]) -> None:
    simulator = plain_maker(problem)(2)
    width = problem.seen
    features = Features(Scaling.off(width), horizon=10)
    coding = ActionCoding(simulator.action_space)
    model = make_model(
        algorithm, SimulatorVecEnv(simulator, features, coding, seed=0),
        discount=0.9, total_timesteps=1000, seed=5, persistent=True,
    )  # fmt: skip
    policy = LearnedPolicy(model, features, coding)
    name = type(model).__name__.removeprefix("Persistent")
    policy.save(tmp_path, name)
    actions = decided(policy, width)
    assert all(simulator.action_space.contains(action) for action in actions)
    loaded = load_policy(tmp_path, simulator.action_space)
    np.testing.assert_array_equal(decided(loaded, width), actions)
    assert json.loads((tmp_path / "policy_setup.json").read_text())["algorithm"] == name.upper()


def test_the_hash_is_of_the_numbers_alone(tmp_path: Path) -> None:
    policy = NetworkPolicy(FEATURES, ActionCoding(MANY))
    hashes = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        policy.save(tmp_path / name)
        hashes.append(content_sha256(tmp_path / name))
    assert hashes[0] == hashes[1]
    with torch.no_grad():
        next(policy.network.parameters())[0, 0] += 1e-3
    policy.save(tmp_path)
    assert content_sha256(tmp_path) != hashes[0]


def test_an_unknown_kind_is_named(tmp_path: Path) -> None:
    (tmp_path / "policy_setup.json").write_text('{"kind": "oracle"}')
    with pytest.raises(ValueError, match="unknown kind of policy 'oracle'"):
        load_policy(tmp_path, MANY)


def test_a_missing_policy_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_policy(tmp_path, MANY)


def test_numbers_that_are_pickled_are_refused(tmp_path: Path) -> None:
    NetworkPolicy(FEATURES, ActionCoding(MANY)).save(tmp_path)
    with (tmp_path / "policy.zip").open("wb") as file:
        np.savez(file, weights=np.array([print], dtype=object))
    with pytest.raises(ValueError, match="allow_pickle"):
        load_policy(tmp_path, MANY)
