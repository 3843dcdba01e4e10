"""The environment under test, and a random walk through it that all checks look at."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sandbox.programs.asking import Ask
from sandbox.programs.faults import mapping
from sandbox.programs.remote import RemoteEnvironment
from sandbox.programs.requests import CheckRequest


@dataclass(frozen=True)
class Transition:
    """What one step gave, with the number of the step in its episode (from 1)."""

    step: int
    action: Any
    observation: Any
    reward: Any
    terminated: Any
    truncated: Any
    info: dict[str, Any]

    def where(self) -> str:
        """The step and action, for a message."""
        return f"step {self.step} of an episode, action {describe(self.action)}"


class Functions:
    """spec_functions.py, in a process of its own."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def constraints(self, quantities: dict[str, Any]) -> dict[str, Any]:
        """Whether each constraint holds for these quantities."""
        return dict(mapping(self._ask("constraints", quantities=quantities)))

    def reward_terms(self, quantities: dict[str, Any]) -> dict[str, Any]:
        """The terms of the reward by name."""
        return dict(mapping(self._ask("reward_terms", quantities=quantities)))


class Subject:
    """The environment under test and the random steps through it, taken once for all checks.

    ``ask_environment`` and ``ask_functions`` ask the two processes in which generated code runs.
    """

    def __init__(self, request: CheckRequest, ask_environment: Ask, ask_functions: Ask) -> None:
        self.request = request
        self.ask = ask_environment
        self.functions = Functions(ask_functions)

    def make(self) -> RemoteEnvironment:
        """A fresh environment."""
        return RemoteEnvironment(self.ask)

    @cached_property
    def environment(self) -> RemoteEnvironment:
        """One environment for checks that leave it as it was."""
        return self.make()

    @cached_property
    def transitions(self) -> list[Transition]:
        """``random_steps`` steps under random actions, through as many episodes as that takes."""
        return list(random_walk(self.make(), self.request))


def random_walk(environment: RemoteEnvironment, request: CheckRequest) -> Iterator[Transition]:
    """Steps under random actions; an episode that runs past the horizon is broken off."""
    environment.action_space.seed(request.seed)
    deadline = time.monotonic() + request.seconds
    environment.reset(seed=request.seed)
    step = 0
    for _ in range(request.random_steps):
        step += 1
        action = environment.action_space.sample()
        observation, reward, terminated, truncated, info = environment.step(action)
        yield Transition(step, action, observation, reward, terminated, truncated, info)
        if terminated or truncated or step > request.horizon:
            if time.monotonic() > deadline:
                return
            environment.reset()
            step = 0


def describe(value: Any) -> str:
    """A value in a few characters."""
    if isinstance(value, np.ndarray):
        return np.array2string(value, precision=4, threshold=8, separator=", ")
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)


Check = Callable[[Subject], None]
