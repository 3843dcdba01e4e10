"""Reinforcement learning with Stable-Baselines3, one general setting for each algorithm."""

import copy
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO, SAC, TD3
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.noise import OrnsteinUhlenbeckActionNoise

from sandbox.training.checkpoint import Checkpoint
from sandbox.training.exploration import LONGEST_RANDOM_RUN, PersistentDQN, PersistentQRDQN
from sandbox.training.keep_best import KeepBest
from sandbox.training.masked_values import MASKED_POLICIES
from sandbox.training.numeric_choices import numbers_of
from sandbox.training.policy import LearnedPolicy
from sandbox.training.vector_environment import SimulatorVecEnv

QUANTILES = 25
"""By which QR-DQN describes a distribution of returns."""


class EvaluateAndKeep(BaseCallback):
    """Hands the model to ``KeepBest`` every so many steps, and writes checkpoints."""

    def __init__(
        self,
        judge: KeepBest,
        policy: LearnedPolicy,
        every: int,
        folder: Path,
        checkpoint: Checkpoint,
    ) -> None:
        super().__init__()
        self.judge, self.policy, self.every, self.folder = judge, policy, every, folder
        self.checkpoint = checkpoint
        self.next_evaluation = 0
        self.noise: Any = None

    def recall(self, begun: dict[str, Any]) -> None:
        """Go on with the training of which this is the checkpoint."""
        self.judge.recall(begun["judge"])
        self.next_evaluation = begun["next_evaluation"]
        # The library begins its noise anew in each call of ``learn``.
        self.noise = copy.deepcopy(begun["model"].__dict__.get("action_noise"))

    def _on_training_start(self) -> None:
        if self.noise is not None:
            self.model.action_noise = self.noise

    def _on_rollout_start(self) -> None:
        # Only here is nothing of the model half done.
        if self.checkpoint.due():
            self.checkpoint.write(
                {
                    "model": self.model,
                    "judge": self.judge.memory(),
                    "next_evaluation": self.next_evaluation,
                }
            )

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

        if not is_finite(self.model.policy):
            self.judge.diverged = True
            return True
        self.policy.model = self.model
        self.judge.records.scalars(self.model.logger.name_to_value, self.num_timesteps)
        return self.judge.consider(self.num_timesteps, self.policy, save)


def is_finite(network: torch.nn.Module) -> bool:
    """Whether all numbers of a network are some."""
    return all(bool(torch.isfinite(numbers).all()) for numbers in network.parameters())


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
    masked: bool = False,
    settings: Mapping[str, float] | None = None,
) -> Any:
    """The learner, with settings that suit problems of many kinds or else those given.

    ``masked`` says that the last features tell which options are possible.

    Raises:
        ValueError: there is no such algorithm, or it has no such setting.
    """
    numbers = numbers_of(algorithm, settings or {})
    common: dict[str, Any] = {"gamma": discount, "seed": seed, "device": "cpu"}
    adam = {"optimizer_class": torch.optim.Adam, "optimizer_kwargs": {"fused": True}}
    common["policy_kwargs"] = {"net_arch": [numbers.width] * 2, **adam}
    off_policy: dict[str, Any] = {
        "buffer_size": min(total_timesteps, 100_000),
        "learning_starts": min(1000, total_timesteps // 10),
        "batch_size": 128,
        "train_freq": 1,
    }
    exploring = persistent and discount > 0
    if algorithm in ("dqn", "qr-dqn"):
        if algorithm == "qr-dqn":
            common["policy_kwargs"]["n_quantiles"] = QUANTILES
        return (PersistentDQN if algorithm == "dqn" else PersistentQRDQN)(
            MASKED_POLICIES[algorithm] if masked else "MlpPolicy",
            environments,
            masked=masked,
            longest_run=LONGEST_RANDOM_RUN if exploring else 1,
            learning_rate=decaying(numbers.learning_rate, 0.1),
            gradient_steps=environments.num_envs // 2,
            target_update_interval=500,
            exploration_fraction=numbers.exploration,
            exploration_final_eps=0.05,
            **off_policy,
            **common,
        )
    if algorithm in ("ppo", "maskable-ppo"):
        return (PPO if algorithm == "ppo" else MaskablePPO)(
            "MlpPolicy",
            environments,
            learning_rate=decaying(numbers.learning_rate, 0.05),
            n_steps=128,
            batch_size=256,
            n_epochs=10,
            gae_lambda=0.95,
            ent_coef=numbers.exploration,
            **common,
        )
    size = environments.action_space.shape or (1,)
    noise = OrnsteinUhlenbeckActionNoise(np.zeros(size), np.full(size, numbers.exploration))
    return (SAC if algorithm == "sac" else TD3)(
        "MlpPolicy",
        environments,
        learning_rate=numbers.learning_rate,
        gradient_steps=1,
        action_noise=noise if exploring else None,
        **off_policy,
        **common,
    )
