"""Shaping changes the returns of all policies by the same, and says which states are good."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sandbox.training import shaping
from sandbox.training.actions import ActionCoding
from sandbox.training.features import Features, Scaling
from sandbox.training.shaping import Potential
from sandbox.training.simulator import plain_maker
from sandbox.training.vector_environment import SimulatorVecEnv
from sandbox.training.ways import Ways
from tests.unit.training.small_problems import Climb

DISCOUNT = 0.9


def potential_of(values: list[float]) -> Potential:
    """The potential of the places 0, 1, ... of ``Climb`` with these values."""
    places = np.repeat(np.arange(len(values)), 20)
    seen = np.column_stack([places, np.tile(np.linspace(0, 1, 20), len(values))])
    told = np.array(values)[places]
    states = plain_maker(Climb)(len(places))
    ways = Ways(
        states, seen.astype(np.float32), np.zeros(len(places), dtype=np.int64), told, told,
        0.0, 1e-6, 0,
    )  # fmt: skip
    return Potential.fitted(ways, Scaling.off(2), DISCOUNT, 0)


@pytest.fixture(name="potential", scope="module")
def _potential() -> Potential:
    return potential_of([3.0, -50.0, 20.0, 7.0])


def test_the_network_learns_what_states_are_worth(potential: Potential) -> None:
    seen = np.array([[0, 0.3], [1, 0.6], [2, 0.1], [3, 0.9]], dtype=np.float32)
    assert potential(seen) == pytest.approx([3, -50, 20, 7], abs=1.5)


def test_the_same_seed_fits_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shaping, "GRADIENT_STEPS", 20)
    seen = np.array([[0, 0.3], [2, 0.1]], dtype=np.float32)
    one, other = potential_of([3.0, 4.0]), potential_of([3.0, 4.0])
    np.testing.assert_array_equal(one(seen), other(seen))


def rewards_of(
    actions: list[int], potential: Potential | None
) -> tuple[NDArray[np.float64], NDArray[np.float32], bool]:
    """Rewards of one episode, its last observation, and whether it was cut off."""
    simulator = plain_maker(Climb)(1)
    coding = ActionCoding(simulator.action_space)
    features = Features(Scaling.off(2))
    environments = SimulatorVecEnv(simulator, features, coding, seed=0, potential=potential)
    environments.reset()
    rewards = []
    for action in actions:
        _, earned, done, infos = environments.step(np.array([action]))
        rewards.append(float(earned[0]))
        if done[0]:
            last = infos[0]["terminal_observation"]
            return np.array(rewards), last, infos[0]["TimeLimit.truncated"]
    raise AssertionError("the episode has not ended")


@settings(deadline=None, max_examples=40)
@given(actions=st.lists(st.integers(0, 1), min_size=5, max_size=5))
def test_the_discounted_return_changes_by_the_potential_of_the_start(
    potential: Potential, actions: list[int]
) -> None:
    true, _, _ = rewards_of(actions, None)
    shaped, last, cut = rewards_of(actions, potential)
    weights = DISCOUNT ** np.arange(len(true))
    start = potential(plain_maker(Climb)(1).reset(0))[0]
    # What is cut off goes on in the learner's eyes, from a state with a potential of its own.
    rest = DISCOUNT ** len(true) * potential(last[None])[0] if cut else 0.0
    assert weights @ shaped - weights @ true == pytest.approx(rest - start, abs=1e-3)


def test_every_episode_begins_with_its_own_potential(potential: Potential) -> None:
    simulator = plain_maker(Climb)(1)
    environments = SimulatorVecEnv(
        simulator, Features(Scaling.off(2)), ActionCoding(simulator.action_space),
        seed=0, potential=potential,
    )  # fmt: skip
    environments.reset()
    for _ in range(3):
        environments.step(np.array([1]))
    begun = environments.shown[0]
    _, rewards, _, _ = environments.step(np.array([0]))
    gained = DISCOUNT * potential(environments.shown)[0] - potential(begun[None])[0]
    assert rewards[0] == pytest.approx(gained, abs=1e-4)
