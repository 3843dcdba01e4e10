"""Program: compare the trained policy with simple ones on common, fresh seeds.

Runs in the run folder, inside the sandbox. Reads evaluate_request.json, writes
evaluate_result.json with the fields of ``state.training.Evaluation``, and
evaluation_episodes.json with each episode of the trained policy.
"""

import json
import time
from pathlib import Path
from typing import Any

from sandbox.programs import requests
from sandbox.programs.bootstrap import mean_interval
from sandbox.programs.episodes import Episodes, run_episodes
from sandbox.programs.findings import shorten
from sandbox.programs.greedy import OneStepGreedy, samples_needed
from sandbox.programs.policies import (
    ConstantPolicy,
    HeuristicPolicy,
    RandomPolicy,
    TrainedPolicy,
    all_actions,
)
from sandbox.programs.requests import EvaluateRequest
from sandbox.training.environments import make_environment

# train.py seeds its environments below this number, so no seed here was met in training.
FIRST_EVALUATION_SEED = 1_000_000_000
# Seeds on which the best constant action is chosen, apart from those on which it is judged.
FIRST_SELECTION_SEED = 1_500_000_000


def main() -> None:
    """Read the request, evaluate, write the result."""
    request = EvaluateRequest.read(Path(requests.EVALUATE_REQUEST))
    result = evaluate(request)
    Path(requests.EVALUATE_RESULT).write_text(json.dumps(result, indent=1, allow_nan=False))


def evaluate(request: EvaluateRequest) -> dict[str, Any]:
    """Evaluate the trained policy and its comparisons in the current folder."""
    started = time.monotonic()
    first = FIRST_EVALUATION_SEED + request.seed % 1000 * 100_000
    seeds = list(range(first, first + request.episodes))
    space = make_environment(request.gymnasium_id).action_space
    quick_deadline = started + request.seconds * 0.4

    def episodes_of(policy: Any) -> Episodes:
        return run_episodes(
            request.gymnasium_id, policy, seeds, quick_deadline, request.least_episodes
        )

    trained = episodes_of(TrainedPolicy(Path(), space))
    Path(requests.EVALUATION_EPISODES).write_text(trained.to_json(seeds))
    random = episodes_of(RandomPolicy(space, request.seed))
    others = {"random": random}
    notes: list[str] = []
    if request.heuristic:
        try:
            others["heuristic"] = episodes_of(HeuristicPolicy())
        except Exception as error:  # whatever the generated rule raises
            said = shorten(f"{type(error).__name__}: {error}", 200)
            notes.append(f"The heuristic was left out, for it broke off ({said}).")
    constant = _best_constant(request, quick_deadline)
    if constant is not None:
        others["constant"] = episodes_of(ConstantPolicy(constant))
        notes.append(f"The best constant action is {_as_text(constant)}.")
    greedy = _greedy(request, seeds, started + request.seconds, notes)
    if greedy is not None:
        others["greedy"] = greedy
    notes += _warnings(trained, others)
    common = min(len(trained.returns), len(random.returns))
    differences = [trained.returns[k] - random.returns[k] for k in range(common)]
    return {
        "trained": _estimate("trained", trained),
        "baselines": [_estimate(name, episodes) for name, episodes in others.items()],
        "better_than_random": mean_interval(differences)[1] > 0,
        "seconds": round(time.monotonic() - started, 3),
        "notes": notes,
    }


def _best_constant(request: EvaluateRequest, deadline: float) -> Any:
    actions = all_actions(make_environment(request.gymnasium_id).action_space)
    if actions is None:
        return None
    seeds = [FIRST_SELECTION_SEED + k for k in range(request.least_episodes)]
    best, best_return = None, -float("inf")
    for action in actions:
        if best is not None and time.monotonic() > deadline:
            break
        done = run_episodes(
            request.gymnasium_id, ConstantPolicy(action), seeds, deadline, len(seeds)
        )
        mean = sum(done.returns) / len(done.returns)
        if mean > best_return:
            best, best_return = action, mean
    return best


def _greedy(
    request: EvaluateRequest, seeds: list[int], deadline: float, notes: list[str]
) -> Episodes | None:
    try:
        samples = samples_needed(make_environment(request.gymnasium_id), request.seed)
    except (TypeError, ValueError, AttributeError, RuntimeError) as error:
        notes.append(f"The one-step-greedy policy was left out: no looking ahead ({error}).")
        return None
    policy = OneStepGreedy(request.seed, samples)
    done = run_episodes(request.gymnasium_id, policy, seeds, deadline, 1, side_by_side=1)
    if len(done.returns) < len(seeds):
        notes.append(
            f"The one-step-greedy policy ran {len(done.returns)} of {len(seeds)} episodes, "
            f"for it is slow; each action was tried on {samples} copies."
        )
    return done


def _warnings(trained: Episodes, others: dict[str, Episodes]) -> list[str]:
    """A sentence for each simple policy that does at least as well on the same seeds."""
    words = {
        "constant": "always deciding the same",
        "greedy": "looking one step ahead",
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
