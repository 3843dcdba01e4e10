"""Program: try heuristic.py on some episodes, beside random decisions on the same seeds.

Runs in the run folder, inside the sandbox. Reads heuristic_request.json, writes
heuristic_result.json with the fields of ``state.heuristic.HeuristicTrial``.
"""

import json
import linecache
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from sandbox.programs import requests
from sandbox.programs.findings import shorten
from sandbox.programs.requests import HeuristicRequest
from sandbox.programs.subject import describe
from sandbox.training.environments import import_file, make_environment

# Apart from the seeds of training (below) and of the evaluation (above).
FIRST_TRIAL_SEED = 500_000_000
# Decisions after which it shows whether a decision is far too slow.
FIRST_DECISIONS = 50
LONGEST_FAULT = 500

Decide = Callable[[Any], Any]


class HeuristicFault(Exception):
    """Something that the heuristic does wrong, in words for its author."""


def main() -> None:
    """Read the request, try, write the result."""
    request = HeuristicRequest.read(Path(requests.HEURISTIC_REQUEST))
    result = try_heuristic(request)
    Path(requests.HEURISTIC_RESULT).write_text(json.dumps(result, indent=1, allow_nan=False))


def try_heuristic(request: HeuristicRequest) -> dict[str, Any]:
    """Try the heuristic of the current folder; the fields of ``HeuristicTrial``."""
    np.set_printoptions(precision=5, threshold=12)
    environment = make_environment(request.gymnasium_id)
    shape = environment.observation_space.shape
    if shape != (request.observation_size,):
        return {
            "unfit": f"the observation has the shape {shape}, and the specification names "
            f"{request.observation_size} numbers"
        }
    try:
        heuristic = WatchedHeuristic(environment, request.milliseconds)
        returns, random_returns = _compare(request, environment, heuristic)
        heuristic.check_speed()
    except HeuristicFault as fault:
        return {"faults": [shorten(str(fault), LONGEST_FAULT)]}
    return {
        "episodes": len(returns),
        "mean_return": float(np.mean(returns)),
        "random_return": float(np.mean(random_returns)),
        "milliseconds": round(heuristic.milliseconds, 4),
    }


def _compare(
    request: HeuristicRequest, environment: gymnasium.Env[Any, Any], heuristic: "WatchedHeuristic"
) -> tuple[list[float], list[float]]:
    """Returns under the heuristic and under random decisions, seed by seed."""
    deadline = time.monotonic() + request.seconds
    space = environment.action_space
    space.seed(request.seed)
    returns: list[float] = []
    random_returns: list[float] = []
    for k in range(request.episodes):
        if k >= request.least_episodes and time.monotonic() > deadline:
            break
        seed = FIRST_TRIAL_SEED + k
        returns.append(_episode(environment, heuristic, seed, request.steps))
        random_returns.append(
            _episode(environment, lambda observation: space.sample(), seed, request.steps)
        )
    return returns, random_returns


def _episode(environment: gymnasium.Env[Any, Any], decide: Decide, seed: int, steps: int) -> float:
    """Undiscounted return of the first ``steps`` steps of an episode."""
    observation, _ = environment.reset(seed=seed)
    total = 0.0
    for _ in range(steps):
        observation, reward, terminated, truncated, _ = environment.step(decide(observation))
        total += float(reward)
        if terminated or truncated:
            break
    return total


class WatchedHeuristic:
    """heuristic.py of the current folder, asked decision by decision and held to its rules."""

    def __init__(self, environment: gymnasium.Env[Any, Any], milliseconds: float) -> None:
        self.space = environment.action_space
        self.allowed = milliseconds
        self.seconds = 0.0
        self.decisions = 0
        try:
            self.module = import_file("heuristic")
        except Exception as error:  # whatever the generated code raises
            raise HeuristicFault(_boiled(error)) from error

    def __call__(self, observation: Any) -> Any:
        """The action; ``HeuristicFault`` where there is none that can be taken."""
        action = self._act(observation)
        if not self.space.contains(action):
            raise HeuristicFault(f"{describe(action)} is no action of {self.space}")
        # Deciding again now and then shows whether something is drawn or remembered.
        if self.decisions % FIRST_DECISIONS == 1:
            again = self._act(observation)
            if not np.array_equal(again, action):
                raise HeuristicFault(
                    f"it decided {describe(action)} and then {describe(again)} for the same "
                    "situation: no randomness, and nothing kept from one decision to the next"
                )
            if self.decisions > FIRST_DECISIONS:
                self.check_speed()
        return action

    def _act(self, observation: Any) -> Any:
        started = time.thread_time()
        try:
            action = self.module.act(observation)
        except Exception as error:  # whatever the generated code raises
            seen = shorten(str(self.module.unpack(observation)), LONGEST_FAULT // 2)
            raise HeuristicFault(f"{_boiled(error)}; seen was {seen}") from error
        self.seconds += time.thread_time() - started
        self.decisions += 1
        return action

    @property
    def milliseconds(self) -> float:
        """Processor time of a decision on average."""
        return 1000 * self.seconds / max(self.decisions, 1)

    def check_speed(self) -> None:
        """Raise ``HeuristicFault`` if a decision takes longer than is allowed."""
        if self.milliseconds > self.allowed:
            raise HeuristicFault(
                f"a decision takes {self.milliseconds:.3g} ms on average, {self.allowed:.3g} ms "
                "are allowed: compare fewer alternatives"
            )


def _boiled(error: Exception) -> str:
    """The kind of ``error``, its words, and the line of heuristic.py that caused it."""
    said = f"{type(error).__name__}: {error}"
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).name == "heuristic.py"
    ]
    if not frames:
        return said
    if frames[-1].name == "pack":
        return f"what heuristic returned is no decision ({said})"
    line = linecache.getline(frames[-1].filename, frames[-1].lineno or 0).strip()
    return f"in {frames[-1].name}, `{line}`: {said}"


if __name__ == "__main__":
    main()
