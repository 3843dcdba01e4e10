"""A drone on a grid picks packages up and brings them to their targets."""

from state.dynamics import Dynamics, Rule
from state.model import MarkovModel
from state.objective import Objective
from state.parameters import Parameter
from state.sar import RewardTerm, StateActionReward
from state.spec import Spec
from state.variables import Variable

MOVES = ["north", "south", "east", "west", "pick_up", "deliver"]


def drone(side: int = 50) -> Spec:
    """A right specification of the delivery task on a ``side`` x ``side`` grid."""
    last = side - 1
    cell = {"dtype": "integer", "low": 0, "high": last}
    each = {"shape": [3], **cell}

    def system(name: str, **kind: object) -> Variable:
        return Variable(name=name, role="system", definition=name, **kind)  # type: ignore[arg-type]

    return Spec(
        title="drone",
        description="A drone delivers 3 packages.",
        parameters=[
            Parameter(name="move_energy", definition="of a move", value=1),
            Parameter(name="delivery_energy", definition="of a delivery", value=2),
            Parameter(name="delivery_bonus", definition="for a delivery", value=500,
                      assumed="larger than any energy that can be saved"),
        ],
        objective=Objective(sense="maximize", statement="Deliver everything with least energy.",
                            measure="packages delivered, less energy"),
        variables=[
            Variable(name="move", role="decision", definition="what to do", dtype="integer",
                     labels=MOVES),
            system("x", **cell), system("y", **cell), system("pickup_x", **each),
            system("pickup_y", **each), system("target_x", **each), system("target_y", **each),
            system("status", dtype="integer", shape=[3], low=0, high=2),
            system("battery", dtype="real", low=0, high=400),
            system("picked", dtype="boolean", shape=[3]),
            system("dropped", dtype="boolean", shape=[3]),
            system("energy_used", dtype="real", low=0, high=2),
        ],
        constraints=[],
        model=MarkovModel(objective_latex="max", discount=0.99, horizon=400, constraints=[],
                          step_measure="sum(dropped) * delivery_bonus - energy_used"),
        sar=StateActionReward(
            observation=["x", "y", "pickup_x", "pickup_y", "target_x", "target_y", "status",
                         "battery"],
            action=["move"],
            reward=[RewardTerm(name="delivered", expression="delivery_bonus * sum(dropped)"),
                    RewardTerm(name="energy", expression="-energy_used")],
        ),
        dynamics=Dynamics(
            rules=[
                *(Rule(variable=name, kind="fixed", initial=f"uniform_integer(0, {last})")
                  for name in ("pickup_x", "pickup_y", "target_x", "target_y")),
                Rule(variable="x", kind="updated", initial=f"uniform_integer(0, {last})",
                     expression="clip(x + (move == 'east') - (move == 'west'), 0, "
                     f"{last})"),
                Rule(variable="y", kind="updated", initial=f"uniform_integer(0, {last})",
                     expression=f"clip(y + (move == 'north') - (move == 'south'), 0, {last})"),
                Rule(variable="picked", kind="computed", expression=(
                    "move == 'pick_up' and not any(previous_status == 1) and "
                    "(previous_status == 0) and pickup_x == x and pickup_y == y and "
                    "cumsum((previous_status == 0) and pickup_x == x and pickup_y == y) == 1")),
                Rule(variable="dropped", kind="computed", expression=(
                    "move == 'deliver' and previous_status == 1 and target_x == x and "
                    "target_y == y")),
                Rule(variable="status", kind="updated", initial="0",
                     expression="where(picked, 1, where(dropped, 2, status))"),
                Rule(variable="energy_used", kind="computed", expression=(
                    "min(battery, delivery_energy if any(dropped) else "
                    "(0 if any(picked) else move_energy))")),
                Rule(variable="battery", kind="updated", initial="uniform_integer(300, 400)",
                     expression="battery - energy_used"),
            ],
            termination="all(status == 2) or battery <= 0",
        ),
    )  # fmt: skip
