"""heuristic.py, held to its rules while it decides."""

import math
from typing import Any

import numpy as np
from gymnasium import spaces

from sandbox.programs.asking import Ask
from sandbox.programs.faults import AnswerInvalid, Fault, ForeignCodeRaised
from sandbox.programs.findings import shorten
from sandbox.programs.policies import Environments, HeuristicPolicy, Observations
from sandbox.programs.subject import describe

# Decisions after which it shows whether a decision is far too slow.
FIRST_DECISIONS = 50
LONGEST_FAULT = 500


class HeuristicFault(Exception):
    """Something that the heuristic does wrong, in words for its author."""


class WatchedHeuristic:
    """heuristic.py, asked for several episodes at once and held to its rules.

    ``milliseconds`` of processor time may a decision take on average. Methods, and this one, raise
    ``HeuristicFault``.
    """

    def __init__(self, ask: Ask, space: spaces.Space[Any], milliseconds: float = math.inf) -> None:
        self.space = space
        self.allowed = milliseconds
        self.decisions = 0
        self._ask = ask
        self._policy = HeuristicPolicy(ask)
        self._checked = 0
        try:
            ask("load")
        except ForeignCodeRaised as error:
            raise HeuristicFault(_boiled(error.fault)) from error

    def act(
        self, environments: Environments, observations: Observations, time_step: int
    ) -> list[Any]:
        """The actions; ``HeuristicFault`` where there is one that cannot be taken."""
        actions = self._decide(observations)
        for action in actions:
            if not self.space.contains(action):
                raise HeuristicFault(f"{describe(action)} is no action of {self.space}")
        # Deciding again now and then shows whether something is drawn or remembered.
        if self.decisions >= self._checked:
            self._decide_again(observations, actions)
            self._checked = self.decisions + FIRST_DECISIONS
        return actions

    def _decide_again(self, observations: Observations, actions: list[Any]) -> None:
        for first, second in zip(actions, self._decide(observations), strict=True):
            if not np.array_equal(second, first):
                raise HeuristicFault(
                    f"it decided {describe(first)} and then {describe(second)} for the same "
                    "situation: no randomness, and nothing kept from one decision to the next"
                )
        if self.decisions > FIRST_DECISIONS:
            self.check_speed()

    def _decide(self, observations: Observations) -> list[Any]:
        try:
            actions = self._policy.act([], observations, 0)
        except ForeignCodeRaised as error:
            raise HeuristicFault(self._said_with_situation(error.fault, observations)) from error
        except AnswerInvalid as error:
            raise HeuristicFault(str(error)) from error
        self.decisions += len(observations)
        return actions

    def _said_with_situation(self, fault: Fault, observations: Observations) -> str:
        """The fault, and what was seen by the first decision that raises something."""
        for observation in observations:
            try:
                self._policy.act([], observation[None], 0)
            except ForeignCodeRaised as error:
                seen = str(self._ask("unpacked", observation=observation))
                return f"{_boiled(error.fault)}; seen was {shorten(seen, LONGEST_FAULT // 2)}"
        return _boiled(fault)

    @property
    def milliseconds(self) -> float:
        """Processor time of a decision on average."""
        return 1000 * self._policy.seconds / max(self.decisions, 1)

    def check_speed(self) -> None:
        """Raise ``HeuristicFault`` if a decision takes longer than is allowed."""
        if self.milliseconds > self.allowed:
            raise HeuristicFault(
                f"a decision takes {self.milliseconds:.3g} ms on average, {self.allowed:.3g} ms "
                "are allowed: compare fewer alternatives"
            )


def _boiled(fault: Fault) -> str:
    """The kind of an exception, its words, and the line of heuristic.py that caused it."""
    lines = [line for line in fault.lines if line.file == "heuristic.py"]
    if not lines:
        return fault.said
    if lines[-1].function == "pack":
        return f"what heuristic returned is no decision ({fault.said})"
    return f"in {lines[-1].function}, `{lines[-1].text}`: {fault.said}"
