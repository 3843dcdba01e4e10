"""The training search as it runs in a run folder, with its attempts as processes of their own."""

import csv
import inspect
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nodes.train_program import write_train_program
from sandbox.training.judge import episode_returns
from sandbox.training.policy import LearnedPolicy, load_policy
from sandbox.training.problem import Problem
from sandbox.training.request import Attempt, Circumstances, Request, Wishes
from sandbox.training.simulator import plain_maker
from state.training import TrainingRecord
from tests.unit.training import small_problems
from tests.unit.training.forms import CORRIDOR, MANY, MATCHING

ROOT = Path(__file__).parent.parent.parent
NOT_EXACT = ("exact",)


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    assert not running_in(tmp_path)


def running_in(folder: Path) -> list[str]:
    """Processes that work in ``folder``."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.readlink(entry / "cwd") == str(folder):
                found.append(entry.name)
        except OSError:  # it has ended meanwhile
            continue
    return found


def write_environment(folder: Path, name: str) -> None:
    source = inspect.getsource(small_problems)
    (folder / "environment.py").write_text(f"{source}\n\nEnvironment = {name}\n")


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Modules of the project can be imported by ``-m`` alone; a program must do without them."""
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if arguments[0] == "-m":
        environ["PYTHONPATH"] = str(ROOT)
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def search(
    folder: Path,
    environment: str,
    problem: Problem,
    wishes: Wishes,
    seconds: float = 30.0,
    *,
    heuristic: str = "",
) -> dict[str, Any]:
    """The account of the search for this environment."""
    write_environment(folder, environment)
    if heuristic:
        (folder / "heuristic.py").write_text(f"def act(seen):\n    {heuristic}\n")
    circumstances = Circumstances(heuristic=bool(heuristic))
    request = Request(problem, wishes, circumstances, seconds)
    (folder / "training_request.json").write_text(request.to_json())
    done = python(folder, "-m", "sandbox.training.search")
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads((folder / "training_result.json").read_text())
    return result


def mean_return(folder: Path, environment: type[Any], horizon: int = 10) -> float:
    """Of the kept policy on other seeds."""
    simulator = plain_maker(environment)(20)
    policy = load_policy(folder, simulator.action_space)
    return float(episode_returns(policy, simulator, horizon, seed=1).mean())


def test_what_can_be_enumerated_is_solved_exactly(folder: Path) -> None:
    result = search(folder, "OneDraw", Problem(horizon=10), Wishes())
    assert (result["method"], result["stopped_because"]) == ("exact", "exact")
    assert json.loads((folder / "policy_setup.json").read_text()) == {"kind": "table"}
    optimum = json.loads((folder / "attempts" / "1-exact" / "optimum.json").read_text())
    assert optimum["exact"]
    assert result["best_evaluation"] == pytest.approx(optimum["optimum"], abs=3)
    assert result["optimum"] == optimum["optimum"]
    assert result["total_seconds"] < 15
    TrainingRecord.model_validate(result)


@pytest.mark.parametrize(("name", "said"), [("Breaking", "seventh"), ("Endless", "no such step")])
def test_what_the_environment_raises_is_named(folder: Path, name: str, said: str) -> None:
    write_environment(folder, name)
    problem = Problem(horizon=1000)
    request = Request(problem, Wishes(steps=500), Circumstances(), 20.0)
    (folder / "training_request.json").write_text(request.to_json())
    done = python(folder, "-m", "sandbox.training.search")
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("RuntimeError: LookupError: ")
    assert said in last
    assert not (folder / "training_result.json").exists()


def test_a_bound_on_steps_is_kept(folder: Path) -> None:
    wishes = Wishes(steps=600, without=NOT_EXACT)
    result = search(folder, "Matching", MATCHING, wishes)
    assert [made["attempt"]["name"] for made in result["attempts"]] in (
        ["1-dqn", "2-ppo"],
        ["2-ppo", "1-dqn"],
    )
    assert all(made["timesteps"] <= 600 + 8 * 128 for made in result["attempts"])
    assert result["attempt"] in [made["attempt"] for made in result["attempts"]]
    assert mean_return(folder, small_problems.Matching) > 10 / 3
    kept = folder / "attempts" / result["attempt"]["name"] / "policy.zip"
    assert kept.read_bytes() == (folder / "policy.zip").read_bytes()


