"""Training that does not give up: attempts side by side, remedies by symptom, the best is kept.

    python -m training.search

Reads training_request.json in the current folder. Each attempt leaves its files in
``attempts/<name>``; those of the best are copied up, and training_result.json tells of all.
"""

import json
import math
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sandbox.training.actions import ActionCoding
from sandbox.training.attempt import Workshop
from sandbox.training.choices import first_attempts
from sandbox.training.environments import import_file, make_environment
from sandbox.training.equality import differs
from sandbox.training.fitted_discount import fitted_discount
from sandbox.training.judge import ConstantPolicy, OutOfTime, episode_returns, some_actions
from sandbox.training.policy import POLICY, SETUP, Policy, load_policy
from sandbox.training.possible import PossibleActions, wrong
from sandbox.training.probes import TRAINED, RandomPolicy, probe
from sandbox.training.race import Race
from sandbox.training.request import ATTEMPTS, OPTIMUM, REQUEST, RESULT, SHAPING, Attempt, Request
from sandbox.training.teacher import RuleTeacher
from sandbox.training.uniform_draw import NotEnumerable

KEPT = (POLICY, SETUP, "curve.csv")
COMPARED_EPISODES = 4
COMPARED_STEPS = 400
TIMED_DECISIONS = 100
CONSTANT_EPISODES = 10
FINALISTS = 3
BAR_SHARE, WAYS_SHARE, FINAL_SHARE = 0.05, 0.1, 0.1
"""Of the time, for playing constant actions and for looking around, and beyond it for judging the
foremost once more."""
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
    request = _with_proved_mask(_with_proved_batch(request, folder), folder)
    batched = request.circumstances.batched
    discount = fitted_discount(request.problem)[0]
    probe = Attempt("probe", "dqn", discount, 1, request.wishes.seed, batched=batched)
    workshop = Workshop(request.problem, folder, probe)
    example = _seconds_of_an_example(request, workshop)
    bar, constant = best_constant(workshop, time.monotonic() + BAR_SHARE * request.seconds)
    exact = [a for a in _attempts(request, workshop, example) if a.method == "exact"]
    race = Race(request, folder, began, exact, bar)
    race.begin()
    request = with_ways(request, workshop, race.is_solved)
    race.waiting += _attempts(request, workshop, example)[len(exact) :]
    race.run()
    if not race.made:
        raise RuntimeError(race.first_failure() or "no attempt left a policy")
    best = winner(race, workshop, time.monotonic() + FINAL_SHARE * request.seconds)
    for name in KEPT:
        shutil.copyfile(folder / ATTEMPTS / race.finished[best].name / name, folder / name)
    probes = _probed(request, folder, workshop, constant)
    total = round(time.monotonic() - began, 3)
    record = {**race.made[best], "total_seconds": total, "attempts": race.made, "probes": probes}
    return {**record, **_optimum(race, folder)}


def _attempts(request: Request, workshop: Workshop, seconds_of_an_example: float) -> list[Attempt]:
    """What to try first; value iteration, if it is among them, at the front."""
    problem, wishes = request.problem, request.wishes
    return first_attempts(
        problem, workshop.coding, wishes, request.circumstances, seconds_of_an_example
    )


def _optimum(race: Race, folder: Path) -> dict[str, Any]:
    """The best mean return that there can be, or why it is not known."""
    for attempt in race.finished:
        if attempt.method != "exact":
            continue
        solved = json.loads((folder / ATTEMPTS / attempt.name / OPTIMUM).read_text())
        why = " ".join(solved["remarks"])
        return {"optimum": solved["optimum"]} if solved["exact"] else {"no_optimum": why}
    own = [told for told in race.failures if told.startswith(NotEnumerable.__name__)]
    why = own[0].partition(": ")[2] if own else "value iteration was not tried or did not end"
    return {"no_optimum": why}


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


def _with_proved_mask(request: Request, folder: Path) -> Request:
    """Without a mask of possible actions, unless the environment does as it says."""
    if not request.circumstances.possible:
        return request
    environment = make_environment(request.problem.gymnasium_id, folder)
    mask = PossibleActions.of(folder, ActionCoding(environment.action_space))
    why_not = wrong(environment, mask, request.problem, request.wishes.seed)
    if not why_not:
        return request
    print(f"no action is held impossible, for {why_not}", flush=True)
    return replace(request, circumstances=replace(request.circumstances, possible=False))


