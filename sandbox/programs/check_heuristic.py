"""Program: try heuristic.py on some episodes, beside random decisions on the same seeds.

Reward and objective are to rank it and the other simple policies alike.

Runs in a sandbox of its own; what it judges runs in the hosts ``environment`` and ``heuristic``.
Reads heuristic_request.json, writes heuristic_result.json with the fields of
``state.heuristic.HeuristicTrial``.
"""

import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from sandbox.programs import requests
from sandbox.programs.asking import Ask, hosts_of_arguments
from sandbox.programs.episodes import Episodes, run_episodes
from sandbox.programs.findings import CheckFailed, shorten
from sandbox.programs.policies import RandomPolicy
from sandbox.programs.probe_checks import RULE, ranked_alike, reward_serves_the_objective
from sandbox.programs.probes import Probes
from sandbox.programs.remote import RemoteEpisodes
from sandbox.programs.requests import HeuristicRequest
from sandbox.programs.watched_heuristic import LONGEST_FAULT, HeuristicFault, WatchedHeuristic

# Apart from the seeds of training (below) and of the evaluation (above).
FIRST_TRIAL_SEED = 500_000_000
LONGEST_RULE = 160


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
        findings = _ranked(request, ask_environment, heuristic)
    except HeuristicFault as fault:
        return {"faults": [shorten(str(fault), LONGEST_FAULT)]}
    return {
        "episodes": len(tried.returns),
        "mean_return": float(np.mean(tried.returns)),
        "random_return": float(np.mean(random.returns[: len(tried.returns)])),
        "milliseconds": round(heuristic.milliseconds, 4),
        "findings": findings,
    }


def _compare(
    request: HeuristicRequest, environments: RemoteEpisodes, heuristic: WatchedHeuristic
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


def _ranked(
    request: HeuristicRequest, ask_environment: Ask, heuristic: WatchedHeuristic
) -> list[dict[str, Any]]:
    """What the check of the ladder says once the heuristic is among the policies."""
    if not request.ranking.sense:
        return []
    probes = Probes(ask_environment, request.ranking, request.seed)
    words = shorten(request.rule, LONGEST_RULE)
    try:
        ranked_alike([probes.play(RULE, heuristic, words), *probes.simple()], request.ranking)
    except CheckFailed as failed:
        return [failed.finding(reward_serves_the_objective.__name__).as_json()]
    return []


if __name__ == "__main__":
    main()