def test_the_imitation_of_a_good_rule_arrives(folder: Path) -> None:
    wishes = Wishes("imitation", steps=5000)
    result = search(folder, "MatchingMany", MANY, wishes, heuristic="return seen.astype(int)")
    assert (result["method"], result["stopped_because"]) == ("imitation", "converged")
    assert result["wanted"] == 50
    assert mean_return(folder, small_problems.MatchingMany) > 49
    simulator = plain_maker(small_problems.MatchingMany)(20)
    seen = simulator.reset(3)
    actions = load_policy(folder, simulator.action_space).actions(seen, np.zeros(20, np.int64))
    assert np.mean(actions == seen) > 0.98


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_trainings_that_arrive_end_the_search_early(folder: Path) -> None:
    """Two that agree, or one and the grace for the other: either way long before its time."""
    began = time.monotonic()
    result = search(folder, "Matching", MATCHING, Wishes(without=NOT_EXACT), seconds=90.0)
    assert time.monotonic() - began < 80
    assert result["best_evaluation"] == 10
    assert mean_return(folder, small_problems.Matching) == 10
    ended = {made["stopped_because"] for made in result["attempts"]}
    assert ended <= {"converged", "overtaken"}
    with (folder / "curve.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert max(float(row["mean_return"]) for row in rows) == 10
    assert float(rows[0]["seconds"]) > 0


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("algorithm", "environment", "problem", "steps", "heuristic"),
    [
        ("ppo", "Matching", MATCHING, 2000, ""),
        ("dqn", "Matching", MATCHING, 1500, ""),
        ("qr-dqn", "Matching", MATCHING, 900, ""),
        ("maskable-ppo", "Matching", MATCHING, 2000, ""),
        ("additive", "MatchingMany", MANY, 6000, ""),
        ("imitation", "MatchingMany", MANY, 600, "return seen.astype(int)"),
        ("sac", "Aiming", Problem(horizon=10), 400, ""),
        ("exact", "OneDraw", Problem(horizon=10), 1, ""),
        ("dqn", "Corridor", CORRIDOR, 600, ""),
    ],
)
def test_train_program_trains_the_same_policy_again(
    folder: Path, algorithm: str, environment: str, problem: Problem, steps: int, heuristic: str
) -> None:
    wishes = Wishes(algorithm, steps=steps)
    result = search(folder, environment, problem, wishes, 90.0, heuristic=heuristic)
    assert ("shaping" in result["attempt"]["remedies"]) is (environment == "Corridor")
    write_train_program(folder, "A problem", problem, TrainingRecord.model_validate(result))
    done = python(folder, "train.py")
    assert done.returncode == 0, done.stderr
    assert result["policy_sha256"] in done.stdout
    assert arrays_of(folder / "retrained") == arrays_of(folder)
    again = json.loads((folder / "retrained" / "training_result.json").read_text())
    for name in ("best_evaluation", "timesteps", "policy_sha256", "symptom"):
        assert again[name] == result[name]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("method", ["dqn", "ppo"])
def test_a_training_that_was_overtaken_can_be_made_once_more(folder: Path, method: str) -> None:
    """The search ends for want of time, in the middle of the training."""
    wishes = Wishes(method)
    result = search(folder, "Climb", Problem(horizon=5), wishes, seconds=6.0)
    assert result["stopped_because"] in ("overtaken", "time_budget")
    write_train_program(folder, "A problem", Problem(horizon=5), TrainingRecord(**result))
    done = python(folder, "train.py")
    assert done.returncode == 0, done.stderr
    assert arrays_of(folder / "retrained") == arrays_of(folder)


def arrays_of(folder: Path) -> dict[str, list[Any]]:
    """The numbers of the policy in ``folder``."""
    setup = json.loads((folder / "policy_setup.json").read_text())
    if setup["kind"] == "stable_baselines3":
        policy = load_policy(folder, small_problems.Matching().action_space)
        assert isinstance(policy, LearnedPolicy)
        return {name: t.tolist() for name, t in policy.model.policy.state_dict().items()}
    with np.load(folder / "policy.zip") as arrays:
        return {name: arrays[name].tolist() for name in arrays.files}


def test_an_attempt_that_was_made_is_not_made_again(folder: Path) -> None:
    """As after a search that was broken off."""
    wishes = Wishes("ppo", steps=300)
    first = search(folder, "Matching", MATCHING, wishes)
    made = folder / "attempts" / "1-ppo" / "policy.zip"
    before = made.stat().st_mtime_ns
    again = search(folder, "Matching", MATCHING, wishes)
    assert made.stat().st_mtime_ns == before
    assert Attempt.from_json(again["attempt"]) == Attempt.from_json(first["attempt"])
    assert again["policy_sha256"] == first["policy_sha256"]


QUICK_CHECKPOINTS = """
from sandbox.training import checkpoint, search

checkpoint.SECONDS_BETWEEN = 0.2
search.main()
"""


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("method", "environment", "problem", "steps"),
    [("dqn", "Matching", MATCHING, 6000), ("additive", "MatchingMany", MANY, 20_000)],
)
def test_a_search_that_was_killed_goes_on(
    folder: Path, method: str, environment: str, problem: Problem, steps: int
) -> None:
    """And comes to the same policy as one that nobody disturbed."""
    write_environment(folder, environment)
    request = Request(problem, Wishes(method, steps=steps), Circumstances(), 60.0)
    (folder / "training_request.json").write_text(request.to_json())
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    program = [sys.executable, "-c", QUICK_CHECKPOINTS]
    killed = subprocess.Popen(program, cwd=folder, env=environ, start_new_session=True)
    out = folder / "attempts" / f"1-{method}"
    deadline = time.monotonic() + 60
    while not (out / "checkpoint.pkl").exists():
        assert time.monotonic() < deadline
        assert killed.poll() is None
        time.sleep(0.02)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    subprocess.run(program, cwd=folder, env=environ, check=True, timeout=100)
    result = json.loads((folder / "training_result.json").read_text())
    assert result["resumed"] == 1
    assert not list(folder.rglob("checkpoint*"))
    write_train_program(folder, "A problem", problem, TrainingRecord.model_validate(result))
    done = python(folder, "train.py")
    assert done.returncode == 0, done.stderr
    assert result["policy_sha256"] in done.stdout
