"""A check that reward and objective rank simple policies alike."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from gymnasium import spaces

from sandbox.programs.findings import CheckFailed
from sandbox.programs.remote import Ahead, RemoteEnvironment, RemoteEpisodes
from sandbox.programs.subject import Subject, describe

EPISODES, MOST_STEPS = 3, 120
MOST_OPTIONS = 12
GREEDY_FUTURES = 2
CLEAR = 0.05
"""Share of the whole spread between the policies by which two must differ to be told apart."""

Decide = Callable[[RemoteEnvironment], Any]


@dataclass(frozen=True)
class _Probe:
    """A policy with its returns and what they come to in the objective, larger being better."""

    name: str
    returns: tuple[float, ...]
    objectives: tuple[float, ...]


def reward_serves_the_objective(subject: Subject) -> None:
    """No simple policy earns more than another while it serves the objective less.

    The policies are random, one-step greedy, and each constant action (the corners of a large
    action space); all meet the same seeds.
    """
    if not subject.request.sense or "objective" not in subject.transitions[0].info:
        return
    probes = [_played(subject, name, decide) for name, decide in _policies(subject)]
    returns = _spread([value for probe in probes for value in probe.returns])
    objectives = _spread([value for probe in probes for value in probe.objectives])
    for one in probes:
        for other in probes:
            earns = _clearly(one.returns, other.returns, returns)
            if earns and _clearly(other.objectives, one.objectives, objectives):
                measure = "more" if subject.request.sense == "maximize" else "less"
                raise CheckFailed(
                    "sar",
                    f"the reward prefers {one.name} to {other.name}, the objective the other way",
                    place="reward",
                    expected=f"more reward for what makes {measure} of the objective",
                    found=f"{_told(one, subject)}; {_told(other, subject)}, over episodes of at "
                    f"most {MOST_STEPS} steps",
                )


def _told(probe: _Probe, subject: Subject) -> str:
    sign = 1 if subject.request.sense == "maximize" else -1
    earned, made = np.mean(probe.returns), sign * np.mean(probe.objectives)
    return f"{probe.name} earns {earned:.6g} with an objective of {made:.6g}"


def _spread(values: list[float]) -> float:
    return max(values) - min(values)


def _clearly(larger: tuple[float, ...], smaller: tuple[float, ...], spread: float) -> bool:
    """Whether the one is above the other on every seed, and by more than a trifle."""
    differences = np.subtract(larger, smaller)
    return bool(np.all(differences > CLEAR * spread)) and spread > 0


def _policies(subject: Subject) -> Iterator[tuple[str, Decide]]:
    space = subject.environment.action_space
    yield "random decisions", lambda environment: space.sample()
    for action in _constants(space):
        yield f"always {describe(action)}", partial(_keep_to, action)
    if isinstance(space, spaces.Discrete) and space.n <= MOST_OPTIONS:
        actions = [int(space.start) + k for k in range(int(space.n))]
        episodes, random = RemoteEpisodes(subject.ask), np.random.default_rng(subject.request.seed)

        def greedy(environment: RemoteEnvironment) -> Any:
            seeds = random.integers(2**31, size=GREEDY_FUTURES).tolist()
            rewards = episodes.look_ahead([Ahead(environment.number, actions, seeds)])[0]
            return actions[int(np.argmax(rewards.mean(axis=1)))]

        yield "one-step greedy decisions", greedy


def _keep_to(action: Any, environment: RemoteEnvironment) -> Any:
    return action


def _constants(space: Any) -> list[Any]:
    if isinstance(space, spaces.Discrete):
        return [int(space.start) + k for k in range(min(int(space.n), MOST_OPTIONS))]
    if isinstance(space, spaces.MultiDiscrete):
        most = space.nvec - 1
        return [part.astype(space.dtype) for part in (0 * most, most // 4, most // 2, most)]
    if isinstance(space, spaces.Box):
        middle = (space.low + space.high) / 2
        return [part.astype(space.dtype) for part in (space.low, middle, space.high)]
    return []


def _played(subject: Subject, name: str, decide: Decide) -> _Probe:
    environment, request = subject.make(), subject.request
    environment.action_space.seed(request.seed)
    sign = 1.0 if request.sense == "maximize" else -1.0
    returns, objectives = [], []
    for seed in range(EPISODES):
        environment.reset(seed=request.seed + seed)
        earned = made = 0.0
        for _ in range(MOST_STEPS):
            _, reward, terminated, truncated, info = environment.step(decide(environment))
            earned += float(reward)
            made += sign * float(info.get("objective", 0.0))
            if terminated or truncated:
                break
        returns.append(earned)
        objectives.append(made)
    environment.forget()
    return _Probe(name, tuple(returns), tuple(objectives))
