"""Problems in which some choices are not possible at times, and what is done instead is said."""

from benchmarks.other.spelling import decision, generated, quantity, rule
from state.spec import Spec

SERVED = "where(served < 3, where(waiting[min(served, 2)] > 0, served, 3), 3)"


def serving(correction: str = SERVED) -> Spec:
    """One server and three queues; to serve an empty queue is to serve nobody."""
    corrections = [rule("served", "computed", correction)] if correction else []
    return generated(
        "Three queues",
        "Let nobody wait.",
        parameters={},
        variables=[
            decision("served", "queue that is served, 3 for none", 0, 3),
            quantity("waiting", "who waits", 0, 9, shape=[3]),
            quantity("coming", "who comes", 0, 1, shape=[3]),
            quantity("hidden", "what nobody sees", 0, 1),
        ],
        observation=["waiting"],
        rewards={"waiting": "-sum(waiting)"},
        rules=[
            *corrections,
            rule("hidden", "updated", "1 - hidden", "0"),
            rule("coming", "revealed_after_decision", "bernoulli(0.3)"),
            rule(
                "waiting",
                "updated",
                "min(9, max(0, waiting - where(indices(waiting) == served, 1, 0)) + coming)",
                "1",
            ),
        ],
        horizon=20,
    )


def ordering(correction: str = "where(order <= room - stock, order, 0)") -> Spec:
    """Four goods on shelves with room for four of each; what does not fit is not ordered."""
    return _goods(4, 4, correction)


def sharing() -> Spec:
    """Four goods of which all orders together must not be more than four."""
    return ordering("where(sum(order) <= room, order, 0)")


def few() -> Spec:
    """Two goods, nine orders in all; what is free is seen and need not be worked out."""
    return _goods(2, 2, "where(order <= free, order, 0)")


def _goods(count: int, room: int, correction: str) -> Spec:
    shape = [count]
    return generated(
        "Shelves",
        "Sell as much as possible.",
        parameters={"room": room},
        variables=[
            decision("order", "how many of each are ordered", 0, room, shape=shape),
            quantity("stock", "how many there are", 0, room, shape=shape),
            quantity("free", "room that is left", 0, room, shape=shape),
            quantity("demand", "how many are asked for", 0, shape=shape),
        ],
        observation=["stock", "free"],
        rewards={"sales": "sum(min(demand, previous_stock + order)) - 0.1 * sum(order)"},
        rules=[
            rule("free", "computed", "room - stock"),
            rule("order", "computed", correction),
            rule("demand", "revealed_after_decision", "poisson(1)"),
            rule("stock", "updated", "max(0, previous_stock + order - demand)", "1"),
        ],
        horizon=20,
    )
