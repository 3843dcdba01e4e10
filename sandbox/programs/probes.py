"""Simple policies that reward and objective are to rank alike, and what they come to."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from sandbox.programs.asking import Ask
from sandbox.programs.faults import mapping
from sandbox.programs.greedy import OneStepGreedy
from sandbox.programs.policies import ConstantPolicy, Policy, RandomPolicy, all_actions
from sandbox.programs.remote import RemoteEnvironment, RemoteEpisodes
from sandbox.programs.requests import Ranking
from sandbox.programs.subject import describe

EPISODES, MOST_STEPS = 3, 120
MOST_OPTIONS = 12
GREEDY_FUTURES = 2


@dataclass(frozen=True)
class ProbeStep:
    """One step of an episode: its reward, and what reward and objective add up to so far."""

    action: Any
    reward: float
    earned: float
    objective: float
    quantities: dict[str, Any]


@dataclass(frozen=True)
class Probe:
    """A policy with its returns and what they come to in the objective, larger being better.

    ``words`` say what it does where its name does not. ``episode`` is its first one.
    """

    name: str
    returns: tuple[float, ...]
    objectives: tuple[float, ...]
    episode: list[ProbeStep]
    words: str = ""


class Probes:
    """Plays policies in the environments that ``ask`` asks for, all on the same seeds."""

    def __init__(self, ask: Ask, ranking: Ranking, seed: int) -> None:
        self._ask, self._ranking, self._seed = ask, ranking, seed
        environment = RemoteEnvironment(ask)
        self.space: spaces.Space[Any] = environment.action_space
        environment.forget()

    def simple(self) -> list[Probe]:
        """Random, doing nothing, each constant action, one-step greedy.

        Of a large action space the constants are some that lie far apart, and there is no greedy
        policy.
        """
        return [self.play(name, policy) for name, policy in self._policies()]

    def play(self, name: str, policy: Policy, words: str = "") -> Probe:
        """``EPISODES`` episodes under ``policy``, ``MOST_STEPS`` steps of each at most."""
        environment = RemoteEnvironment(self._ask)
        sign = 1.0 if self._ranking.sense == "maximize" else -1.0
        played = [_episode(environment, policy, self._seed + number) for number in range(EPISODES)]
        environment.forget()
        returns = tuple(steps[-1].earned for steps in played)
        objectives = tuple(sign * steps[-1].objective for steps in played)
        return Probe(name, returns, objectives, played[0], words)

    def _policies(self) -> Iterator[tuple[str, Policy]]:
        yield "random decisions", RandomPolicy(self.space, self._seed)
        idle = _action(self._ranking.idle, self.space)
        if idle is not None:
            yield self._ranking.idle_name, ConstantPolicy(idle)
        for action in _constants(self.space):
            if idle is None or not np.array_equal(action, idle):
                yield f"always {describe(action)}", ConstantPolicy(action)
        if _few_actions(self.space):
            episodes = RemoteEpisodes(self._ask)
            greedy = OneStepGreedy(episodes, self.space, self._seed, GREEDY_FUTURES)
            yield "one-step greedy decisions", greedy


def _episode(environment: RemoteEnvironment, policy: Policy, seed: int) -> list[ProbeStep]:
    observation = environment.reset(seed=seed)
    steps: list[ProbeStep] = []
    earned = made = 0.0
    for number in range(MOST_STEPS):
        action = policy.act([environment], np.asarray(observation)[None], number)[0]
        observation, reward, terminated, truncated, info = environment.step(action)
        earned += float(reward)
        made += float(info.get("objective", 0.0))
        quantities = dict(mapping(info.get("quantities", {})))
        steps.append(ProbeStep(action, float(reward), earned, made, quantities))
        if terminated or truncated:
            break
    return steps


def _few_actions(space: spaces.Space[Any]) -> list[Any]:
    """All actions, none if they are many."""
    if isinstance(space, spaces.Discrete) and space.n > MOST_OPTIONS:
        return []
    actions = all_actions(space) or []
    return actions if len(actions) <= MOST_OPTIONS else []


def _constants(space: spaces.Space[Any]) -> list[Any]:
    """All actions where they are few, else some that lie far apart."""
    if few := _few_actions(space):
        return few
    if isinstance(space, spaces.Discrete):
        spread = np.linspace(space.start, space.start + space.n - 1, MOST_OPTIONS)
        return [int(action) for action in spread]
    if isinstance(space, spaces.MultiDiscrete):
        most = space.nvec - 1
        return [part.astype(space.dtype) for part in (0 * most, most // 4, most // 2, most)]
    if isinstance(space, spaces.Box):
        middle = (space.low + space.high) / 2
        return [part.astype(space.dtype) for part in (space.low, middle, space.high)]
    return []


def _action(numbers: list[float], space: spaces.Space[Any]) -> Any:
    """``numbers`` as an action; None where they are none."""
    if isinstance(space, spaces.Discrete):
        action: Any = int(numbers[0]) if len(numbers) == 1 else None
    else:
        action = np.array(numbers, dtype=space.dtype)
    return action if action is not None and space.contains(action) else None
