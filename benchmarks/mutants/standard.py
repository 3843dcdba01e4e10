"""Wrong copies of the standard environments that two tasks ask for, and wrong specifications."""

from benchmarks.mutants.edits import Pieces, SpecEdit, constrain, parameter, variable

SOURCE = '''"""The standard environment {id}, as the specification asks for it."""

import gymnasium
import numpy as np


class Environment(gymnasium.Wrapper):
    """{id} behind a wrapper that changes nothing."""

    def __init__(self):
        environment = gymnasium.make("{id}")
        super().__init__(environment)
        inner = environment.unwrapped

    def reset(self, *, seed=None, options=None):
        observation, info = self.env.reset(seed=seed, options=options)
        return observation, info

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward, terminated, truncated, info
'''
"""An environment.py that is the standard environment itself."""


def _one_side_only(spec: Pieces) -> None:
    constrain(spec, "on_the_track", "abs(cart_position) <= max_cart_position")
    constrain(spec, "not_negative", "cart_position >= 0")


def _no_room_at_all(spec: Pieces) -> None:
    constrain(spec, "limits", "max_cart_position < 0")


def _push_apart(spec: Pieces) -> None:
    variable(spec, "push_direction")["labels"].append("none")
    variable(spec, "push_direction")["high"] = 2.0


def _wrong_limit(spec: Pieces) -> None:
    parameter(spec, "max_cart_position")["value"] = 4.2


def _wrong_unit(spec: Pieces) -> None:
    parameter(spec, "max_cart_position")["unit"] = "cm"


def _short(spec: Pieces) -> None:
    spec["model"]["horizon"] = 499


def _minimised(spec: Pieces) -> None:
    spec["objective"] |= {"sense": "minimize", "statement": "As few points as there can be."}


CART_POLE_SPECS: dict[str, SpecEdit] = {
    "a cart on one side only": _one_side_only,
    "a track without length": _no_room_at_all,
    "a third push": _push_apart,
    "a track of 4.2 m": _wrong_limit,
    "a track of 2.4 cm": _wrong_unit,
    "499 pushes": _short,
    "falls as soon as it can": _minimised,
}


def _two_options(spec: Pieces) -> None:
    variable(spec, "driver_action")["labels"].remove("roll")
    variable(spec, "driver_action")["high"] = 1.0


def _reward_of_one(spec: Pieces) -> None:
    spec["sar"]["reward"][0]["expression"] = "-step_reward"


def _reward_declared_upwards(spec: Pieces) -> None:
    spec["sar"] |= {"reward_low": 0.0, "reward_high": 1.0}


def _narrow_range(spec: Pieces) -> None:
    variable(spec, "car_velocity")["high"] = 0.007


def _two_hundred_and_one(spec: Pieces) -> None:
    spec["model"]["horizon"] = 201


def _blind_to_the_speed(spec: Pieces) -> None:
    spec["sar"]["observation"].remove("car_velocity")


MOUNTAIN_CAR_SPECS: dict[str, SpecEdit] = {
    "two options of three": _two_options,
    "earns what it should lose": _reward_of_one,
    "rewards from 0 to 1": _reward_declared_upwards,
    "a tenth of the speed": _narrow_range,
    "201 steps": _two_hundred_and_one,
    "speed not observed": _blind_to_the_speed,
}


def source(gymnasium_id: str) -> str:
    """The text of an environment.py that is the standard environment ``gymnasium_id``."""
    return SOURCE.replace("{id}", gymnasium_id)
