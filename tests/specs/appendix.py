"""Specifications as published in the appendix C of A-LAMP (arXiv 2512.11270), flaws and all.

Names, equations and numbers are those of the paper where it gives any; the rest is the least that
makes them whole.
"""

from typing import Any

from state.dynamics import Dynamics, Rule
from state.model import ConstraintEquation, MarkovModel
from state.objective import Objective
from state.parameters import Parameter
from state.sar import RewardTerm, StateActionReward
from state.spec import Spec
from state.variables import Variable


def wireless() -> Spec:
    """C.3: the noise density, in dBm, goes into Shannon's formula."""
    return _spec(
        "Schedule one of 4 users in each slot with a bandwidth of 10 MHz.",
        Objective(sense="maximize", statement="Maximize overall network performance.",
                  measure="transmission rate"),
        parameters=[
            _parameter("bandwidth", 10.0, "MHz"),
            _parameter("transmission_power", 200.0, "mW"),
            _parameter("noise_density", -174.0, "dBm"),
        ],
        variables=[
            _decision("scheduled_user", 0, 3),
            _system("channel_gain", "real", [4], -80, -30, "dB"),
            _system("transmission_rate", "real", [], 0, None, "Mbit/s"),
        ],
        constraints={
            "gain_range": "all(channel_gain >= -80) and all(channel_gain <= -30)",
            "noise_density_not_negative": "noise_density >= 0",
        },
        measure="transmission_rate",
        observation=["channel_gain"],
        reward={"rate": ("transmission_rate", "")},
        rules=[
            Rule(variable="channel_gain", kind="known_before_decision",
                 expression="uniform(-80, -30)"),
            Rule(variable="transmission_rate", kind="computed", expression=(
                "bandwidth * log2(1 + transmission_power * channel_gain[scheduled_user]"
                " / (noise_density * bandwidth))")),
        ],
    )  # fmt: skip


def cart_pole() -> Spec:
    """C.1: the position of the cart, which may be on either side, is to be non-negative."""
    return _spec(
        "Use CartPole-v1.",
        Objective(sense="maximize", measure="one for each step",
                  statement="Maximize the duration for which the pole remains upright."),
        parameters=[_parameter("cart_position_max", 2.4, "m"),
                    _parameter("angle_max", 0.21, "rad")],
        variables=[
            _decision("force", 0, 1),
            _system("cart_position", "real", [], "-cart_position_max", "cart_position_max", "m"),
            _system("cart_velocity", "real", [], None, None, "m/s"),
            _system("pole_angle", "real", [], "-angle_max", "angle_max", "rad"),
            _system("pole_angular_velocity", "real", [], None, None, "rad/s"),
        ],
        constraints={
            "angle_range": "abs(pole_angle) <= angle_max",
            "position_range": "-cart_position_max <= cart_position <= cart_position_max",
            "position_not_negative": "cart_position >= 0",
        },
        measure="1",
        observation=["pole_angle", "cart_position", "cart_velocity", "pole_angular_velocity"],
        reward={"upright": (
            "1 if abs(pole_angle) <= angle_max and abs(cart_position) <= cart_position_max else 0",
            "")},
        gymnasium_id="CartPole-v1",
    )  # fmt: skip


def inventory(*, only_in_the_equation: bool) -> Spec:
    """C.5: the reward takes a penalty that was never declared."""
    lost = "max(demand - stock_level, 0)"
    latex = (
        r"-\sum_{i=1}^{10} \text{PenaltyCost}_{i}\cdot\max(\text{Demand}_{i}(t)"
        r"-\text{StockLevel}_{i}(t), 0)"
    )
    return _spec(
        "Order 10 items to maximize long-term profit.",
        Objective(sense="maximize", statement="Maximize long-term profit.", measure="profit"),
        parameters=[
            _parameter("selling_price", [6.0] * 10), _parameter("unit_cost", [2.0] * 10),
            _parameter("mean_demand", [8.0] * 10),
        ],
        variables=[
            _decision("order_quantity", 0, 30, [10]),
            _system("stock_level", "integer", [10], 0, 1000),
            _system("demand", "integer", [10], 0, None),
        ],
        constraints={},
        measure="sum(selling_price * min(demand, stock_level) - unit_cost * order_quantity)",
        observation=["stock_level"],
        reward={
            "sales": ("sum(selling_price * min(demand, stock_level))", ""),
            "orders": ("-sum(unit_cost * order_quantity)", ""),
            "lost": (f"-sum({lost})" if only_in_the_equation else f"-sum(penalty_cost * {lost})",
                     latex),
        },
        rules=[
            Rule(variable="demand", kind="revealed_after_decision",
                 expression="poisson(mean_demand)"),
            Rule(variable="stock_level", kind="updated", initial="0", expression=(
                "clip(previous_stock_level + order_quantity - demand, 0, 1000)")),
        ],
    )  # fmt: skip


MOVES = ["move_north", "move_south", "move_east", "move_west", "pick_up_package", "deliver_package"]


