"""Program: holds environments of environment.py (or a standard one) and steps them when asked.

Arguments: the descriptor to answer on, the id of a standard environment or nothing, and "flat"
for observations as one flat row of numbers.
"""

import copy
import sys
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from sandbox.programs import space_data
from sandbox.programs.asking import Answer, serve
from sandbox.programs.faults import Fault
from sandbox.training.environments import make_environment, make_own_environment
from sandbox.training.simulator import copied_environment

Environment = gymnasium.Env[Any, Any]


class EnvironmentHost:
    """Environments by number, and what can be asked of them."""

    def __init__(self, make: Callable[[], Environment]) -> None:
        self._make = make
        self._held: dict[int, Environment] = {}
        self._next = 0

    def answers(self) -> dict[str, Answer]:
        """What this host answers, by name."""
        return {
            "make": self.make,
            "forget": self.forget,
            "spaces": self.spaces,
            "reset": self.reset,
            "reset_told": self.reset_told,
            "place": self.place,
            "step": self.step,
            "copy": self.copy,
            "begin": self.begin,
            "step_together": self.step_together,
            "look_ahead": self.look_ahead,
            "look_further": self.look_further,
            "standard_checkers": self.standard_checkers,
        }

    def _hold(self, environment: Environment) -> int:
        self._next += 1
        self._held[self._next] = environment
        return self._next

    def make(self) -> int:
        """A new environment."""
        return self._hold(self._make())

    def forget(self, number: int) -> None:
        """Let an environment go."""
        del self._held[number]

    def copy(self, number: int) -> int:
        """A deep copy."""
        return self._hold(copy.deepcopy(self._held[number]))

    def spaces(self, number: int) -> dict[str, Any]:
        """Both spaces; None for one that is not there."""
        environment = self._held[number]
        found = {"action": environment.action_space, "observation": environment.observation_space}
        return {
            name: space_data.as_plain(space) if space else None for name, space in found.items()
        }

    def reset(self, number: int, seed: int | None) -> Any:
        """The first observation."""
        observation, _ = self._held[number].reset(seed=seed)
        return observation

    def reset_told(self, number: int, seed: int | None) -> Any:
        """The first observation, and the named quantities."""
        observation, info = self._held[number].reset(seed=seed)
        return [observation, info.get("quantities", {})]

    def place(self, number: int, values: dict[str, Any]) -> bool:
        """Put values into attributes, each in the kind that it has; False if one is not there."""
        environment = self._held[number].unwrapped
        if not all(hasattr(environment, name) for name in values):
            return False
        for name, value in values.items():
            held = getattr(environment, name)
            array = isinstance(held, np.ndarray)
            setattr(
                environment, name, np.asarray(value, held.dtype) if array else type(held)(value)
            )
        return True

    def step(self, number: int, action: Any) -> Any:
        """All that one step gives, as it is."""
        observation, reward, terminated, truncated, info = self._held[number].step(action)
        told = {
            name: info[name] for name in ("quantities", "reward_terms", "objective") if name in info
        }
        return [observation, reward, terminated, truncated, told]

    def begin(self, seeds: list[int]) -> dict[str, Any]:
        """New environments in place of all others, one for each seed: where they begin."""
        self._held.clear()
        numbers = [self._hold(self._make()) for _ in seeds]
        begun = [self._held[n].reset(seed=seed) for n, seed in zip(numbers, seeds, strict=True)]
        return {
            "numbers": numbers,
            "observations": _stacked([observation for observation, _ in begun]),
            "quantities": [info.get("quantities", {}) for _, info in begun],
        }

    def step_together(
        self, numbers: list[int], actions: NDArray[Any] | list[Any]
    ) -> dict[str, Any]:
        """One step of each: observations (n, d), and a row of n for each thing that is told.

        ``quantities`` holds those of the episodes that ended, in order.
        """
        results = [self._held[n].step(action) for n, action in zip(numbers, actions, strict=True)]
        observations, rewards, terminated, truncated, infos = zip(*results, strict=True)
        ended = [bool(one or other) for one, other in zip(terminated, truncated, strict=True)]
        objectives = [float(info["objective"]) for info in infos if "objective" in info]
        return {
            "observations": _stacked(observations),
            "rewards": np.array([float(reward) for reward in rewards]),
            "ended": np.array(ended),
            "objectives": np.array(objectives) if len(objectives) == len(infos) else None,
            "quantities": [
                info.get("quantities", {}) for info, end in zip(infos, ended, strict=True) if end
            ],
        }

    def look_ahead(self, wanted: list[list[Any]]) -> list[NDArray[np.float64]]:
        """Rewards (m, n) of the next step for m actions in n futures; all stays as it was.

        Each of ``wanted`` is the number of an environment, actions, and a seed for each future.
        """
        return [
            _rewards_ahead(self._held[number], actions, seeds) for number, actions, seeds in wanted
        ]

    def look_further(self, wanted: list[list[Any]]) -> list[NDArray[np.float64]]:
        """Returns (m, n) of m sequences of actions in n futures; all stays as it was.

        Each of ``wanted`` is the number of an environment, sequences, and a seed for each future.
        """
        return [
            np.array([[_return_of(self._held[number], plan, seed) for seed in seeds]
                      for plan in plans])
            for number, plans, seeds in wanted
        ]  # fmt: skip

    def standard_checkers(self) -> list[dict[str, Any]]:
        """What the checkers of Gymnasium and of Stable-Baselines3 say: warnings and a fault."""
        from gymnasium.utils.env_checker import check_env as check_with_gymnasium
        from stable_baselines3.common.env_checker import check_env as check_with_sb3

        checkers: dict[str, Callable[[], None]] = {
            "gymnasium": lambda: check_with_gymnasium(self._make(), skip_render_check=True),
            "stable_baselines3": lambda: check_with_sb3(self._make(), warn=True),
        }
        said = []
        for name, checker in checkers.items():
            fault = None
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                # numpy tells of what is in between, as in where(x > 0, 1 / x, 0), and no checker.
                warnings.simplefilter("ignore", RuntimeWarning)
                try:
                    checker()
                except Exception as error:  # whatever the generated code raises
                    fault = Fault.of(error).as_plain()
            said.append(
                {"checker": name, "warnings": [str(w.message) for w in caught], "fault": fault}
            )
        return said


def _rewards_ahead(
    environment: Environment, actions: NDArray[Any] | list[Any], seeds: list[int]
) -> NDArray[np.float64]:
    futures = [np.random.default_rng(seed) for seed in seeds]
    beginnings = [future.bit_generator.state for future in futures]
    rewards = np.zeros((len(actions), len(seeds)))
    for row, action in enumerate(actions):
        for place, future in enumerate(futures):
            future.bit_generator.state = beginnings[place]
            rewards[row, place] = float(copied_environment(environment, future).step(action)[1])
    return rewards


def _return_of(environment: Environment, plan: Any, seed: int) -> float:
    """Undiscounted, of the actions in ``plan`` until they or the episode end."""
    ahead = copied_environment(environment, np.random.default_rng(seed))
    total = 0.0
    for action in plan:
        _, reward, terminated, truncated, _ = ahead.step(action)
        total += float(reward)
        if terminated or truncated:
            break
    return total


def _stacked(observations: Any) -> NDArray[Any]:
    return np.stack([np.asarray(observation) for observation in observations])


def main() -> None:
    """Answer until nobody asks any more."""
    gymnasium_id, flat = sys.argv[2], "flat" in sys.argv[3:]
    make = make_environment if flat else make_own_environment
    serve(EnvironmentHost(lambda: make(gymnasium_id)).answers())


if __name__ == "__main__":
    main()
