"""Program: compare the trained policy with simple ones on common, fresh seeds.

Runs in a sandbox of its own; what it judges runs in the hosts ``environment``, ``policy`` and
``heuristic``. Reads evaluate_request.json, writes evaluate_result.json with the fields of
``state.training.Evaluation``, and evaluation_episodes.json with each episode of the trained policy.
"""

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gymnasium import spaces

from sandbox.programs import requests
from sandbox.programs.asking import Ask, hosts_of_arguments
from sandbox.programs.bootstrap import mean_interval
from sandbox.programs.episodes import SIDE_BY_SIDE, Episodes, run_episodes
from sandbox.programs.faults import AnswerInvalid, ForeignCodeRaised
from sandbox.programs.findings import shorten
from sandbox.programs.greedy import OneStepGreedy, samples_needed
from sandbox.programs.policies import (
    ConstantPolicy,
    HeuristicPolicy,
    Policy,
    RandomPolicy,
    TrainedPolicy,
    all_actions,
)
from sandbox.programs.remote import RemoteEpisodes
from sandbox.programs.requests import EvaluateRequest
from sandbox.programs.shooting import DEPTH, PLANS, Shooting
from sandbox.programs.wire import OtherSideEnded

# train.py seeds its environments below this number, so no seed here was met in training.
FIRST_EVALUATION_SEED = 1_000_000_000
# Seeds on which the best constant action is chosen, apart from those on which it is judged.
FIRST_SELECTION_SEED = 1_500_000_000
SHOOTING_SHARE = 0.1
"""Of the time for everything, beside that, for planning without learning."""


def main() -> None:
    """Read the request, evaluate, write the result."""
    request = EvaluateRequest.read(Path(requests.EVALUATE_REQUEST))
    result, episodes = evaluate(request, hosts_of_arguments())
    Path(requests.EVALUATION_EPISODES).write_text(episodes)
    Path(requests.EVALUATE_RESULT).write_text(json.dumps(result, indent=1, allow_nan=False))


def evaluate(request: EvaluateRequest, hosts: Mapping[str, Ask]) -> tuple[dict[str, Any], str]:
    """The trained policy and its comparisons, and the trained policy's episodes as JSON.

    Raises:
        AnswerInvalid: what a host answers is not what was asked for.
        ForeignCodeRaised, OtherSideEnded: see ``Ask``.
    """
    started = time.monotonic()
    first = FIRST_EVALUATION_SEED + request.seed % 1000 * 100_000
    seeds = list(range(first, first + request.episodes))
    environments = RemoteEpisodes(hosts["environment"])
    space = environments.new().action_space
    quick_deadline = started + request.seconds * 0.4

    def episodes_of(policy: Policy) -> Episodes:
        return run_episodes(environments, policy, seeds, quick_deadline, request.least_episodes)

    trained = episodes_of(TrainedPolicy(hosts["policy"], space))
    random = episodes_of(RandomPolicy(space, request.seed))
    others = {"random": random}
    notes: list[str] = []
    if request.heuristic:
        try:
            others["heuristic"] = episodes_of(HeuristicPolicy(hosts["heuristic"]))
        except (ForeignCodeRaised, AnswerInvalid, OtherSideEnded) as error:
            said = shorten(str(error), 200)
            notes.append(f"The heuristic was left out, for it broke off ({said}).")
    constant = _best_constant(environments, space, request.least_episodes, quick_deadline)
    if constant is not None:
        others["constant"] = episodes_of(ConstantPolicy(constant))
        notes.append(f"The best constant action is {_as_text(constant)}.")
    try:
        samples = samples_needed(environments, request.seed)
    except (ForeignCodeRaised, AnswerInvalid) as error:
        said = shorten(str(error), 200)
        notes.append(f"The one-step-greedy policy was left out: no looking ahead ({said}).")
    else:
        greedy = OneStepGreedy(environments, space, request.seed, samples)
        deadline = started + request.seconds
        others["greedy"] = _in_growing_batches(environments, greedy, seeds, deadline)
        notes += _greedy_notes(len(others["greedy"].returns), len(seeds), samples)
        if request.consequences:
            shooting = Shooting(environments, space, request.seed, samples)
            deadline = time.monotonic() + request.seconds * SHOOTING_SHARE
            others["planner"] = _in_growing_batches(environments, shooting, seeds, deadline)
            notes.append(_planner_note(len(others["planner"].returns), len(seeds), samples))
    notes += _warnings(trained, others)
    common = min(len(trained.returns), len(random.returns))
    differences = [trained.returns[k] - random.returns[k] for k in range(common)]
    result = {
        "trained": _estimate("trained", trained),
        "baselines": [_estimate(name, episodes) for name, episodes in others.items()],
        "better_than_random": mean_interval(differences)[1] > 0,
        "seconds": round(time.monotonic() - started, 3),
        "notes": notes,
    }
    return result, trained.to_json(seeds)


