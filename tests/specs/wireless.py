"""One user of four is served in each slot; what is seen is redrawn after each decision."""

from state.constraints import Constraint
from state.dynamics import Dynamics, Rule
from state.model import ConstraintEquation, MarkovModel
from state.objective import Objective
from state.parameters import Parameter
from state.sar import RewardTerm, StateActionReward
from state.spec import Spec
from state.variables import Variable


def wireless() -> Spec:
    """A right specification of the scheduling task."""
    return Spec(
        title="wireless",
        description="A base station serves one of 4 users in each slot.",
        parameters=[
            Parameter(name="distances", definition="from the station", value=[50, 100, 150, 200],
                      unit="m"),
            Parameter(name="bandwidth", definition="of the channel", value=10, unit="MHz"),
            Parameter(name="transmit_power", definition="of the station", value=200, unit="mW"),
            Parameter(name="noise_density", definition="of the noise", value=-174, unit="dBm/Hz"),
            Parameter(name="shadowing_deviation", definition="of shadowing", value=8, unit="dB"),
        ],
        objective=Objective(sense="maximize", statement="As much data as possible.",
                            measure="rate of the served user"),
        variables=[
            Variable(name="served_user", role="decision", definition="user to serve",
                     dtype="integer", low=0, high=3),
            Variable(name="channel_gain", role="system", definition="gain to each user",
                     dtype="real", shape=[4], low=-130, high=-60, unit="dB"),
            Variable(name="rate", role="system", definition="rate of the served user",
                     dtype="real", low=0, unit="Mbit/s"),
        ],
        constraints=[Constraint(name="gain_limits", statement="Gains stay within limits.")],
        model=MarkovModel(
            objective_latex=r"\max_\pi E[\sum_t r_t]",
            step_measure="rate",
            constraints=[ConstraintEquation(name="gain_limits", latex=r"-130 \le g \le -60",
                                            expression="all(-130 <= channel_gain <= -60)")],
            discount=0.99,
            horizon=100,
        ),
        sar=StateActionReward(observation=["channel_gain"], action=["served_user"],
                              reward=[RewardTerm(name="rate_reward", expression="rate")],
                              reward_unit="Mbit/s"),
        dynamics=Dynamics(
            rules=[
                Rule(variable="channel_gain", kind="known_before_decision",
                     expression="normal(-30 - 35 * log10(distances), shadowing_deviation)"),
                Rule(variable="rate", kind="computed", expression=(
                    "bandwidth * log2(1 + transmit_power * channel_gain[served_user]"
                    " / (noise_density * bandwidth))")),
            ],
        ),
    )  # fmt: skip
