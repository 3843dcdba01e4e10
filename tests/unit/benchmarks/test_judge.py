from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import generated
from benchmarks.judge import PlayedEpisode, judge
from benchmarks.plain import ZOO_SETTINGS
from benchmarks.play import episode_returns
from benchmarks.problems import PROBLEMS
from benchmarks.reference.drone_planner import planner
from benchmarks.training import arguments, row, summary
from benchmarks.training_run import Measured, seconds_to
from sandbox.programs.episodes import Episodes

SEEDS = range(1_000_000_000, 1_000_000_020)


def played(returns: Any) -> list[PlayedEpisode]:
    return [
        PlayedEpisode(seed=seed, episode_return=float(value), length=1, first={}, last={})
        for seed, value in zip(SEEDS, returns, strict=True)
    ]


def test_best_policy_scores_exactly_one_whatever_the_luck_of_the_seeds() -> None:
    problem = PROBLEMS["wireless"]
    assert problem.best_policy is not None
    returns = episode_returns(generated.make(problem.spec()), problem.best_policy(), SEEDS)
    assert abs(returns.mean() - problem.best_return) > 1
    assert judge(problem, played(returns)).score == pytest.approx(1)
    gap = problem.best_return - problem.random_return
    verdict = judge(problem, played(returns - 0.02 * gap))
    assert verdict.score == pytest.approx(0.98)
    assert not verdict.target_met


def test_target_in_points_counts_where_there_is_one() -> None:
    problem = PROBLEMS["cart-pole"]
    assert judge(problem, played(np.full(20, 499.0))).target_met
    assert not judge(problem, played(np.full(20, 498.9))).target_met
    assert judge(problem, played(np.full(20, 22.2))).score == pytest.approx(0)


def deliveries(spoiled: int) -> list[PlayedEpisode]:
    """Flights of the planner; in some, what is told of the end is spoiled."""
    problem = PROBLEMS["drone-delivery"]
    environment = generated.make(problem.spec())
    episodes = []
    for seed in SEEDS:
        seen, info = environment.reset(seed=seed)
        first, total, running = info["quantities"], 0.0, True
        while running:
            seen, reward, terminated, truncated, info = environment.step(planner(seen, 0))
            total += float(reward)
            running = not (terminated or truncated)
        last = info["quantities"]
        if len(episodes) < spoiled:
            last = {**last, "package_status": [2, 2, 1]}
        episode = PlayedEpisode(seed=seed, episode_return=total, length=1, first=first, last=last)
        episodes.append(episode)
    return episodes


def test_drone_is_judged_by_deliveries_and_energy() -> None:
    problem = PROBLEMS["drone-delivery"]
    verdict = judge(problem, deliveries(spoiled=0))
    assert verdict.target_met
    assert verdict.score == pytest.approx(1)
    assert verdict.remark == "100.0% all delivered, energy 1.000 of a planner's"
    verdict = judge(problem, deliveries(spoiled=1))
    assert not verdict.target_met
    assert verdict.remark.startswith("95.0% all delivered")


def test_wasted_energy_misses_the_target() -> None:
    wasteful = [
        e.model_copy(update={"last": {**e.last, "energy": e.last["energy"] - 40}})
        for e in deliveries(spoiled=0)
    ]
    assert not judge(PROBLEMS["drone-delivery"], wasteful).target_met


def test_episodes_as_the_sandbox_writes_them_can_be_read() -> None:
    first = {"stock": np.array([1, 2]), "cell": np.int64(3), "odd": {1}}
    done = Episodes([1.5], [7], [], [first], [{}])
    text = done.to_json([11, 12])
    assert text == (
        '[{"seed": 11, "episode_return": 1.5, "length": 7, '
        '"first": {"stock": [1, 2], "cell": 3, "odd": "{1}"}, "last": {}}]'
    )


def test_seconds_are_read_off_the_curve(tmp_path: Path) -> None:
    curve = tmp_path / "curve.csv"
    assert seconds_to(PROBLEMS["cart-pole"], curve) is None
    curve.write_text("timesteps,mean_return,seconds\n1,22,0.1\n9,480,3.5\n12,500,4.0\n")
    assert seconds_to(PROBLEMS["cart-pole"], curve) == 3.5
    curve.write_text("timesteps,mean_return,seconds\n1,22,0.1\n")
    assert seconds_to(PROBLEMS["cart-pole"], curve) is None


def test_table() -> None:
    problem = PROBLEMS["wireless"]
    runs = [
        Measured("wireless", 0, "DQN", 12.3, 4.56, 12900.0, 0.997, True),
        Measured("wireless", 1, "", 3.0, None, None, 0.0, False, "it broke"),
    ]
    assert row(problem, runs[0]) == (
        "| wireless | 0 | DQN | 12 | 4.6 | 12,900 | 12,916.4 | 0.9970 | yes |  |"
    )
    assert row(problem, runs[1]).endswith("| never | none | 12,916.4 | 0.0000 | no | it broke |")
    assert summary([problem], runs)[-1] == "| wireless | 0.0000 | 12 s | 1 of 2 |"


def test_groups_of_problems() -> None:
    chosen = arguments(["--problems", "tasks", "wireless", "taxi"])
    assert len(chosen.problems) == 6
    assert chosen.problems[-1] == "taxi"
    assert arguments(["--problems", "others"]).problems[-1] == "rooms"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--problems", "wirless"], "there is no problem 'wirless'"),
        (["--problems", "taxi", "--seeds", "0"], "--seeds must be 1 or more"),
        (["--problems", "taxi", "--time-budget", "0"], "more than 0 seconds"),
        (["--problems", "taxi", "--episodes", "20"], "100 or more"),
    ],
)
def test_bad_command_lines_are_told_why(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        arguments(words)
    assert said in capsys.readouterr().err


def test_used_folders_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "taxi-0").mkdir()
    with pytest.raises(SystemExit):
        arguments(["--problems", "taxi", "--out", str(tmp_path)])
    assert "is there already" in capsys.readouterr().err


def test_tuned_settings_are_for_problems_that_exist() -> None:
    assert set(ZOO_SETTINGS) < set(PROBLEMS)
