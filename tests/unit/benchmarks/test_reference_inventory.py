import numpy as np
import pytest

from benchmarks.play import episode_returns, random_policy
from benchmarks.reference.inventory import Inventory
from benchmarks.reference.inventory_optimum import (
    best,
    best_return,
    day_of_one_item,
    optimum,
    random_return,
)


def test_a_day_by_hand() -> None:
    shop = Inventory()
    shop.reset(seed=0)
    order = np.array([20, 0, 5, 0, 0, 0, 0, 0, 0, 0])
    demand = np.array([8, 2, 9, 0, 0, 0, 0, 0, 0, 0])
    seen, profit, terminated, truncated, _ = shop.sell(order, demand)
    assert seen.tolist() == [12, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    # 13 sold; 25 units and two orders; 12 held; 2 and 4 lost.
    assert profit == 6 * 13 - 2 * 25 - 10 * 2 - 0.5 * 12 - 1 * 6
    assert not terminated
    assert not truncated


def test_what_does_not_fit_is_neither_delivered_nor_paid() -> None:
    shop = Inventory()
    shop.reset(seed=0)
    shop.stock[:] = 40
    shop.stock[1] = 35
    order = np.full(10, 30)
    seen, profit, *_ = shop.sell(order, np.zeros(10, dtype=np.int64))
    assert seen.tolist() == [40] * 10
    assert profit == -2 * 5 - 10 - 0.5 * 400


def test_day_of_one_item_has_probabilities_and_the_mean_profit_of_simulated_days() -> None:
    profit, probabilities = day_of_one_item()
    assert np.allclose(probabilities.sum(axis=2), 1)
    assert np.all(probabilities >= 0)
    shop, order, profits = Inventory(), np.full(10, 12), []
    shop.reset(seed=3)
    for _ in range(3000):
        shop.stock[:] = 5
        profits.append(shop.step(order)[1] / 10)
    error = np.std(profits) / np.sqrt(len(profits))
    assert abs(np.mean(profits) - profit[5, 12]) < 4 * error


def test_best_orders_follow_a_reorder_point_and_an_order_up_to_level() -> None:
    orders = optimum()[1][50]
    reorder = int(np.flatnonzero(orders == 0)[0])
    assert [stock + orders[stock] for stock in range(reorder)] == [22] * reorder
    assert not orders[reorder:].any()


def test_values_agree_with_simulation() -> None:
    shop = Inventory()
    for policy, mean in [(best, best_return()), (random_policy(shop), random_return())]:
        returns = episode_returns(shop, policy, range(100))
        error = returns.std() / np.sqrt(len(returns))
        assert abs(returns.mean() - mean) < 4 * error
    assert best_return() == pytest.approx(22598.10, abs=0.01)
