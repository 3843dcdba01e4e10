"""Reinforcement learning with Stable-Baselines3, one general setting for each algorithm."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3 import DQN, PPO, SAC, TD3
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.noise import OrnsteinUhlenbeckActionNoise

from sandbox.training.keep_best import KeepBest
from sandbox.training.policy import LearnedPolicy
from sandbox.training.vector_environment import SimulatorVecEnv

LONGEST_RANDOM_RUN = 50
"""Steps for which a random action is kept up at most."""
PARALLEL = {"dqn": 4, "ppo": 8, "sac": 1, "td3": 1}
"""Episodes side by side: SAC and TD3 make one gradient step a step."""


class EvaluateAndKeep(BaseCallback):
    """Hands the model to ``KeepBest`` every so many steps."""

    def __init__(self, judge: KeepBest, policy: LearnedPolicy, every: int, folder: Path) -> None:
        super().__init__()
        self.judge, self.policy, self.every, self.folder = judge, policy, every, folder
        self.next_evaluation = 0

    def _on_step(self) -> bool:
        if self.num_timesteps >= self.next_evaluation:
            self.next_evaluation = self.num_timesteps + self.every
            return not self._judge()
        stop_after = self.judge.stop_after
        if stop_after is not None and self.num_timesteps >= stop_after:
            return False
        return not self.judge.out_of_time()

    def _on_training_end(self) -> None:
        if self.judge.stopped_because != "converged":
            self._judge()

    def _judge(self) -> bool:
        def save() -> None:
            self.policy.save(self.folder, type(self.model).__name__.removeprefix("Persistent"))

        self.policy.model = self.model
        return self.judge.consider(self.num_timesteps, self.policy, save)


class PersistentDQN(DQN):
    """DQN whose random actions are often kept up for some steps (epsilon-z-greedy exploration).

    Single random steps cancel out and stay near where they began; runs of them reach rewards far
    away (Dabney, Ostrovski and Barreto, 2021). A share ``exploration_rate`` of all steps is random,
    as in plain DQN. Where no later step counts, runs have length 1.
    """

    longest_run = LONGEST_RANDOM_RUN

    def _setup_model(self) -> None:
        super()._setup_model()
        self.random = np.random.default_rng(self.seed)
        lengths = np.arange(1, 1 + self.longest_run)
        self.run_lengths, self.run_odds = lengths, 1 / lengths**2 / np.sum(1 / lengths**2)
        self.mean_run = float(np.sum(self.run_lengths * self.run_odds))
        self.steps_left = np.zeros(self.n_envs, dtype=int)
        self.kept_action = np.zeros(self.n_envs, dtype=int)

    def _sample_action(
        self, learning_starts: int, action_noise: Any = None, n_envs: int = 1
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        share = 1.0 if self.num_timesteps < learning_starts else self.exploration_rate
        starting = share / (share + (1 - share) * self.mean_run)
        assert self._last_obs is not None
        actions, _ = self.predict(self._last_obs, deterministic=True)
        actions = np.array(actions)
        assert isinstance(self.action_space, spaces.Discrete)
        choices = int(self.action_space.n)
        for k in range(n_envs):
            if self.steps_left[k] == 0 and self.random.random() < starting:
                self.steps_left[k] = self.random.choice(self.run_lengths, p=self.run_odds)
                self.kept_action[k] = self.random.integers(choices)
            if self.steps_left[k] > 0:
                self.steps_left[k] -= 1
                actions[k] = self.kept_action[k]
        return actions, actions


def decaying(first: float, least: float) -> Callable[[float], float]:
    """A learning rate that falls in a line to the share ``least`` of ``first``."""
    return lambda remaining: first * max(remaining, least)


def make_model(
    algorithm: str,
    environments: SimulatorVecEnv,
    *,
    discount: float,
    total_timesteps: int,
    seed: int,
    persistent: bool,
) -> Any:
    """The learner, with settings that suit problems of many kinds.

    Raises:
        ValueError: there is no such algorithm.
    """
    common: dict[str, Any] = {"gamma": discount, "seed": seed, "device": "cpu"}
    fused = {"optimizer_kwargs": {"fused": True}}
    off_policy: dict[str, Any] = {
        "buffer_size": min(total_timesteps, 100_000),
        "learning_starts": min(1000, total_timesteps // 10),
        "batch_size": 128,
        "train_freq": 1,
    }
    if algorithm == "dqn":
        PersistentDQN.longest_run = LONGEST_RANDOM_RUN if persistent and discount > 0 else 1
        return PersistentDQN(
            "MlpPolicy",
            environments,
            learning_rate=decaying(1e-3, 0.1),
            gradient_steps=environments.num_envs // 2,
            target_update_interval=500,
            exploration_fraction=0.2,
            exploration_final_eps=0.05,
            policy_kwargs={"net_arch": [128, 128], **fused},
            **off_policy,
            **common,
        )
    if algorithm == "ppo":
        return PPO(
            "MlpPolicy",
            environments,
            learning_rate=decaying(1e-3, 0.05),
            n_steps=128,
            batch_size=256,
            n_epochs=10,
            gae_lambda=0.95,
            ent_coef=0.0,
            policy_kwargs={"net_arch": [64, 64], **fused},
            **common,
        )
    if algorithm in ("sac", "td3"):
        size = environments.action_space.shape or (1,)
        noise = OrnsteinUhlenbeckActionNoise(np.zeros(size), np.full(size, 0.5))
        return (SAC if algorithm == "sac" else TD3)(
            "MlpPolicy",
            environments,
            learning_rate=1e-3,
            gradient_steps=1,
            action_noise=noise if persistent and discount > 0 else None,
            policy_kwargs={"net_arch": [128, 128], **fused},
            **off_policy,
            **common,
        )
    raise ValueError(f"there is no algorithm {algorithm!r}")
