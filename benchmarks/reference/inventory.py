"""Ordering ten items every morning, from ``tasks/inventory-management/description.md``."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

ITEMS, DAYS = 10, 100
ROOM = 40
LARGEST_ORDER = 30
MEAN_DEMAND = 8.0
PRICE, UNIT_COST, FIXED_COST, HOLDING_COST, PENALTY = 6.0, 2.0, 10.0, 0.5, 1.0


class Inventory(gymnasium.Env[NDArray[np.float32], NDArray[np.int64]]):
    """Observed: stock of each item (10). Action: order of each item. Reward: profit of the day."""

    def __init__(self) -> None:
        self.action_space = spaces.MultiDiscrete([LARGEST_ORDER + 1] * ITEMS)
        self.observation_space = spaces.Box(0.0, ROOM, (ITEMS,), np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin without stock."""
        super().reset(seed=seed)
        self.day = 0
        self.stock = np.zeros(ITEMS, dtype=np.int64)
        return self.stock.astype(np.float32), {}

    def step(
        self, action: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Take in what fits of the order, then sell."""
        return self.sell(action, self.np_random.poisson(MEAN_DEMAND, ITEMS))

    def sell(
        self, order: NDArray[np.int64], demand: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """The day of an order with a given demand, both (10)."""
        delivered = np.minimum(order, ROOM - self.stock)
        available = self.stock + delivered
        sold = np.minimum(available, demand)
        self.stock = available - sold
        self.day += 1
        profit = (
            PRICE * sold.sum()
            - UNIT_COST * delivered.sum()
            - FIXED_COST * np.count_nonzero(delivered)
            - HOLDING_COST * self.stock.sum()
            - PENALTY * (demand - sold).sum()
        )
        return self.stock.astype(np.float32), float(profit), False, self.day >= DAYS, {}
