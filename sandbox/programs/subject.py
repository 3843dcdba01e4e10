"""The environment under test, and a random walk through it that all checks look at."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from sandbox.programs.asking import Ask
from sandbox.programs.faults import mapping
from sandbox.programs.placed_states import placed_beginnings
from sandbox.programs.remote import RemoteEnvironment
from sandbox.programs.requests import CheckRequest
from sandbox.programs.spec_rules import Quantities, SpecFunctions

BEGINNINGS = 300
PLACED_STEPS = 400


@dataclass(frozen=True)
class Transition:
    """What one step gave, with the number of the step in its episode (from 1).

    ``before`` holds the named quantities as the last step, or the reset, left them.
    """

    step: int
    action: Any
    observation: Any
    reward: Any
    terminated: Any
    truncated: Any
    info: dict[str, Any]
    before: Quantities = field(default_factory=dict)
    placed: bool = False

    @property
    def quantities(self) -> Quantities:
        """The named quantities of the step."""
        return dict(mapping(self.info.get("quantities", {})))

    def asked(self) -> Quantities:
        """The step as the rules are asked about it."""
        return {"now": self.quantities, "before": self.before, "action": self.action}

    def where(self) -> str:
        """The step and action, for a message."""
        begun = " from a state put there" if self.placed else ""
        return f"step {self.step} of an episode{begun}, action {describe(self.action)}"


class Subject:
    """The environment under test and the random steps through it, taken once for all checks.

    ``ask_environment`` and ``ask_functions`` ask the two processes in which generated code runs,
    ``ask_standard`` one that holds a standard environment to compare with, if there is any,
    ``ask_second_reading`` and ``ask_heuristic`` those of second_reading.py and heuristic.py.
    """

    def __init__(
        self,
        request: CheckRequest,
        ask_environment: Ask,
        ask_functions: Ask,
        ask_standard: Ask | None = None,
        ask_second_reading: Ask | None = None,
        ask_heuristic: Ask | None = None,
    ) -> None:
        self.request = request
        self.ask = ask_environment
        self.ask_standard = ask_standard
        self.ask_second_reading = ask_second_reading
        self.ask_heuristic = ask_heuristic
        self.functions = SpecFunctions(ask_functions)

    def make(self) -> RemoteEnvironment:
        """A fresh environment."""
        return RemoteEnvironment(self.ask)

    def make_standard(self) -> RemoteEnvironment:
        """The standard environment that environment.py is said to be."""
        assert self.ask_standard is not None
        return RemoteEnvironment(self.ask_standard)

    @cached_property
    def environment(self) -> RemoteEnvironment:
        """One environment for checks that leave it as it was."""
        return self.make()

    @cached_property
    def transitions(self) -> list[Transition]:
        """``random_steps`` steps under random actions, through as many episodes as that takes."""
        return list(random_walk(self.make(), self.request))

    @cached_property
    def placed(self) -> list[Transition]:
        """Steps from states that were put there, in which rare things happen."""
        environment = self.make()
        environment.action_space.seed(self.request.seed)
        begun = placed_beginnings(environment, self.request, self.functions, PLACED_STEPS)
        found = []
        for before in begun:
            action = environment.action_space.sample()
            found.append(Transition(1, action, *environment.step(action), before, placed=True))
        return found

    @property
    def all_transitions(self) -> list[Transition]:
        """Random and placed steps."""
        return [*self.transitions, *self.placed]

    @cached_property
    def constraints(self) -> list[Quantities]:
        """Constraints by the spec, of all transitions in their order."""
        return self.functions.constraints_of([step.quantities for step in self.all_transitions])

    @cached_property
    def reward_terms(self) -> list[Quantities]:
        """Reward terms by the spec, of all transitions in their order."""
        return self.functions.terms_of([step.quantities for step in self.all_transitions])

    @cached_property
    def stepped(self) -> list[Quantities]:
        """What the rules make of all transitions, in their order."""
        return self.functions.stepped([step.asked() for step in self.all_transitions])

    @cached_property
    def beginnings(self) -> list[tuple[Any, Quantities]]:
        """Observation and named quantities after each of ``BEGINNINGS`` resets."""
        environment = self.make()
        seeds = [self.request.seed, *[None] * (BEGINNINGS - 1)]
        return [environment.begin(seed) for seed in seeds]


def random_walk(environment: RemoteEnvironment, request: CheckRequest) -> Iterator[Transition]:
    """Steps under random actions; an episode that runs past the horizon is broken off."""
    environment.action_space.seed(request.seed)
    deadline = time.monotonic() + request.seconds
    _, before = environment.begin(request.seed)
    step = 0
    for _ in range(request.random_steps):
        step += 1
        action = environment.action_space.sample()
        observation, reward, terminated, truncated, info = environment.step(action)
        yield Transition(step, action, observation, reward, terminated, truncated, info, before)
        before = dict(mapping(info.get("quantities", {})))
        if terminated or truncated or step > request.horizon:
            if time.monotonic() > deadline:
                return
            _, before = environment.begin()
            step = 0


def describe(value: Any) -> str:
    """A value in a few characters."""
    if isinstance(value, np.ndarray):
        return np.array2string(value, precision=4, threshold=8, separator=", ")
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)


Check = Callable[[Subject], None]