def _best_constant(
    environments: RemoteEpisodes, space: spaces.Space[Any], episodes: int, deadline: float
) -> Any:
    actions = all_actions(space)
    if actions is None:
        return None
    seeds = [FIRST_SELECTION_SEED + k for k in range(episodes)]
    best, best_return = None, -float("inf")
    for action in actions:
        if best is not None and time.monotonic() > deadline:
            break
        done = run_episodes(environments, ConstantPolicy(action), seeds, deadline, len(seeds))
        mean = sum(done.returns) / len(done.returns)
        if mean > best_return:
            best, best_return = action, mean
    return best


def _greedy_notes(ran: int, of: int, samples: int) -> list[str]:
    if ran == of:
        return []
    return [
        f"The one-step-greedy policy ran {ran} of {of} episodes, "
        f"for it is slow; each action was tried on {samples} copies."
    ]


def _planner_note(ran: int, of: int, samples: int) -> str:
    return (
        f"The planner ran {ran} of {of} episodes; in each step it tried "
        f"{PLANS} sequences of {DEPTH} actions on {samples} copies each."
    )


def _in_growing_batches(
    environments: RemoteEpisodes, policy: Policy, seeds: list[int], deadline: float
) -> Episodes:
    """One episode, then as many side by side as about a quarter of the time that is left allows."""
    done, side_by_side = Episodes(), 1
    while len(done.returns) < len(seeds) and (not done.returns or time.monotonic() < deadline):
        started = time.monotonic()
        left = seeds[len(done.returns) :][:side_by_side]
        done.add(run_episodes(environments, policy, left, deadline, len(left), len(left)))
        seconds = (time.monotonic() - started) / len(left)
        affordable = (deadline - time.monotonic()) / 4 / max(seconds, 1e-6)
        side_by_side = max(1, min(SIDE_BY_SIDE, int(affordable)))
    return done


def _warnings(trained: Episodes, others: dict[str, Episodes]) -> list[str]:
    """A sentence for each simple policy that does at least as well on the same seeds."""
    words = {
        "constant": "always deciding the same",
        "greedy": "looking one step ahead",
        "planner": "planning without learning",
        "heuristic": "deciding by the heuristic",
    }
    found = []
    for name, episodes in others.items():
        common = min(len(trained.returns), len(episodes.returns))
        if name in words and sum(episodes.returns[:common]) > sum(trained.returns[:common]):
            found.append(f"On the {common} seeds that both met, {words[name]} does better.")
    return found


def _estimate(policy: str, episodes: Episodes) -> dict[str, Any]:
    mean, low, high = mean_interval(episodes.returns)
    count = len(episodes.returns)
    objective = sum(episodes.objectives) / count if episodes.objectives else None
    return {
        "policy": policy,
        "mean": mean,
        "low": low,
        "high": high,
        "episodes": count,
        "mean_length": sum(episodes.lengths) / count,
        "objective": objective,
    }


def _as_text(action: Any) -> str:
    return str(action.tolist() if hasattr(action, "tolist") else action)


if __name__ == "__main__":
    main()