def drone() -> Spec:
    """C.4: +10 for a delivery, less the energy of moves and deliveries, otherwise nothing."""
    moving = "action == 'move_north' or action == 'move_south' or action == 'move_east' or " \
        "action == 'move_west'"  # fmt: skip
    return _spec(
        "Deliver 3 packages in a 50 x 50 grid with an initial energy from 300 to 400.",
        Objective(
            sense="maximize",
            statement="Complete all deliveries while minimizing energy consumption, ensuring that "
            "energy is not depleted prematurely.",
            measure="the reward",
        ),
        parameters=[_parameter("movement_energy_cost", 1.0),
                    _parameter("delivery_energy_cost", 2.0)],
        variables=[
            _decision("action", 0, 5).model_copy(update={"labels": MOVES}),
            _system("position", "integer", [2], 0, 49),
            _system("pickup_location", "integer", [3, 2], 0, 49),
            _system("delivery_target", "integer", [3, 2], 0, 49),
            _system("status", "integer", [3], 0, 2),
            _system("current_energy", "integer", [], 0, 400),
            _system("moved", "boolean"),
            _system("picked", "boolean", [3]),
            _system("delivered", "boolean", [3]),
        ],
        constraints={"energy_not_negative": "current_energy >= 0"},
        measure="10 * sum(delivered) - movement_energy_cost * moved"
        " - 2 * delivery_energy_cost * sum(delivered)",
        observation=["position", "current_energy", "pickup_location", "delivery_target", "status"],
        reward={
            "delivery": ("10 * sum(delivered)", ""),
            "moves": ("-1 * movement_energy_cost * moved", ""),
            "deliveries": ("-2 * delivery_energy_cost * sum(delivered)", ""),
        },
        rules=[
            Rule(variable="pickup_location", kind="fixed", initial="uniform_integer(0, 49)"),
            Rule(variable="delivery_target", kind="fixed", initial="uniform_integer(0, 49)"),
            Rule(variable="moved", kind="computed", expression=moving),
            Rule(variable="picked", kind="computed", expression=(
                "action == 'pick_up_package' and not any(previous_status == 1) and "
                "previous_status == 0 and pickup_location[:, 0] == previous_position[0] and "
                "pickup_location[:, 1] == previous_position[1]")),
            Rule(variable="delivered", kind="computed", expression=(
                "action == 'deliver_package' and previous_status == 1 and "
                "delivery_target[:, 0] == previous_position[0] and "
                "delivery_target[:, 1] == previous_position[1]")),
            Rule(variable="status", kind="updated", initial="0",
                 expression="where(picked, 1, where(delivered, 2, previous_status))"),
            Rule(variable="position", kind="updated", initial="uniform_integer(0, 49)", expression=(
                "clip(previous_position + [(action == 'move_east') - (action == 'move_west'), "
                "(action == 'move_north') - (action == 'move_south')], 0, 49)")),
            Rule(variable="current_energy", kind="updated", initial="uniform_integer(300, 400)",
                 expression="max(previous_current_energy - moved * movement_energy_cost - "
                 "sum(delivered) * delivery_energy_cost, 0)"),
        ],
        termination="all(status == 2) or current_energy <= 0",
        horizon=400,
    )  # fmt: skip


def mountain_car() -> Spec:
    """C.2: the cumulative reward, -1 a step until the goal, is to be minimised."""
    return _spec(
        "Use MountainCar-v0.",
        Objective(
            sense="minimize",
            statement="Minimize the cumulative reward (equivalent to minimizing the number of time "
            "steps) to reach the top of the right hill.",
            measure="the reward",
        ),
        parameters=[_parameter("initial_reward", -1.0)],
        variables=[_decision("acceleration", 0, 2), _system("car_position", "real", [], -1.2, 0.6),
                   _system("car_velocity", "real", [], -0.07, 0.07)],
        constraints={},
        measure="initial_reward",
        observation=["car_position", "car_velocity"],
        reward={"step": ("initial_reward", "")},
        gymnasium_id="MountainCar-v0",
        horizon=200,
    )  # fmt: skip


def _spec(
    description: str,
    objective: Objective,
    *,
    parameters: list[Parameter],
    variables: list[Variable],
    constraints: dict[str, str],
    measure: str,
    observation: list[str],
    reward: dict[str, tuple[str, str]],
    rules: list[Rule] | None = None,
    termination: str = "",
    gymnasium_id: str = "",
    horizon: int = 500,
) -> Spec:
    return Spec(
        description=description,
        parameters=parameters,
        objective=objective,
        variables=variables,
        constraints=[],
        model=MarkovModel(
            objective_latex=r"J(\pi)=\mathbb{E}\left[\sum_{t=0}^{\infty}\gamma^{t}R_{t}\right]",
            step_measure=measure,
            constraints=[
                ConstraintEquation(name=name, latex="", expression=text)
                for name, text in constraints.items()
            ],
            discount=0.99,
            horizon=horizon,
        ),
        sar=StateActionReward(
            observation=observation,
            action=[v.name for v in variables if v.role == "decision"],
            reward=[
                RewardTerm(name=name, expression=text, latex=latex)
                for name, (text, latex) in reward.items()
            ],
        ),
        dynamics=Dynamics(gymnasium_id=gymnasium_id, rules=rules or [], termination=termination),
    )


def _parameter(name: str, value: Any, unit: str = "") -> Parameter:
    return Parameter(name=name, definition=name.replace("_", " "), value=value, unit=unit)


def _decision(name: str, low: float, high: float, shape: list[int] | None = None) -> Variable:
    return Variable(name=name, role="decision", definition=name, dtype="integer", low=low,
                    high=high, shape=shape or [])  # fmt: skip


def _system(
    name: str, dtype: Any, shape: list[int] | None = None, low: Any = None, high: Any = None,
    unit: str = "",
) -> Variable:  # fmt: skip
    return Variable(name=name, role="system", definition=name, dtype=dtype, low=low, high=high,
                    shape=shape or [], unit=unit)  # fmt: skip
