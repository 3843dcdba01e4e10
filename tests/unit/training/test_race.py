"""Attempts side by side, in real processes whose course is written down beforehand."""

import json
import multiprocessing
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sandbox.training import race as race_module
from sandbox.training.problem import Problem
from sandbox.training.race import Race
from sandbox.training.request import Attempt, Circumstances, Request, Wishes
from sandbox.training.table_policy import TablePolicy
from sandbox.training.ways import NoWay


@dataclass(frozen=True)
class Course:
    """What an attempt comes to after ``seconds``; without ``ends`` it goes on until it is ended."""

    best: float = 5.0
    seconds: float = 0.0
    ends: str = ""
    steady: bool = False
    symptom: str = "better"
    breaks: Exception | None = None
    policy: bool = True


def attempt_of(name: str, method: str = "dqn", **named: Any) -> Attempt:
    return Attempt(name, method, 0.9, 1000, 1, **named)


@pytest.fixture(name="race")
def _race(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Race]:
    """Runs a race of attempts with these courses to its end."""
    monkeypatch.setattr(race_module, "LEAST_GRACE", 2.0)
    monkeypatch.setattr(race_module, "LEAST_PATIENCE", 3.0)
    monkeypatch.setattr(race_module, "LEAST_SECONDS", 0.1)
    monkeypatch.setattr(race_module, "POLL_SECONDS", 0.02)

    def run(
        courses: dict[str, Course],
        *,
        seconds: float = 30.0,
        wishes: Wishes | None = None,
        bar: float = 1.0,
    ) -> Race:
        def run_attempt(
            problem: Problem, attempt: Attempt, folder: Path, out: Path, *times: float
        ) -> None:
            course = courses.get(attempt.name, Course(best=2.0, ends="total_timesteps"))
            time.sleep(course.seconds)
            if course.breaks:
                raise course.breaks
            if course.policy:
                TablePolicy(
                    np.zeros((1, 1), np.float32), np.zeros((1, 1), np.uint16), np.zeros(1, int)
                ).save(out)
            told = {
                "timesteps": 10, "seconds": 0.1, "best": course.best, "chance": 0.0,
                "steady": course.steady,
            }  # fmt: skip
            (out / "progress.json").write_text(json.dumps(told))
            if not course.ends:
                time.sleep(60)
            result = {
                "method": attempt.method, "timesteps": 10, "stopped_because": course.ends,
                "best_evaluation": course.best, "chance": 0.0, "symptom": course.symptom,
                "attempt": attempt.as_json(),
            }  # fmt: skip
            (out / "training_result.json").write_text(json.dumps(result))

        monkeypatch.setattr(race_module, "run_attempt", run_attempt)
        attempts = [attempt_of(name, name.rpartition("-")[2]) for name in courses]
        request = Request(Problem(), wishes or Wishes(), Circumstances(), seconds)
        race = Race(request, tmp_path, time.monotonic(), attempts, bar)
        race.run()
        assert multiprocessing.active_children() == []
        return race

    return run


def ends(race: Race) -> dict[str, str]:
    return {a.name: r["stopped_because"] for a, r in zip(race.finished, race.made, strict=True)}


def test_whoever_arrives_ends_the_race_after_a_grace(race: Callable[..., Race]) -> None:
    began = time.monotonic()
    ended = race({"1-dqn": Course(10, ends="converged"), "2-ppo": Course(), "3-sac": Course()})
    assert 2.0 <= time.monotonic() - began < 15
    assert ends(ended) == {"1-dqn": "converged", "2-ppo": "overtaken"}
    assert ended.finished[ended.best()].name == "1-dqn"
    assert ended.made[1]["best_evaluation"] == 5
    assert len(ended.made[1]["policy_sha256"]) == 64


def test_the_grace_may_be_used_to_overtake(race: Callable[..., Race]) -> None:
    later = Course(20, seconds=0.3, ends="total_timesteps")
    ended = race({"1-dqn": Course(10, ends="converged"), "2-ppo": later})
    assert ended.finished[ended.best()].name == "2-ppo"


def test_two_that_agree_end_the_race(race: Callable[..., Race]) -> None:
    began = time.monotonic()
    ended = race({"1-dqn": Course(10, steady=True), "2-ppo": Course(9.95, steady=True)})
    assert time.monotonic() - began < 15
    assert ends(ended) == {"1-dqn": "overtaken", "2-ppo": "overtaken"}


