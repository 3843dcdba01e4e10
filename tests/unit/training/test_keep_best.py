"""The judge of a training: what it keeps, when it has seen enough, and what it says was seen."""

import csv
import json
import os
import signal
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

from sandbox.training import keep_best
from sandbox.training.judge import SELECTION_SEED, Watched
from sandbox.training.teacher import RuleTeacher
from tests.unit.training.judging import JudgeOf, considered


def test_only_what_is_better_is_kept(judge_of: JudgeOf, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = judge_of()
    saved: list[float] = []
    said = considered(
        judge, monkeypatch, [3, 2, 3, 5, 4], save=lambda: saved.append(judge.history[-1])
    )
    assert saved == [3, 5]
    assert judge.best == 5
    assert not any(said)


def test_the_policy_is_played_on_the_selection_seeds(judge_of: JudgeOf) -> None:
    judge = judge_of()
    judge.consider(1, RuleTeacher(lambda seen: int(seen[0])), lambda: None)
    assert judge.best == 10


def test_luck_on_the_first_seeds_is_not_enough(
    judge_of: JudgeOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def returns(policy: Any, simulator: Any, horizon: int, seed: int) -> NDArray[np.float64]:
        known = policy.policy if isinstance(policy, Watched) else policy
        return np.full(4, known[0] if seed == SELECTION_SEED else known[1])

    monkeypatch.setattr(keep_best, "episode_returns", returns)
    judge = judge_of()
    saved: list[Any] = []
    policies: list[Any] = [(5.0, 5.0), (50.0, 2.0), (6.0, 6.0)]
    for policy in policies:
        judge.consider(1, policy, partial(saved.append, policy))
    assert saved == [(5, 5), (6, 6)]
    assert judge.best == 6


def test_the_curve_and_the_progress_can_be_read_meanwhile(
    judge_of: JudgeOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = judge_of(seconds_before=100.0)
    considered(judge, monkeypatch, [2, 1.5])
    with (tmp_path / "curve.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(int(r["timesteps"]), float(r["mean_return"])) for r in rows] == [(100, 2), (200, 1.5)]
    assert all(100 <= float(r["seconds"]) < 110 for r in rows)
    told = json.loads((tmp_path / "progress.json").read_text())
    assert (told["timesteps"], told["mean_return"], told["best"]) == (200, 1.5, 2)
    assert (told["chance"], told["steady"]) == (1, False)


def test_a_plateau_ends_a_training_only_after_it_has_lasted(
    judge_of: JudgeOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The best came after 1000 steps, so 3000 are made, though ten evaluations were steady."""
    judge = judge_of()
    said = considered(judge, monkeypatch, [2.0] * 9 + [50.0] * 21)
    assert said == [False] * 29 + [True]
    assert judge.result("dqn", 3000)["stopped_because"] == "converged"


def test_a_quick_arrival_still_needs_eight_steady_evaluations(
    judge_of: JudgeOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = judge_of()
    assert considered(judge, monkeypatch, [50.0] * 8) == [False] * 7 + [True]


def test_wavering_is_no_arrival(judge_of: JudgeOf, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = judge_of()
    means = [50.0, 49.0] * 30  # more than 1 % of the gain over chance apart
    assert not any(considered(judge, monkeypatch, means))
    assert judge.stopped_because == "total_timesteps"


def test_as_good_as_chance_is_no_arrival(
    judge_of: JudgeOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = judge_of()
    assert not any(considered(judge, monkeypatch, [1.9] * 40))


def test_what_is_found_later_begins_the_waiting_anew(
    judge_of: JudgeOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = judge_of()
    said = considered(judge, monkeypatch, [50.0] * 6 + [100.0] * 15)
    assert said == [False] * 20 + [True]


def test_a_training_ends_where_an_earlier_one_did(
    judge_of: JudgeOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = judge_of(stop_after=300)
    assert considered(judge, monkeypatch, [2, 3, 4]) == [False, False, True]


def test_without_time_the_first_evaluation_is_the_last(
    judge_of: JudgeOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = judge_of(seconds=-1)
    saved: list[int] = []
    assert considered(judge, monkeypatch, [2], save=lambda: saved.append(1)) == [True]
    assert saved == [1]
    assert judge.result("dqn", 100)["stopped_because"] == "time_budget"


@pytest.mark.parametrize(
    ("means", "symptom"),
    [
        ([1.0, 1.0, 1.0], "flat"),
        ([1.0, 1.3, 0.9, 1.1], "flat"),
        ([-8.0, -7.0, -9.0], "worse"),
        ([-8.0, -8.0, -8.0], "flat"),
        ([5.0, 50.0, 45.0, 50.0], "better"),
        ([5.0, 50.0, 3.0, 4.0, 2.0], "fell"),
    ],
)
def test_symptoms(
    judge_of: JudgeOf, monkeypatch: pytest.MonkeyPatch, means: list[float], symptom: str
) -> None:
    judge = judge_of()
    considered(judge, monkeypatch, means)
    assert judge.symptom() == symptom
    assert judge.result("dqn", 1)["symptom"] == symptom


@pytest.mark.parametrize(
    ("wanted", "symptom"), [(60.0, "below its teacher"), (50.9, "better"), (40.0, "better")]
)
def test_whoever_has_a_teacher_is_measured_by_it(
    judge_of: JudgeOf, monkeypatch: pytest.MonkeyPatch, wanted: float, symptom: str
) -> None:
    judge = judge_of()
    judge.wanted = wanted
    considered(judge, monkeypatch, [20.0, 50.0])
    assert judge.symptom() == symptom
    assert judge.result("imitation", 1)["wanted"] == wanted


@pytest.mark.parametrize(
    ("wanted", "share", "reached"), [(11, 0, False), (11, 0.1, True), (10, 0, True), (9, 0, True)]
)
def test_reaching_is_measured_from_chance(
    judge_of: JudgeOf, monkeypatch: pytest.MonkeyPatch, wanted: float, share: float, reached: bool
) -> None:
    judge = judge_of()
    considered(judge, monkeypatch, [10.0])
    assert judge.reaches(wanted, share) is reached


def test_saving_is_not_broken_off(
    judge_of: JudgeOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is asked to end meanwhile ends when the files are whole."""
    ended: list[str] = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: ended.append("ended"))

    def save() -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        ended.append("saved")

    try:
        considered(judge_of(), monkeypatch, [2.0], save=save)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert ended == ["saved", "ended"]
    assert np.isfinite(json.loads((tmp_path / "progress.json").read_text())["best"])


def test_a_policy_that_always_decides_the_same_has_collapsed(judge_of: JudgeOf) -> None:
    judge = judge_of()
    judge.consider(1, RuleTeacher(lambda seen: 0), lambda: None)
    assert judge.symptom() == "collapsed"
    judge.consider(2, RuleTeacher(lambda seen: int(seen[0])), lambda: None)
    assert judge.symptom() == "better"
    judge.diverged = True
    assert judge.symptom() == "diverged"


def test_what_is_remembered_goes_on(
    judge_of: JudgeOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = judge_of()
    considered(first, monkeypatch, [2.0, 5.0])
    memory = json.loads(json.dumps(first.memory()))
    second = judge_of()
    second.recall(memory)
    assert (second.best, second.history, second.resumed) == (5, [2, 5], 1)
    assert second.result("dqn", 1)["resumed"] == 1
    assert second.seconds() >= memory["seconds"]
    considered(second, monkeypatch, [4.0])
    rows = (tmp_path / "curve.csv").read_text().splitlines()
    assert [row.split(",")[1] for row in rows[1:]] == ["2.0", "5.0", "4.0"]


def test_tensorboard_can_show_the_curve(
    judge_of: JudgeOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = judge_of()
    considered(judge, monkeypatch, [2.0, 5.0, 4.0])
    judge.records.scalars({"train/loss": np.float64(0.5), "said": "no number"}, 300)
    (file,) = (tmp_path / "tensorboard").glob("events.*")
    shown: dict[str, list[tuple[int, float]]] = {}
    for event in EventFileLoader(str(file)).Load():
        for value in event.summary.value:
            number = value.tensor.float_val[0]
            shown.setdefault(value.tag, []).append((event.step, number))
    assert shown == {
        "evaluation/mean_return": [(100, 2), (200, 5), (300, 4)],
        "evaluation/best": [(100, 2), (200, 5), (300, 5)],
        "train/loss": [(300, 0.5)],
    }
