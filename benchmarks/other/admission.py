"""Whom to let into a queue: many customers who pay little, few who pay much (Miller, 1969)."""

from typing import Any

import numpy as np

from benchmarks.exact import FiniteProblem, from_outcomes
from benchmarks.other.spelling import decision, generated, quantity, rule
from state.spec import Spec

HORIZON = 200
ROOM = 12
NOBODY, CHEAP = 0.25, 0.5
FEES = (0.0, 3.0, 12.0)
SERVED, WAITING_COST = 0.5, 0.5


def spec() -> Spec:
    """In each slot at most one customer arrives and at most one is served."""
    return generated(
        "Admission to a queue",
        "Earn as much as possible over 200 slots.",
        parameters={"room": ROOM, "fee_cheap": FEES[1], "fee_dear": FEES[2],
                    "nobody": NOBODY, "cheap": CHEAP, "served_chance": SERVED,
                    "waiting_cost": WAITING_COST},
        variables=[
            decision("admit", "whether who comes is let in", 0, 1, labels=["refuse", "admit"]),
            quantity("queue", "customers in the queue", 0, "room"),
            quantity("chance", "decides who comes", 0, 1, dtype="real"),
            quantity("customer", "0 nobody, 1 who pays little, 2 who pays much", 0, 2),
            quantity("let_in", "whether somebody is let in", dtype="boolean"),
            quantity("waiting", "customers after the decision", 0, "room"),
            quantity("done", "whether a service ends", dtype="boolean"),
        ],
        observation=["queue", "customer"],
        rewards={
            "fees": "let_in * (fee_cheap if customer == 1 else fee_dear)",
            "waiting": "-waiting_cost * waiting",
        },
        rules=[
            rule("chance", "known_before_decision", "uniform(0, 1)"),
            rule("customer", "known_before_decision",
                 "(chance >= nobody) + (chance >= nobody + cheap)"),
            rule("let_in", "computed", "admit == 1 and customer > 0 and previous_queue < room"),
            rule("waiting", "computed", "previous_queue + let_in"),
            rule("done", "revealed_after_decision", "bernoulli(served_chance)"),
            rule("queue", "updated", "max(waiting - done, 0)", "0"),
        ],
        horizon=HORIZON,
    )  # fmt: skip


def exact() -> FiniteProblem:
    """States are queue * 3 + customer; before the first customer the queue is empty."""
    arrivals = np.array([NOBODY, CHEAP, 1 - NOBODY - CHEAP])
    queue, customer, admit, done, comes = np.meshgrid(
        np.arange(ROOM + 1), range(3), range(2), range(2), range(3), indexing="ij"
    )
    let_in = (admit == 1) & (customer > 0) & (queue < ROOM)
    waiting = queue + let_in
    successor = np.maximum(waiting - done, 0) * 3 + comes
    reward = let_in * np.array(FEES)[customer] - WAITING_COST * waiting
    served = np.where(done == 1, SERVED, 1 - SERVED)
    shape = ((ROOM + 1) * 3, 2, 6)
    problem = from_outcomes(
        (served * arrivals[comes]).reshape(shape),
        successor.reshape(shape),
        reward.reshape(shape),
        0,
        HORIZON,
    )
    start = np.zeros(len(problem.start))
    start[:3] = arrivals
    return FiniteProblem(problem.rewards, problem.ahead, start, HORIZON)


def state(observation: Any) -> int:
    """Number of the state that an observation shows."""
    queue, customer = (round(float(number)) for number in observation)
    return queue * 3 + customer