@pytest.mark.parametrize(
    ("one", "other", "bar"),
    [
        (Course(10, steady=True), Course(9, steady=True), 1),
        (Course(10, steady=True), Course(10, steady=False), 1),
        (Course(10, steady=True), Course(10, steady=True), 10),
    ],
    ids=["apart", "unsteady", "no better than a constant action"],
)
def test_all_others_use_the_time(
    race: Callable[..., Race], one: Course, other: Course, bar: float
) -> None:
    began = time.monotonic()
    race({"1-dqn": one, "2-ppo": other}, seconds=3.0, bar=bar)
    assert 3.0 <= time.monotonic() - began < 15


def test_whoever_gets_no_further_than_a_constant_action_has_not_arrived(
    race: Callable[..., Race],
) -> None:
    ended = race({"1-dqn": Course(10, ends="converged"), "2-ppo": Course()}, seconds=5.0, bar=10)
    assert len(ended.made) > 2  # more was tried


def test_an_exact_solution_ends_the_race_at_once_and_is_kept(race: Callable[..., Race]) -> None:
    """Even if another was luckier on the seeds of the comparison."""
    began = time.monotonic()
    exact = Course(10, seconds=0.3, ends="exact")
    ended = race({"1-exact": exact, "2-dqn": Course(10.5), "3-ppo": Course()})
    assert time.monotonic() - began < 15
    assert ends(ended) == {"1-exact": "exact", "2-dqn": "overtaken"}
    assert ended.finished[ended.best()].name == "1-exact"


def test_an_exact_solution_under_way_is_waited_for(race: Callable[..., Race]) -> None:
    exact = Course(10, seconds=1.0, ends="exact")
    ended = race({"1-exact": exact, "2-dqn": Course(10, ends="converged")})
    assert ends(ended) == {"2-dqn": "converged", "1-exact": "exact"}
    assert ended.finished[ended.best()].name == "1-exact"


def test_an_exact_solution_is_not_waited_for_beyond_the_time(race: Callable[..., Race]) -> None:
    began = time.monotonic()
    ended = race({"1-exact": Course(seconds=60), "2-dqn": Course()}, seconds=3.0)
    assert time.monotonic() - began < 15
    assert ends(ended) == {"2-dqn": "overtaken"}


def test_after_an_imitation_the_others_get_more_time(race: Callable[..., Race]) -> None:
    began = time.monotonic()
    better = Course(20, seconds=0.7, ends="total_timesteps")
    ended = race({"1-imitation": Course(10, ends="converged"), "2-dqn": Course(), "3-ppo": better})
    assert 3.0 <= time.monotonic() - began < 20
    assert ended.finished[ended.best()].name == "3-ppo"


def test_an_imitation_below_its_teacher_is_taught_on(race: Callable[..., Race]) -> None:
    below = Course(10, ends="total_timesteps", symptom="below its teacher")
    ended = race(
        {"1-imitation": below, "2-dqn": Course()}, wishes=Wishes(without=("dqn",)), seconds=4.0
    )
    assert ended.finished[1].start_from == "1-imitation"
    assert ended.finished[1].method == "imitation"


def test_without_arrival_more_is_tried_until_the_time_is_over(race: Callable[..., Race]) -> None:
    began = time.monotonic()
    ended = race({"1-dqn": Course(ends="total_timesteps", symptom="fell")}, seconds=4.0)
    assert 3.8 <= time.monotonic() - began < 15
    assert len(ended.made) > 1
    names = [attempt.name for attempt in ended.finished]
    assert len(set(names)) == len(names)
    assert "time left" in ended.finished[1].remedies


def test_a_bound_on_steps_is_not_passed_by_trying_more(race: Callable[..., Race]) -> None:
    began = time.monotonic()
    course = Course(ends="total_timesteps")
    ended = race({"1-dqn": course, "2-ppo": course, "3-sac": course}, wishes=Wishes(steps=1000))
    assert time.monotonic() - began < 15
    assert sorted(ends(ended)) == ["1-dqn", "2-ppo", "3-sac"]


def test_failures_are_told_and_the_environments_own_comes_first(race: Callable[..., Race]) -> None:
    class NotEnumerable(Exception):
        pass

    broken = Course(breaks=LookupError("no such user"))
    ended = race({"1-exact": Course(breaks=NotEnumerable("endless")), "2-dqn": broken})
    assert ended.made == []
    assert ended.failures == ["NotEnumerable: endless", "LookupError: no such user"]
    assert ended.first_failure() == "LookupError: no such user"
    ended.failures.pop()
    assert ended.first_failure() == "NotEnumerable: endless"


