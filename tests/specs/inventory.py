"""Ten items are ordered each day, delivered at once, then sold."""

from state.dynamics import Dynamics, Rule
from state.model import ConstraintEquation, MarkovModel
from state.objective import Objective
from state.parameters import Parameter
from state.sar import RewardTerm, StateActionReward
from state.spec import Spec
from state.variables import Variable


def inventory() -> Spec:
    """A right specification of the ordering task."""
    items = [10]
    return Spec(
        title="inventory",
        description="A shop orders ten items.",
        parameters=[
            Parameter(name=name, definition=name, value=value)
            for name, value in {
                "fixed_cost": 10.0, "unit_cost": 2.0, "price": 6.0, "holding_cost": 0.5,
                "penalty": 1.0, "mean_demand": 8.0, "room": 40.0,
            }.items()
        ],
        objective=Objective(sense="maximize", statement="Most profit.", measure="daily profit"),
        variables=[
            Variable(name="order", role="decision", definition="units ordered", dtype="integer",
                     shape=items, low=0, high=30),
            Variable(name="stock", role="system", definition="units in stock", dtype="integer",
                     shape=items, low=0, high="room"),
            Variable(name="demand", role="system", definition="units wanted", dtype="integer",
                     shape=items, low=0),
            Variable(name="delivered", role="system", definition="units delivered",
                     dtype="integer", shape=items, low=0, high=30),
            Variable(name="sold", role="system", definition="units sold", dtype="integer",
                     shape=items, low=0),
        ],
        constraints=[],
        model=MarkovModel(
            objective_latex="max", step_measure="sum(price * sold - unit_cost * delivered)"
            " - fixed_cost * sum(delivered > 0) - sum(holding_cost * stock)"
            " - sum(penalty * (demand - sold))",
            constraints=[ConstraintEquation(name="room_kept", latex="s \\le 40",
                                            expression="stock <= room")],
            discount=0.99, horizon=100, step_length="1 day",
        ),
        sar=StateActionReward(
            observation=["stock"], action=["order"],
            reward=[
                RewardTerm(name="sales", expression="sum(price * sold)"),
                RewardTerm(name="ordering", expression="-fixed_cost * sum(delivered > 0)"
                           " - sum(unit_cost * delivered)"),
                RewardTerm(name="holding", expression="-sum(holding_cost * stock)"),
                RewardTerm(name="lost", expression="-sum(penalty * (demand - sold))"),
            ],
        ),
        dynamics=Dynamics(rules=[
            Rule(variable="stock", kind="updated", initial="0",
                 expression="previous_stock + delivered - sold"),
            Rule(variable="demand", kind="revealed_after_decision",
                 expression="poisson(mean_demand)"),
            Rule(variable="delivered", kind="computed",
                 expression="min(order, room - previous_stock)"),
            Rule(variable="sold", kind="computed",
                 expression="min(demand, previous_stock + delivered)"),
        ]),
    )  # fmt: skip
