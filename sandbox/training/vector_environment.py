"""A simulator as Stable-Baselines3 likes it: episodes begin anew, features, coded actions."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

from sandbox.training.actions import ActionCoding
from sandbox.training.curriculum import Curriculum
from sandbox.training.features import Features
from sandbox.training.shaping import Potential
from sandbox.training.simulator import Simulator, Step


class SimulatorVecEnv(VecEnv):
    """Episodes side by side; rewards are shifted and scaled for the learner.

    A ``potential`` is paid for as well, and a ``curriculum`` says where episodes begin.
    """

    def __init__(
        self,
        simulator: Simulator,
        features: Features,
        coding: ActionCoding,
        *,
        seed: int,
        reward_shift: float = 0.0,
        reward_scale: float = 1.0,
        potential: Potential | None = None,
        curriculum: Curriculum | None = None,
    ) -> None:
        space = spaces.Box(-np.inf, np.inf, (features.size,), np.float32)
        super().__init__(simulator.size, space, coding.space)
        self.simulator, self.features, self.coding = simulator, features, coding
        self.first_seed = seed
        self.reward_shift, self.reward_scale = reward_shift, reward_scale
        self.potential, self.curriculum = potential, curriculum
        self.potentials = np.zeros(simulator.size)
        self.time_steps = np.zeros(simulator.size, dtype=np.int64)
        self.waiting: NDArray[Any] = np.zeros(0)
        self.shown: NDArray[np.float32] = np.zeros((simulator.size, features.size), np.float32)

    def reset(self) -> NDArray[np.float32]:
        """Begin all episodes anew."""
        everyone = np.arange(self.num_envs)
        self.shown = self._begun(everyone, self.simulator.reset(self.first_seed))
        return self.shown

    def _begun(self, which: NDArray[np.int64], seen: NDArray[np.float32]) -> NDArray[np.float32]:
        """Features of the episodes ``which``, that have just begun."""
        self.time_steps[which] = 0
        if self.curriculum is not None:
            seen, self.time_steps[which] = self.curriculum.begin(self.simulator, which, seen)
        if self.potential is not None:
            self.potentials[which] = self.potential(seen)
        return self.features(seen, self.time_steps[which])

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keep the actions for ``step_wait``."""
        self.waiting = actions

    def step_wait(
        self,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """One step; ended episodes begin anew, with their last features in the infos."""
        step = self.simulator.step(self.coding.to_own(self.waiting))
        self.time_steps += 1
        seen = self.features(step.observations, self.time_steps)
        truncated = step.truncated
        rewards = (step.rewards - self.reward_shift + self._bonus(step)) / self.reward_scale
        if self.curriculum is not None:
            truncated = truncated | self.curriculum.note(
                step.rewards, step.terminated, step.truncated
            )
        done = step.terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        which = np.flatnonzero(done)
        if len(which):
            for k in which:
                cut = bool(truncated[k] and not step.terminated[k])
                infos[k] = {"terminal_observation": seen[k].copy(), "TimeLimit.truncated": cut}
            seen[which] = self._begun(which, self.simulator.restart(which))
        self.shown = seen
        return seen, rewards.astype(np.float32), done, infos

    def _bonus(self, step: Step) -> NDArray[np.float64]:
        """What is paid for the potential that was gained in a step."""
        if self.potential is None:
            return np.zeros(self.num_envs)
        before, self.potentials = self.potentials, self.potential(step.observations)
        return self.potential.bonus(before, self.potentials, step.terminated)

    def action_masks(self) -> NDArray[np.bool_]:
        """Which options are possible in each episode; all where nothing is said of that."""
        count = self.features.options
        if count:
            return self.shown[:, -count:] > 0
        space = self.action_space
        total = (
            np.sum(space.nvec) if isinstance(space, spaces.MultiDiscrete) else self.coding.choices
        )
        return np.ones((self.num_envs, int(total)), dtype=bool)

    def close(self) -> None:
        """Nothing is held open."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The same attribute for each episode; None where there is none, as for render modes."""
        return [
            getattr(self, attr_name, None) if attr_name != "render_mode" else None
        ] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Attributes belong to the simulator and are not set from outside."""
        raise AttributeError(f"{attr_name} cannot be set")

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Only whether options are possible can be asked of single episodes."""
        if method_name == "action_masks":
            return list(self.action_masks())
        raise AttributeError(f"there is no method {method_name}")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No episode is wrapped."""
        return [False] * self.num_envs

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """The seed of the next ``reset``."""
        if seed is not None:
            self.first_seed = seed
        return [self.first_seed] * self.num_envs