def test_one_failure_stops_no_other(race: Callable[..., Race]) -> None:
    broken = Course(breaks=ValueError("no"))
    ended = race({"1-dqn": broken, "2-ppo": Course(10, ends="converged")})
    assert ends(ended) == {"2-ppo": "converged"}


def test_without_a_policy_there_is_no_result(race: Callable[..., Race]) -> None:
    ended = race({"1-dqn": Course(policy=False), "2-ppo": Course()}, seconds=3.0)
    assert ends(ended) == {"2-ppo": "overtaken"}


def test_what_was_made_before_is_taken_over(race: Callable[..., Race], tmp_path: Path) -> None:
    slow = Course(10, seconds=1.0, ends="total_timesteps")
    race({"1-dqn": slow}, wishes=Wishes(steps=1))
    begun = (tmp_path / "attempts" / "1-dqn" / "progress.json").stat().st_mtime_ns
    ended = race({"1-dqn": slow}, wishes=Wishes(steps=1))
    assert (tmp_path / "attempts" / "1-dqn" / "progress.json").stat().st_mtime_ns == begun
    assert ends(ended) == {"1-dqn": "total_timesteps"}


def test_a_trial_that_falls_behind_is_ended(
    race: Callable[..., Race], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(race_module, "is_hopeless", lambda attempt, *others: attempt.trial)
    ended = race({"1-sac": Course(5, ends="total_timesteps")}, seconds=3.0)
    trials = [k for k, attempt in enumerate(ended.finished) if attempt.trial]
    assert trials
    pruned = [ended.made[k] for k in trials if ended.made[k]["stopped_because"] == "pruned"]
    for result in pruned:
        out = ended.folder / "attempts" / result["attempt"]["name"]
        assert json.loads((out / "training_result.json").read_text()) == result


def test_no_better_than_a_constant_action_is_a_symptom(race: Callable[..., Race]) -> None:
    ended = race({"1-dqn": Course(5, ends="total_timesteps")}, seconds=3.0, bar=5.0)
    assert ended.made[0]["symptom"] == "below a constant"
    other = race({"1-dqn": Course(5, ends="converged")}, seconds=3.0, bar=1.0)
    assert other.made[0]["symptom"] == "better"


def test_what_left_nothing_is_not_tried_again_under_any_name(race: Callable[..., Race]) -> None:
    """Nor is the folder of another attempt taken for what follows."""
    flat = Course(2, ends="total_timesteps", symptom="flat")
    unfit = Course(breaks=NoWay("nothing better than usual was found ahead"), policy=False)
    ended = race({"1-exact": unfit, "2-dqn": flat, "3-dqn": unfit}, seconds=5.0)
    assert {attempt.name for attempt in ended.failed} >= {"1-exact", "3-dqn"}
    names = [attempt.name for attempt in [*ended.finished, *ended.failed]]
    assert len(set(names)) == len(names) > 3


@pytest.mark.parametrize(("why", "solved"), [("exact", True), ("converged", False)])
def test_what_was_begun_is_seen_to_only_when_the_race_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str, *, solved: bool
) -> None:
    """Whoever arrives meanwhile takes no time from those that could not begin yet."""

    def run_attempt(problem: Problem, attempt: Attempt, folder: Path, out: Path, *times: float):
        TablePolicy(
            np.zeros((1, 1), np.float32), np.zeros((1, 1), np.uint16), np.zeros(1, int)
        ).save(out)
        result = {"method": attempt.method, "timesteps": 1, "stopped_because": why,
                  "best_evaluation": 5.0, "chance": 0.0, "symptom": "better",
                  "attempt": attempt.as_json()}  # fmt: skip
        (out / "training_result.json").write_text(json.dumps(result))

    monkeypatch.setattr(race_module, "run_attempt", run_attempt)
    request = Request(Problem(), Wishes(), Circumstances(), 60.0)
    first = attempt_of("1-exact", "exact")
    race = Race(request, tmp_path, time.monotonic(), [first], 0.0)
    race.begin()
    assert multiprocessing.active_children() or race.running
    until = time.monotonic() + 30
    while multiprocessing.active_children() and time.monotonic() < until:
        time.sleep(0.02)
    assert race.is_solved() is solved
    assert (race.made, race.arrived) == ([], False)
    again = Race(request, tmp_path, time.monotonic(), [first], 0.0)
    again.begin()  # made before it was broken off
    assert (again.running, again.is_solved(), again.arrived) == ([], solved, False)
    again.run()
    assert (len(again.made), again.arrived) == (1, True)
