"""Program: try heuristic.py on some episodes, beside random decisions on the same seeds.

Runs in a sandbox of its own; what it judges runs in the hosts ``environment`` and ``heuristic``.
Reads heuristic_request.json, writes heuristic_result.json with the fields of
``state.heuristic.HeuristicTrial``.
"""

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

from sandbox.programs import requests
from sandbox.programs.asking import Ask, hosts_of_arguments
from sandbox.programs.episodes import Episodes, run_episodes
from sandbox.programs.faults import AnswerInvalid, Fault, ForeignCodeRaised
from sandbox.programs.findings import shorten
from sandbox.programs.policies import Environments, HeuristicPolicy, Observations, RandomPolicy
from sandbox.programs.remote import RemoteEpisodes
from sandbox.programs.requests import HeuristicRequest
from sandbox.programs.subject import describe

# Apart from the seeds of training (below) and of the evaluation (above).
FIRST_TRIAL_SEED = 500_000_000
# Decisions after which it shows whether a decision is far too slow.
FIRST_DECISIONS = 50
LONGEST_FAULT = 500


class HeuristicFault(Exception):
    """Something that the heuristic does wrong, in words for its author."""


def main() -> None:
    """Read the request, try, write the result."""
    request = HeuristicRequest.read(Path(requests.HEURISTIC_REQUEST))
    hosts = hosts_of_arguments()
    result = try_heuristic(request, hosts["environment"], hosts["heuristic"])
    Path(requests.HEURISTIC_RESULT).write_text(json.dumps(result, indent=1, allow_nan=False))


def try_heuristic(
    request: HeuristicRequest, ask_environment: Ask, ask_heuristic: Ask
) -> dict[str, Any]:
    """Try the heuristic; the fields of ``HeuristicTrial``.

    Raises:
        OtherSideEnded: a process in which the code runs ended before its time.
    """
    np.set_printoptions(precision=5, threshold=12)
    environments = RemoteEpisodes(ask_environment)
    one = environments.new()
    shape = one.observation_space.shape
    if shape != (request.observation_size,):
        return {
            "unfit": f"the observation has the shape {shape}, and the specification names "
            f"{request.observation_size} numbers"
        }
    try:
        heuristic = WatchedHeuristic(ask_heuristic, one.action_space, request.milliseconds)
        tried, random = _compare(request, environments, heuristic)
        heuristic.check_speed()
    except HeuristicFault as fault:
        return {"faults": [shorten(str(fault), LONGEST_FAULT)]}
    return {
        "episodes": len(tried.returns),
        "mean_return": float(np.mean(tried.returns)),
        "random_return": float(np.mean(random.returns[: len(tried.returns)])),
        "milliseconds": round(heuristic.milliseconds, 4),
    }


def _compare(
    request: HeuristicRequest, environments: RemoteEpisodes, heuristic: "WatchedHeuristic"
) -> tuple[Episodes, Episodes]:
    """Episodes under the heuristic and under random decisions, on the same seeds."""
    started = time.monotonic()
    seeds = [FIRST_TRIAL_SEED + k for k in range(request.episodes)]
    few, steps = request.least_episodes, request.steps
    half = started + request.seconds / 2
    tried = run_episodes(environments, heuristic, seeds, half, few, few, steps)
    seeds = seeds[: len(tried.returns)]
    random = RandomPolicy(heuristic.space, request.seed)
    return tried, run_episodes(environments, random, seeds, half, len(seeds), most_steps=steps)


class WatchedHeuristic:
    """heuristic.py, asked for several episodes at once and held to its rules."""

    def __init__(self, ask: Ask, space: spaces.Space[Any], milliseconds: float) -> None:
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


if __name__ == "__main__":
    main()
