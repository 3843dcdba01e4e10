"""One attempt from its settings to the files that it leaves."""

import inspect
import json
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.training import shaping, ways
from sandbox.training.attempt import gradient_steps, run_attempt
from sandbox.training.environments import make_environment
from sandbox.training.judge import episode_returns
from sandbox.training.planner import NoPlan
from sandbox.training.policy import content_sha256, load_policy
from sandbox.training.problem import Problem
from sandbox.training.request import Attempt
from sandbox.training.simulator import plain_maker
from sandbox.training.ways import NoWay
from tests.unit.training import small_problems
from tests.unit.training.forms import ERRAND, MANY, MATCHING
from tests.unit.training.judging import keep_the_last

REMEDIES = ["scaled observations", "scaled rewards", "time left", "kinds", "own parts"]


def write_environment(folder: Path, name: str) -> None:
    source = inspect.getsource(small_problems)
    (folder / "environment.py").write_text(f"{source}\n\nEnvironment = {name}\n")


def attempt_of(method: str, **named: object) -> Attempt:
    fields = {"total_timesteps": 1200, "seed": 3, "evaluations": 4, "evaluation_episodes": 5}
    return Attempt(**{"name": method, "method": method, "discount": 0.0, **fields, **named})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("method", "environment", "problem", "enough"),
    [
        ("dqn", "Matching", MATCHING, 7.0),
        ("qr-dqn", "Matching", MATCHING, 7.0),
        ("ppo", "Matching", MATCHING, 4.0),
        ("maskable-ppo", "Matching", MATCHING, 4.0),
        ("ppo", "MatchingMany", MANY, 18.0),
        ("additive", "MatchingMany", MANY, 20.0),
        ("sac", "Aiming", MATCHING, -60.0),
        ("td3", "Aiming", MATCHING, -60.0),
        ("exact", "Matching", MATCHING, 10.0),
    ],
)
def test_files_and_account(
    tmp_path: Path, method: str, environment: str, problem: Problem, enough: float
) -> None:
    write_environment(tmp_path, environment)
    parallel = 1 if method in ("sac", "td3") else 8
    steps = 300 if method in ("sac", "td3") else 2000
    remedies = [] if environment == "Aiming" else REMEDIES
    attempt = attempt_of(method, parallel=parallel, remedies=remedies, total_timesteps=steps)
    out = tmp_path / "out"
    result = run_attempt(problem, attempt, tmp_path, out, 60.0)
    assert result == json.loads((out / "training_result.json").read_text())
    assert Attempt.from_json(result["attempt"]) == attempt
    assert result["best_evaluation"] >= enough
    assert result["policy_sha256"] == content_sha256(out)
    assert (out / "curve.csv").read_text().startswith("timesteps,mean_return,seconds\n")
    own = make_environment("", tmp_path)
    policy = load_policy(out, own.action_space)
    simulator = plain_maker(lambda: make_environment("", tmp_path))(20)
    assert episode_returns(policy, simulator, 10).mean() >= enough - 10
    ended = {"exact": ["exact"]}.get(method, ["total_timesteps", "converged"])
    assert result["stopped_because"] in ended


def test_an_imitation_is_taught_on_from_where_it_ended(tmp_path: Path) -> None:
    write_environment(tmp_path, "MatchingMany")
    (tmp_path / "heuristic.py").write_text("def act(seen):\n    return seen.astype(int)\n")
    remedies = ["scaled observations", "kinds"]
    first = attempt_of("imitation", remedies=remedies, stop_after=150)
    result = run_attempt(MANY, first, tmp_path, tmp_path / "first", 60.0)
    assert result["wanted"] == 50
    assert result["symptom"] == "below its teacher"
    on = replace(first, start_from="first", stop_after=None, seed=4, total_timesteps=4000)
    better = run_attempt(MANY, on, tmp_path, tmp_path / "second", 60.0)
    assert better["best_evaluation"] >= 49.5
    assert (better["stopped_because"], better["symptom"]) == ("converged", "better")


