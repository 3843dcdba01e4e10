"""Environments that nobody here wrote, each with a specification written by hand from its manual.

    python -m benchmarks.foreign [--only NAME ...]

The ladder of checks should find nothing in any of them. Third-party environments are left out where
their package is not installed; it is the part of the id before the colon.
"""

import argparse
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.other import classic_control, toy_text
from benchmarks.other.spelling import decision, quantity, standard
from nodes.settings import RunSettings
from nodes.verify import verify
from state.spec import Spec

NO_LIMIT = 1_000_000
"""Steps of an environment that sets itself no limit."""

MOVES = ["left", "down", "right", "up"]


def specs() -> Iterator[Spec]:
    """Gymnasium's toy_text and classic_control, then six of other packages."""
    yield _rewarded(toy_text.frozen_lake(), 0, 1)
    yield _lake("FrozenLake-v1", 15, 100)
    yield _cliff("CliffWalking-v1")
    yield _cliff("CliffWalkingSlippery-v1")
    yield _rewarded(toy_text.taxi(), -10, 20)
    yield _rewarded(toy_text.blackjack(), -1, 1)
    yield _cart_pole()
    yield _mountain_car()
    yield _rewarded(classic_control.mountain_car_continuous(), -0.1, 100)
    yield _rewarded(classic_control.acrobot(), -1, 0)
    yield _rewarded(classic_control.pendulum(), -16.2736044, 0)
    yield _flappy_bird()
    yield _circular_cliff()
    yield _highway()
    yield _lane_keeping()
    yield _mobile_network()
    yield _small_grid()


def _rewarded(spec: Spec, low: float, high: float) -> Spec:
    limits = {"reward_low": low, "reward_high": high}
    return spec.model_copy(update={"sar": spec.sar.model_copy(update=limits)})


def _real(name: str, low: float | None, high: float | None, **more: Any) -> Any:
    return quantity(name, name.replace("_", " "), low, high, dtype="real", **more)


def _lake(gymnasium_id: str, goal: int, horizon: int) -> Spec:
    spec = standard(
        gymnasium_id,
        "Reach the goal without falling into a hole.",
        variables=[decision("direction", "where to go", 0, 3, labels=MOVES),
                   quantity("cell", "where one stands", 0, goal)],
        reward=f"1 * (cell == {goal})",
        horizon=horizon,
    )  # fmt: skip
    return _rewarded(spec, 0, 1)


def _cliff(gymnasium_id: str) -> Spec:
    spec = standard(
        gymnasium_id,
        "Get to the goal in few steps and without a fall.",
        variables=[decision("direction", "where to go", 0, 3,
                            labels=["up", "right", "down", "left"]),
                   quantity("cell", "row times 12 plus column", 0, 47)],
        reward="-1",
        horizon=NO_LIMIT,
    )  # fmt: skip
    return _rewarded(spec, -100, -1)


def _cart_pole() -> Spec:
    spec = standard(
        "CartPole-v1",
        "Keep the pole up as long as possible.",
        variables=[decision("push", "direction of the push", 0, 1, labels=["left", "right"]),
                   _real("cart_position", -4.8, 4.8), _real("cart_velocity", None, None),
                   _real("pole_angle", -0.418, 0.418), _real("pole_velocity", None, None)],
        reward="1",
        horizon=500,
    )  # fmt: skip
    return _rewarded(spec, 1, 1)


def _mountain_car() -> Spec:
    spec = standard(
        "MountainCar-v0",
        "Reach the flag in as few steps as possible.",
        variables=[decision("push", "what the engine does", 0, 2,
                            labels=["left", "none", "right"]),
                   _real("car_position", -1.2, 0.6), _real("car_velocity", -0.07, 0.07)],
        reward="-1",
        horizon=200,
    )  # fmt: skip
    return _rewarded(spec, -1, -1)


def _flappy_bird() -> Spec:
    spec = standard(
        "flappy_bird_gymnasium:FlappyBird-v0",
        "Fly through as many pairs of pipes as possible.",
        variables=[decision("flap", "whether the wings are flapped", 0, 1, labels=["no", "yes"]),
                   _real("distance", 0, 1, shape=[180])],
        reward="0.1",
        horizon=NO_LIMIT,
    )  # fmt: skip
    return _rewarded(spec, -1, 1)


def _circular_cliff() -> Spec:
    return standard(
        "cliffcircular:CliffCircular-v1",
        "Go round on the safe track.",
        variables=[decision("direction", "where to go, or stay", 0, 4),
                   quantity("around", "what is around", 0, 1, shape=[25])],
        reward="1",
        horizon=NO_LIMIT,
    )  # fmt: skip


def _highway() -> Spec:
    spec = standard(
        "highway_env:highway-fast-v0",
        "Drive fast, to the right, and without a collision.",
        variables=[decision("manoeuvre", "what the driver does", 0, 4,
                            labels=["lane_left", "idle", "lane_right", "faster", "slower"]),
                   _real("vehicles", None, None, shape=[5, 5])],
        reward="0",
        horizon=30,
    )  # fmt: skip
    return _rewarded(spec, 0, 1)


def _lane_keeping() -> Spec:
    return standard(
        "highway_env:lane-keeping-v0",
        "Stay in the middle of the lane.",
        variables=[decision("steering", "steering angle", -1, 1, dtype="real", shape=[1]),
                   _real("motion", None, None, shape=[4])],
        reward="1",
        horizon=200,
    )  # fmt: skip


def _mobile_network() -> Spec:
    spec = standard(
        "mobile_env:mobile-small-central-v0",
        "Serve all users well.",
        variables=[decision("cell", "cell that each user is connected to or left by", 0, 3,
                            shape=[5]),
                   _real("measured", -1, 1, shape=[35])],
        reward="0",
        horizon=100,
    )  # fmt: skip
    return _rewarded(spec, -1, 1)


def _small_grid() -> Spec:
    spec = standard(
        "minigrid:MiniGrid-Empty-5x5-v0",
        "Reach the green square in few steps.",
        variables=[decision("action", "what is done", 0, 6),
                   quantity("direction", "where one looks", 0, 3),
                   quantity("view", "what lies ahead", 0, 255, shape=[7, 7, 3])],
        reward="0",
        horizon=100,
    )  # fmt: skip
    return _rewarded(spec, 0, 1)


def main() -> int:
    """Check those that are installed; 1 if something is found."""
    parser = argparse.ArgumentParser(description="What the checks say of others' environments.")
    parser.add_argument("--only", nargs="+", metavar="WORD", default=[""])
    chosen = parser.parse_args()
    findings = 0
    for spec in specs():
        name = spec.dynamics.gymnasium_id
        package = name.partition(":")[0] if ":" in name else ""
        if not any(word in name for word in chosen.only):
            continue
        if package and importlib.util.find_spec(package) is None:
            print(f"{name}: {package} is not installed", flush=True)
            continue
        with TemporaryDirectory() as folder:
            report, _ = verify(spec, Path(folder), RunSettings())
        findings += len(report.findings)
        print(f"{name}: {len(report.findings)} findings, {len(report.passed)} checks", flush=True)
        for found in report.findings:
            print(f"  {found.check}: {found.message} ({found.expected}; {found.found})", flush=True)
    return int(findings > 0)


if __name__ == "__main__":
    sys.exit(main())
