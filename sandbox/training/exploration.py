"""Deep Q-learning whose random actions are kept up for some steps (epsilon-z-greedy exploration).

Single random steps cancel out and stay near where they began; runs of them reach rewards far away
(Dabney, Ostrovski and Barreto, 2021).
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib import QRDQN
from stable_baselines3 import DQN
from stable_baselines3.common.off_policy_algorithm import OffPolicyAlgorithm

LONGEST_RANDOM_RUN = 50
"""Steps for which a random action is kept up at most."""

if TYPE_CHECKING:

    class _Learner(OffPolicyAlgorithm):
        exploration_rate: float
else:
    _Learner = object


class PersistentExploration(_Learner):
    """A share ``exploration_rate`` of all steps is random, as without it, but in runs.

    With a ``longest_run`` of 1, actions are random one by one. Where they are ``masked``, the last
    features say which are possible, and no other is taken.
    """

    def __init__(
        self,
        *settings: Any,
        longest_run: int = LONGEST_RANDOM_RUN,
        masked: bool = False,
        **named: Any,
    ) -> None:
        self.longest_run, self.masked = longest_run, masked
        super().__init__(*settings, **named)

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
                if self.masked and not self._possible(k, choices)[self.kept_action[k]]:
                    self.kept_action[k] = self._drawn(k, choices)
                actions[k] = self.kept_action[k]
        return actions, actions

    def _drawn(self, place: int, choices: int) -> int:
        return int(self.random.choice(np.flatnonzero(self._possible(place, choices))))

    def _possible(self, place: int, choices: int) -> NDArray[np.bool_]:
        assert isinstance(self._last_obs, np.ndarray)
        return self._last_obs[place, -choices:] > 0


class PersistentDQN(PersistentExploration, DQN):
    """DQN that explores so."""


class PersistentQRDQN(PersistentExploration, QRDQN):
    """QR-DQN, which learns the distribution of returns (Dabney et al., 2018), that explores so."""
