"""Training that does not give up: attempts side by side, remedies by symptom, the best is kept.

    python -m training.search

Reads training_request.json in the current folder. Each attempt leaves its files in
``attempts/<name>``; those of the best are copied up, and training_result.json tells of all.
"""

import json
import math
import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sandbox.training.attempt import Workshop
from sandbox.training.choices import first_attempts
from sandbox.training.environments import import_file, make_environment
from sandbox.training.equality import differs
from sandbox.training.judge import ConstantPolicy, episode_returns, some_actions
from sandbox.training.policy import POLICY, SETUP, load_policy
from sandbox.training.race import Race
from sandbox.training.request import ATTEMPTS, REQUEST, RESULT, Attempt, Request

KEPT = (POLICY, SETUP, "curve.csv")
COMPARED_EPISODES = 4
COMPARED_STEPS = 400
TIMED_DECISIONS = 100
CONSTANT_EPISODES = 10
FINALISTS = 3
CERTAIN = 2.0
"""Standard errors of the difference that are no chance any more."""
FINAL_SEED = 600_000_000
FINAL_STEPS = 40_000
LEAST_FINAL_EPISODES, MOST_FINAL_EPISODES = 100, 2000


def search(request: Request, folder: Path) -> dict[str, Any]:
    """Make attempts in ``folder``, keep the best one's files there and return the account.

    Raises:
        RuntimeError: no attempt left a policy; it says what the first failure was.
    """
    torch.set_num_threads(1)
    began = time.monotonic()
    request = _with_proved_batch(request, folder)
    batched = request.circumstances.batched
    probe = Attempt("probe", "dqn", 0.99, 1, request.wishes.seed, batched=batched)
    workshop = Workshop(request.problem, folder, probe)
    waiting = first_attempts(
        request.problem,
        workshop.coding,
        request.wishes,
        request.circumstances,
        _seconds_of_an_example(request, workshop),
    )
    race = Race(request, folder, began, waiting, bar=best_constant(workshop))
    race.run()
    if not race.made:
        raise RuntimeError(race.first_failure() or "no attempt left a policy")
    best = winner(race, workshop)
    for name in KEPT:
        shutil.copyfile(folder / ATTEMPTS / race.finished[best].name / name, folder / name)
    total = round(time.monotonic() - began, 3)
    return {**race.made[best], "total_seconds": total, "attempts": race.made}


def _with_proved_batch(request: Request, folder: Path) -> Request:
    """Without the numpy form of the environment, unless it does the same step by step."""
    if not request.circumstances.batched:
        return request
    plain = make_environment(request.problem.gymnasium_id, folder)
    batched = import_file("batched_environment", folder).BatchedEnvironment(COMPARED_EPISODES)
    steps = min(COMPARED_STEPS, 3 * request.problem.horizon)
    difference = differs(plain, batched, steps, request.wishes.seed)
    if not difference:
        return request
    print(f"one episode at a time, for the batched form differs: {difference}", flush=True)
    return replace(request, circumstances=replace(request.circumstances, batched=False))


def _seconds_of_an_example(request: Request, workshop: Workshop) -> float:
    """Time of one decision of the heuristic and the step after it; 0 without a heuristic."""
    if not request.circumstances.heuristic:
        return 0.0
    act = import_file("heuristic", workshop.folder).act
    observations = workshop.measured.observations
    places = np.linspace(0, len(observations) - 1, TIMED_DECISIONS).astype(int)
    began = time.monotonic()
    for place in places:
        act(observations[place].astype(np.float32))
    return (time.monotonic() - began) / TIMED_DECISIONS + workshop.measured.step_seconds


def winner(race: Race, workshop: Workshop) -> int:
    """Place of the best result; the foremost few are judged once more, on seeds new to all.

    Whoever was judged often has had luck at times, so that the best of many looks too good. Value
    iteration in a model that is not exact gives way only to what is better beyond chance.
    """
    order = sorted(range(len(race.made)), key=lambda k: -race.made[k]["best_evaluation"])
    exact = [k for k in order if race.made[k]["stopped_because"] == "exact"]
    if exact or len(order) == 1:
        return (exact or order)[0]
    solved = [k for k in order if race.finished[k].method == "exact"]
    horizon = workshop.problem.horizon
    episodes = max(LEAST_FINAL_EPISODES, min(FINAL_STEPS // horizon, MOST_FINAL_EPISODES))
    simulator = workshop.make(episodes)

    def judged(place: int) -> NDArray[np.float64]:
        folder = workshop.folder / ATTEMPTS / race.finished[place].name
        policy = load_policy(folder, simulator.action_space)
        return episode_returns(policy, simulator, horizon, FINAL_SEED)

    returns = {place: judged(place) for place in {*order[:FINALISTS], *solved}}
    best = max(order[:FINALISTS], key=lambda place: float(returns[place].mean()))
    for place in solved:
        ahead = returns[best] - returns[place]
        if ahead.mean() <= CERTAIN * ahead.std() / math.sqrt(episodes):
            return place
    return best


def best_constant(workshop: Workshop) -> float:
    """Mean return of the best of some constant actions: all of a few, else ends and middle.

    Where the environment breaks under them there is no bar; attempts may still get through, and
    if none does, say what broke.
    """
    simulator = workshop.make(CONSTANT_EPISODES)
    horizon = workshop.problem.horizon
    policies = [ConstantPolicy(action) for action in some_actions(simulator.action_space)]
    try:
        return max(float(episode_returns(p, simulator, horizon).mean()) for p in policies)
    except Exception as error:  # whatever the environment raises
        print(f"a constant action: {type(error).__name__}: {error}", flush=True)
        return -math.inf


def main() -> None:
    """Read the request, search, write the result."""
    folder = Path.cwd()
    result = search(Request.read(folder / REQUEST), folder)
    (folder / RESULT).write_text(json.dumps(result, indent=1))
    kept = result["attempt"]["name"]
    print("kept", kept, "with a mean return of", round(result["best_evaluation"], 4))


if __name__ == "__main__":
    main()
