"""How good a trained policy is, from the episodes of its evaluation."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, RootModel

from benchmarks import generated
from benchmarks.play import episode_returns
from benchmarks.problem import Problem
from benchmarks.reference.drone import DELIVERED
from benchmarks.reference.drone_planner import Cell, Situation, best_plan
from sandbox import read_result
from sandbox.programs.requests import EVALUATION_EPISODES

LARGEST_FILE = 64 * 1024 * 1024
DRONE = "drone-delivery"
LEAST_DELIVERED, MOST_ENERGY = 0.97, 1.10


class PlayedEpisode(BaseModel):
    """An episode of the trained policy; ``first`` and ``last`` are its named quantities."""

    model_config = ConfigDict(extra="forbid")

    seed: int
    episode_return: float
    length: int
    first: dict[str, Any]
    last: dict[str, Any]


class PlayedEpisodes(RootModel[list[PlayedEpisode]]):
    """All episodes of an evaluation."""


@dataclass(frozen=True)
class Verdict:
    """Mean return, score, and whether the target of the problem is met; seconds not looked at."""

    mean_return: float
    score: float
    target_met: bool
    remark: str = ""


def played_episodes(folder: Path) -> list[PlayedEpisode]:
    """What the evaluation in a run folder left.

    Raises:
        ResultInvalid: it is not there or not what it should be.
    """
    return read_result(folder, EVALUATION_EPISODES, PlayedEpisodes, LARGEST_FILE).root


def judge(problem: Problem, episodes: list[PlayedEpisode]) -> Verdict:
    """Compare the episodes with random decisions and with the best policy."""
    returns = np.array([episode.episode_return for episode in episodes])
    mean = float(returns.mean())
    score = score_of(problem, returns, best_on(problem, [episode.seed for episode in episodes]))
    if problem.name == DRONE:
        return _deliveries(mean, score, episodes)
    met = score >= problem.target_score
    if problem.target_return is not None:
        met = mean >= problem.target_return
    return Verdict(mean, score, met)


def score_of(
    problem: Problem, returns: NDArray[np.float64], best: NDArray[np.float64] | None
) -> float:
    """Score of a policy by its returns (n), with those of the best policy on the same seeds.

    The best policy takes the luck of the seeds out of the score. Luck that is left, or a best known
    policy that is not the best, may give a little more than 1.
    """
    if best is None:
        return problem.score(float(returns.mean()))
    return problem.score(problem.best_return + float((returns - best).mean()))


def best_on(problem: Problem, seeds: Sequence[int]) -> NDArray[np.float64] | None:
    """Returns of the best policy on these seeds, None where it cannot be played."""
    if problem.best_policy is None:
        return None
    return episode_returns(generated.make(problem.spec()), problem.best_policy(), seeds)


def _deliveries(mean: float, score: float, episodes: list[PlayedEpisode]) -> Verdict:
    """Share of episodes with all delivered, and energy in these against the planner's."""
    delivered, energy, planned = 0, 0.0, 0.0
    for episode in episodes:
        if all(state == DELIVERED for state in episode.last["package_status"]):
            delivered += 1
            energy += episode.first["energy"] - episode.last["energy"]
            planned += best_plan(_situation(episode.first)).energy
    share = delivered / len(episodes)
    ratio = energy / planned if delivered else float("inf")
    met = share >= LEAST_DELIVERED and ratio <= MOST_ENERGY
    return Verdict(
        mean, score, met, f"{share:.1%} all delivered, energy {ratio:.3f} of a planner's"
    )


def _situation(quantities: dict[str, Any]) -> Situation:
    def cell(numbers: list[float]) -> Cell:
        return (round(numbers[0]), round(numbers[1]))

    return Situation(
        cell(quantities["drone_cell"]),
        round(quantities["energy"]),
        tuple(cell(numbers) for numbers in quantities["pickup_cell"]),
        tuple(cell(numbers) for numbers in quantities["target_cell"]),
        tuple(round(number) for number in quantities["package_status"]),
    )
