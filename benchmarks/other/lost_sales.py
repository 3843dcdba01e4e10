"""Orders that take three days to come, while demand that is not met is lost (Zipkin, 2008)."""

import numpy as np

from benchmarks.exact import FiniteProblem, from_outcomes, poisson
from benchmarks.other.spelling import decision, generated, quantity, rule
from state.spec import Spec

HORIZON = 100
ROOM, LARGEST_ORDER, DEMAND = 30, 10, 4.0
PRICE, COST, HOLDING, PENALTY = 8.0, 3.0, 1.0, 4.0


def spec() -> Spec:
    """Each day an order is placed, then customers come, then the order of three days ago."""
    return generated(
        "Lost sales with lead time",
        "Earn as much as possible over 100 days.",
        parameters={"room": ROOM, "largest_order": LARGEST_ORDER, "mean_demand": DEMAND,
                    "price": PRICE, "unit_cost": COST, "holding_cost": HOLDING,
                    "penalty": PENALTY},
        variables=[
            decision("order", "units ordered", 0, LARGEST_ORDER),
            quantity("stock", "units in stock", 0, "room"),
            quantity("due_tonight", "units that come at the end of the day", 0, "largest_order"),
            quantity("due_next", "units that come a day later", 0, "largest_order"),
            quantity("demand", "units wanted", 0),
            quantity("sold", "units sold", 0),
        ],
        observation=["stock", "due_tonight", "due_next"],
        rewards={
            "sales": "price * sold",
            "purchases": "-unit_cost * order",
            "holding": "-holding_cost * (previous_stock - sold)",
            "lost": "-penalty * (demand - sold)",
        },
        rules=[
            rule("demand", "revealed_after_decision", "poisson(mean_demand)"),
            rule("sold", "computed", "min(demand, previous_stock)"),
            rule("stock", "updated", "min(previous_stock - sold + previous_due_tonight, room)",
                 "10"),
            rule("due_tonight", "updated", "previous_due_next", "0"),
            rule("due_next", "updated", "order", "0"),
        ],
        horizon=HORIZON,
    )  # fmt: skip


def exact() -> FiniteProblem:
    """States are numbered by :func:`state`."""
    size = LARGEST_ORDER + 1
    stock, tonight, following, order, demand = np.meshgrid(
        np.arange(ROOM + 1), *[np.arange(size)] * 3, np.arange(ROOM + 1), indexing="ij", sparse=True
    )
    sold = np.minimum(stock, demand)
    after = np.minimum(stock - sold + tonight, ROOM)
    successor = (after * size + following) * size + order
    shape = ((ROOM + 1) * size**2, size, ROOM + 1)
    # Demand over the room is as good as the room, but for the sales that it loses.
    beyond = DEMAND - np.dot(poisson(DEMAND, ROOM), np.arange(ROOM + 1))
    reward = PRICE * sold - COST * order - HOLDING * (stock - sold)
    reward = reward - PENALTY * (demand - sold + beyond) + 0 * (tonight + following)
    return from_outcomes(
        poisson(DEMAND, ROOM),
        np.broadcast_to(successor, (ROOM + 1, size, size, size, ROOM + 1)).reshape(shape),
        np.broadcast_to(reward, (ROOM + 1, size, size, size, ROOM + 1)).reshape(shape),
        state((10, 0, 0)),
        HORIZON,
    )


def state(observation: tuple[float, float, float]) -> int:
    """Number of the state that an observation shows."""
    stock, tonight, following = (round(float(number)) for number in observation)
    size = LARGEST_ORDER + 1
    return (stock * size + tonight) * size + following
