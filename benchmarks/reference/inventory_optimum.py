"""The best orders of the inventory task, by backward induction for one item.

Items share neither money nor room, so the best joint order is the best order of each item, and the
best joint profit is ten times that of an item.
"""

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.reference.inventory import (
    DAYS,
    FIXED_COST,
    HOLDING_COST,
    ITEMS,
    LARGEST_ORDER,
    MEAN_DEMAND,
    PENALTY,
    PRICE,
    ROOM,
    UNIT_COST,
)

Numbers = NDArray[np.float64]


@cache
def day_of_one_item() -> tuple[Numbers, Numbers]:
    """Mean profit (stock, order) of a day, and probabilities (stock, order, next stock)."""
    levels = np.arange(ROOM + 1)
    demand = np.array(
        [math.exp(k * math.log(MEAN_DEMAND) - MEAN_DEMAND - math.lgamma(k + 1)) for k in levels]
    )
    left = np.zeros((ROOM + 1, ROOM + 1))  # available, left over
    for ready in levels:
        left[ready, ready - levels[:ready]] = demand[:ready]
        left[ready, 0] = 1 - demand[:ready].sum()
    mean_sold = levels - left @ levels
    sales = PRICE * mean_sold - HOLDING_COST * (levels - mean_sold)
    sales -= PENALTY * (MEAN_DEMAND - mean_sold)
    delivered = np.minimum(np.arange(LARGEST_ORDER + 1), ROOM - levels[:, None])
    available = levels[:, None] + delivered
    profit = sales[available] - UNIT_COST * delivered - FIXED_COST * (delivered > 0)
    return profit, left[available]


@cache
def optimum() -> tuple[float, NDArray[np.int64]]:
    """Mean return of the best policy, and its order (day, stock) of an item."""
    profit, probabilities = day_of_one_item()
    value = np.zeros(ROOM + 1)
    orders = np.zeros((DAYS, ROOM + 1), dtype=np.int64)
    for day in reversed(range(DAYS)):
        choices = profit + probabilities @ value
        orders[day], value = choices.argmax(axis=1), choices.max(axis=1)
    return ITEMS * float(value[0]), orders


def best(observation: Any, time_step: int) -> NDArray[np.int64]:
    """The best orders for an observation that begins with the stock of each item."""
    stock = np.rint(np.asarray(observation)[:ITEMS]).astype(np.int64)
    orders: NDArray[np.int64] = optimum()[1][time_step, stock]
    return orders


def best_return() -> float:
    """Mean return of :func:`best`."""
    return optimum()[0]


def random_return() -> float:
    """Mean return of orders drawn evenly."""
    profit, probabilities = day_of_one_item()
    value = np.zeros(ROOM + 1)
    for _ in range(DAYS):
        value = (profit + probabilities @ value).mean(axis=1)
    return ITEMS * float(value[0])