def with_ways(request: Request, workshop: Workshop, is_solved: Callable[[], bool]) -> Request:
    """Looks for ways to more, where nearly all random episodes earn the same.

    Not any longer once ``is_solved``.
    """
    if SHAPING in request.wishes.without or workshop.attempt.discount == 0:
        return request
    try:
        if not workshop.measured.arrives_rarely:
            return request
        workshop.ways(time.monotonic() + WAYS_SHARE * request.seconds, is_solved)
    except Exception as why_not:  # whatever the environment raises, as attempts will say
        print(f"no shaping: {type(why_not).__name__}: {why_not}", flush=True)
        return request
    return replace(request, circumstances=replace(request.circumstances, ways=True))


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


def winner(race: Race, workshop: Workshop, deadline: float = math.inf) -> int:
    """Place of the best result; the foremost few are judged once more, on seeds new to all.

    Whoever was judged often has had luck at times, so that the best of many looks too good. Value
    iteration in a model that is not exact gives way only to what is better beyond chance. Who
    cannot be judged before ``deadline`` is left out; where nobody can, the foremost is kept.
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
        return episode_returns(policy, simulator, horizon, FINAL_SEED, deadline)

    returns: dict[int, NDArray[np.float64]] = {}
    try:
        for place in dict.fromkeys([*order[:FINALISTS], *solved]):
            returns[place] = judged(place)
    except OutOfTime:
        print(f"{len(returns)} of the foremost were judged once more in time", flush=True)
    foremost = [place for place in order[:FINALISTS] if place in returns]
    if not foremost:
        return order[0]
    best = max(foremost, key=lambda place: float(returns[place].mean()))
    for place in [place for place in solved if place in returns]:
        ahead = returns[best] - returns[place]
        if ahead.mean() <= CERTAIN * ahead.std() / math.sqrt(episodes):
            return place
    return best


def best_constant(
    workshop: Workshop, deadline: float = math.inf
) -> tuple[float, ConstantPolicy | None]:
    """The best of some constant actions and its mean return: all of a few, else ends and middle.

    Where the environment breaks under them there is no bar; attempts may still get through, and
    if none does, say what broke. Actions that ``deadline`` leaves no time for are left out.
    """
    simulator = workshop.make(CONSTANT_EPISODES)
    horizon = workshop.problem.horizon
    best, policy = -math.inf, None
    try:
        for action in some_actions(simulator.action_space):
            constant = ConstantPolicy(action)
            mean = float(episode_returns(constant, simulator, horizon, deadline=deadline).mean())
            if mean > best:
                best, policy = mean, constant
    except OutOfTime:
        print("there was no time for all constant actions", flush=True)
    except Exception as error:  # whatever the environment raises
        print(f"a constant action: {type(error).__name__}: {error}", flush=True)
        return -math.inf, None
    return best, policy


def _probed(
    request: Request, folder: Path, workshop: Workshop, constant: ConstantPolicy | None
) -> list[dict[str, Any]]:
    """The kept policy beside random decisions, the best constant action and the heuristic."""
    space, problem = workshop.action_space, request.problem
    policies: dict[str, Policy] = {
        TRAINED: load_policy(folder, space),
        "random": RandomPolicy(space, request.wishes.seed),
    }
    if constant is not None:
        policies["constant"] = constant
    if request.circumstances.heuristic:
        policies["heuristic"] = RuleTeacher(import_file("heuristic", folder).act)
    deadline = time.monotonic() + BAR_SHARE * request.seconds
    return probe(problem.gymnasium_id, folder, policies, problem.horizon, deadline)


def main() -> None:
    """Read the request, search, write the result."""
    folder = Path.cwd()
    result = search(Request.read(folder / REQUEST), folder)
    (folder / RESULT).write_text(json.dumps(result, indent=1))
    kept = result["attempt"]["name"]
    print("kept", kept, "with a mean return of", round(result["best_evaluation"], 4))


if __name__ == "__main__":
    main()
