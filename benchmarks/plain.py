"""Plain Stable-Baselines3 on the same problems: how long until it is good, if ever.

DQN on the two standard problems takes the tuned settings of RL Baselines3 Zoo
(hyperparams/dqn.yml); everything else takes the library's defaults: DQN for one choice, PPO for
several at once, SAC for real numbers. Nothing is scaled and nothing is known of the problem.
"""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.wrappers import FlattenObservation

from benchmarks import generated
from benchmarks.judge import best_on, score_of
from benchmarks.play import episode_returns
from benchmarks.problem import Problem
from benchmarks.training_run import REACHED

SELECTION_SEED = 500_000_000
FEWEST_EPISODES = 20
EVALUATIONS_PER_BUDGET = 40
MOST_STEPS = 10_000_000

ZOO_SETTINGS: dict[str, tuple[int, dict[str, Any]]] = {
    "cart-pole": (50_000, {
        "learning_rate": 2.3e-3, "batch_size": 64, "buffer_size": 100_000,
        "learning_starts": 1000, "gamma": 0.99, "target_update_interval": 10, "train_freq": 256,
        "gradient_steps": 128, "exploration_fraction": 0.16, "exploration_final_eps": 0.04,
        "policy_kwargs": {"net_arch": [256, 256]},
    }),
    "mountain-car": (120_000, {
        "learning_rate": 4e-3, "batch_size": 128, "buffer_size": 10_000,
        "learning_starts": 1000, "gamma": 0.98, "target_update_interval": 600, "train_freq": 16,
        "gradient_steps": 8, "exploration_fraction": 0.2, "exploration_final_eps": 0.07,
        "policy_kwargs": {"net_arch": [256, 256]},
    }),
}  # fmt: skip
"""Steps and settings by problem."""


@dataclass(frozen=True)
class PlainRun:
    """``seconds_to_095`` is None where the score was not reached; evaluations are not counted."""

    problem: str
    seed: int
    method: str
    seconds: float
    seconds_to_095: float | None
    best_score: float


def measure_plain(problem: Problem, seed: int, time_budget: float) -> PlainRun:
    """Train until a score of ``REACHED`` on fixed seeds, or until time or steps run out."""
    import torch

    torch.set_num_threads(1)
    environment, judged = _environment(problem), _environment(problem)
    method, steps, settings = _choice(problem, environment.action_space)
    model = method("MlpPolicy", environment, seed=seed, device="cpu", **settings)
    stop = _stop_when_good(problem, judged, time_budget)
    model.learn(steps, callback=stop)
    return PlainRun(
        problem.name, seed, method.__name__, stop.trained(), stop.reached_after, stop.best
    )


def _environment(problem: Problem) -> Any:
    environment = generated.make(problem.spec())
    space = environment.observation_space
    flat = isinstance(space, spaces.Box) and len(space.shape) == 1
    return environment if flat else FlattenObservation(environment)


def _choice(problem: Problem, space: Any) -> tuple[Any, int, dict[str, Any]]:
    from stable_baselines3 import DQN, PPO, SAC

    if problem.name in ZOO_SETTINGS:
        return DQN, *ZOO_SETTINGS[problem.name]
    if isinstance(space, spaces.Discrete):
        return DQN, MOST_STEPS, {}
    return (SAC if isinstance(space, spaces.Box) else PPO), MOST_STEPS, {}


def _stop_when_good(problem: Problem, environment: Any, time_budget: float) -> Any:
    from stable_baselines3.common.callbacks import BaseCallback

    count = max(FEWEST_EPISODES, problem.episodes // 10)
    seeds = range(SELECTION_SEED, SELECTION_SEED + count)
    best = best_on(problem, seeds)

    class StopWhenGood(BaseCallback):
        """Evaluates every so often; the clock stands still meanwhile."""

        def __init__(self) -> None:
            super().__init__()
            self.started, self.evaluating = time.monotonic(), 0.0
            self.next_evaluation = 0.0
            self.best = -np.inf
            self.reached_after: float | None = None

        def trained(self) -> float:
            """Seconds of training so far."""
            return time.monotonic() - self.started - self.evaluating

        def _on_step(self) -> bool:
            seconds = self.trained()
            if seconds >= self.next_evaluation:
                self.next_evaluation = seconds + time_budget / EVALUATIONS_PER_BUDGET
                self._evaluate(seconds)
            return self.reached_after is None and seconds < time_budget

        def _evaluate(self, seconds: float) -> None:
            begun = time.monotonic()

            def decide(observation: Any, time_step: int) -> Any:
                action = self.model.predict(observation, deterministic=True)[0]
                return action if action.ndim else int(action)

            score = score_of(problem, episode_returns(environment, decide, seeds), best)
            self.best = max(self.best, score)
            if score >= REACHED:
                self.reached_after = seconds
            self.evaluating += time.monotonic() - begun

    return StopWhenGood()