def test_additive_values_need_many_choices(tmp_path: Path) -> None:
    write_environment(tmp_path, "Matching")
    with pytest.raises(ValueError, match="a vector of choices"):
        run_attempt(MATCHING, attempt_of("additive"), tmp_path, tmp_path / "out", 10.0)


def test_planning_needs_a_way_to_plan(tmp_path: Path) -> None:
    write_environment(tmp_path, "Matching")
    with pytest.raises(NoPlan, match="a matter of chance"):
        run_attempt(MATCHING, attempt_of("planning"), tmp_path, tmp_path / "out", 10.0)


FORMS = {
    "dqn": ("Matching", MATCHING), "ppo": ("Matching", MATCHING), "planning": ("Errand", ERRAND),
    "additive": ("MatchingMany", MANY), "imitation": ("MatchingMany", MANY),
}  # fmt: skip


@pytest.mark.parametrize("method", FORMS)
def test_the_same_attempt_gives_the_same_policy(tmp_path: Path, method: str) -> None:
    environment, problem = FORMS[method]
    write_environment(tmp_path, environment)
    (tmp_path / "heuristic.py").write_text("def act(seen):\n    return seen.astype(int)\n")
    attempt = attempt_of(method)
    hashes = {
        run_attempt(problem, replace(attempt, seed=seed), tmp_path, tmp_path / name, 60.0)[
            "policy_sha256"
        ]
        for name, seed in (("one", 3), ("other", 3))
    }
    assert len(hashes) == 1
    other = run_attempt(problem, replace(attempt, seed=4), tmp_path, tmp_path / "third", 60.0)
    assert other["policy_sha256"] not in hashes


def test_led_to_what_is_known_it_gives_the_same_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ways, "STEPS", 6000)
    monkeypatch.setattr(shaping, "GRADIENT_STEPS", 100)
    keep_the_last(monkeypatch)
    write_environment(tmp_path, "Errand")
    plain = attempt_of("dqn", discount=0.95, parallel=4)
    hashes = []
    for name, remedies in {
        "none": [], "shaped": ["shaping"], "led": ["curriculum"], "both": ["shaping", "curriculum"]
    }.items():  # fmt: skip
        attempt = replace(plain, remedies=remedies)
        hashes += [
            run_attempt(ERRAND, attempt, tmp_path, tmp_path / name / again, 60.0)["policy_sha256"]
            for again in ("one", "other")
        ]
    assert hashes[::2] == hashes[1::2]
    assert len(set(hashes)) == 4


def test_where_no_way_is_known_nobody_is_led(tmp_path: Path) -> None:
    write_environment(tmp_path, "Matching")
    attempt = attempt_of("dqn", discount=0.9, remedies=["curriculum"])
    with pytest.raises(NoWay, match="nothing better than usual"):
        run_attempt(MATCHING, attempt, tmp_path, tmp_path / "out", 60.0)


def test_a_training_that_ran_out_of_time_can_be_made_once_more(tmp_path: Path) -> None:
    """It was judged a last time between two evaluations, and so it is again."""
    write_environment(tmp_path, "Matching")
    attempt = attempt_of("dqn", total_timesteps=4000, stop_after=1240)
    results = [run_attempt(MATCHING, attempt, tmp_path, tmp_path / n, 60.0) for n in ("a", "b")]
    assert [r["timesteps"] for r in results] == [1240, 1240]
    assert results[0]["policy_sha256"] == results[1]["policy_sha256"]
    last = (tmp_path / "a" / "curve.csv").read_text().splitlines()[-1]
    assert last.startswith("1240,")


@pytest.mark.parametrize("examples", [100, 20_000, 1_000_000])
def test_more_examples_are_learned_from_in_more_steps(examples: int) -> None:
    steps = gradient_steps(examples)
    assert examples // 64 <= steps <= max(examples // 8, examples // 64)
