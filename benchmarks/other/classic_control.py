"""Gymnasium's continuous problems: a pendulum, a car with a pedal, a two-link arm.

No exact optimum is known for them. The best mean return that the collection of tuned agents of
Stable-Baselines3 publishes for any algorithm stands for it (RL Baselines3 Zoo, benchmark.md).
"""

from benchmarks.other.spelling import decision, quantity, standard
from state.spec import Spec

PENDULUM_BEST = -151.34  # TQC; TD3 -151.86, DDPG -152.10, SAC -157.00
CAR_BEST = 96.67  # ARS; SAC 94.68, DDPG 93.51, TD3 93.48
ACROBOT_BEST = -69.14  # QR-DQN; PPO -73.51, DQN -76.64


def pendulum() -> Spec:
    """Swing a pendulum up and hold it there."""
    return standard(
        "Pendulum-v1",
        "Hold the pendulum upright with little torque.",
        variables=[
            decision("torque", "torque on the hinge", -2, 2, dtype="real", shape=[1]),
            quantity("cosine", "cosine of the angle", -1, 1, dtype="real"),
            quantity("sine", "sine of the angle", -1, 1, dtype="real"),
            quantity("angular_speed", "angular speed", -8, 8, dtype="real"),
        ],
        reward="-0.1 * angular_speed ** 2",
        horizon=200,
    )


def mountain_car_continuous() -> Spec:
    """Out of the valley with little use of the engine."""
    return standard(
        "MountainCarContinuous-v0",
        "Reach the flag with little use of the engine.",
        variables=[
            decision("force", "push of the engine", -1, 1, dtype="real", shape=[1]),
            quantity("car_position", "position on the road", -1.2, 0.6, dtype="real"),
            quantity("car_speed", "speed", -0.07, 0.07, dtype="real"),
        ],
        reward="100 * (car_position >= 0.45)",
        horizon=999,
    )


def acrobot() -> Spec:
    """Swing the lower link of an arm above a line."""
    return standard(
        "Acrobot-v1",
        "Swing the free end above the line in few steps.",
        variables=[
            decision("torque", "torque on the middle joint", 0, 2,
                     labels=["back", "none", "forth"]),
            *[quantity(name, name.replace("_", " "), -1, 1, dtype="real")
              for name in ("cosine_one", "sine_one", "cosine_two", "sine_two")],
            quantity("angular_speed_one", "angular speed of the upper link", -12.57, 12.57,
                     dtype="real"),
            quantity("angular_speed_two", "angular speed of the lower link", -28.28, 28.28,
                     dtype="real"),
        ],
        reward="-1",
        horizon=500,
    )  # fmt: skip
