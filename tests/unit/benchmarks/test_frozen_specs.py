"""Environments compiled from the frozen specifications beside the simulators written by hand."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks import generated
from benchmarks.catalogue import task_description, task_names
from benchmarks.frozen_specs import frozen_spec
from benchmarks.reference import drone, drone_planner, inventory, wireless


@pytest.mark.parametrize("task", task_names())
def test_each_task_has_one_made_from_its_description(task: str) -> None:
    spec = frozen_spec(task)
    assert spec.description.strip() == task_description(task).strip()
    assert spec.dynamics.bodies == []


@pytest.mark.parametrize(
    ("task", "gymnasium_id"), [("cart-pole", "CartPole-v1"), ("mountain-car", "MountainCar-v0")]
)
def test_standard_tasks_are_gymnasiums_own(task: str, gymnasium_id: str) -> None:
    assert frozen_spec(task).dynamics.gymnasium_id == gymnasium_id


def test_wireless_agrees_in_reward_step_by_step_and_in_distribution() -> None:
    environment: Any = generated.make(frozen_spec("wireless"))
    gains = []
    for seed in range(20):
        seen, _ = environment.reset(seed=seed)
        for slot in range(100):
            gains.append(seen)
            expected = wireless.rate(environment.channel_gain[slot % 4])
            seen, reward, _, truncated, _ = environment.step(slot % 4)
            assert reward == pytest.approx(expected)
        assert truncated
    reference = _gains_of_reference()
    assert _same_distribution(np.array(gains), reference)


def _gains_of_reference() -> NDArray[np.float32]:
    environment, gains = wireless.Wireless(), []
    for seed in range(20):
        seen, _ = environment.reset(seed=seed)
        for _ in range(100):
            gains.append(seen)
            seen, *_ = environment.step(0)
    return np.array(gains)


def _same_distribution(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether the empirical distributions of each column are as near as chance leaves them.

    The two-sample test of Kolmogorov and Smirnov at a level of 0.001.
    """
    limit = 1.95 * np.sqrt(1 / len(one) + 1 / len(other))
    for left, right in zip(one.T, other.T, strict=True):
        values = np.sort(np.concatenate([left, right]))
        below = [np.searchsorted(np.sort(x), values, side="right") / len(x) for x in (left, right)]
        if np.max(np.abs(below[0] - below[1])) > limit:
            return False
    return True


def test_inventory_agrees_step_by_step_on_the_same_demand() -> None:
    environment, shop = generated.make(frozen_spec("inventory-management")), inventory.Inventory()
    environment.action_space.seed(0)
    seen, _ = environment.reset(seed=5)
    expected, _ = shop.reset(seed=5)
    demands = []
    for _ in range(100):
        assert seen[:10].tolist() == expected.tolist()
        order = environment.action_space.sample()
        seen, reward, terminated, truncated, info = environment.step(order)
        demand = np.array(info["quantities"]["demand"])
        demands.append(demand)
        expected, profit, ended, cut, _ = shop.sell(order, demand)
        assert reward == pytest.approx(profit)
        assert (terminated, truncated) == (ended, cut)
    assert np.mean(demands) == pytest.approx(8, abs=4 * np.sqrt(8 / 1000))


@pytest.mark.parametrize("seed", range(10))
def test_drone_agrees_step_by_step_on_the_same_layout(seed: int) -> None:
    """The rewards differ by design: 402 instead of 500 for a delivery, both above all energy."""
    environment = generated.make(frozen_spec("drone-delivery"))
    hand_made = drone.Drone()
    seen, _ = environment.reset(seed=seed)
    hand_made.reset(seed=seed)
    _put(hand_made, seen)
    chance = np.random.default_rng(seed)
    for _ in range(403):
        guided = drone_planner.planner(seen, 0)
        action = guided if chance.random() < 0.8 else int(chance.integers(6))
        delivered = np.count_nonzero(hand_made.states == drone.DELIVERED)
        seen, reward, terminated, _, _ = environment.step(action)
        expected, other_reward, ended, _, _ = hand_made.step(action)
        delivered = np.count_nonzero(hand_made.states == drone.DELIVERED) - delivered
        assert seen.tolist() == expected.tolist()
        assert reward == other_reward - 98 * delivered
        assert terminated == ended
        if ended:
            return
    pytest.fail("the episode did not end")


def _put(environment: drone.Drone, observation: Any) -> None:
    situation = drone_planner.Situation.of_observation(observation)
    environment.cell = np.array(situation.cell)
    environment.energy = situation.energy
    environment.pickup, environment.target = np.array(situation.pickup), np.array(situation.target)
    environment.states = np.array(situation.states)


def test_drone_layouts_have_the_same_distribution() -> None:
    samples = []
    environments: list[gymnasium.Env[Any, Any]] = [
        generated.make(frozen_spec("drone-delivery")),
        drone.Drone(),
    ]
    for environment in environments:
        samples.append(np.array([environment.reset(seed=seed)[0] for seed in range(1500)]))
    assert _same_distribution(*samples)
