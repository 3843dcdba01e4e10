"""The study of a learner's numbers: what it asks for next, and whom it ends early."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sandbox.training import study
from sandbox.training.numeric_choices import USUAL, numbers_of
from sandbox.training.request import Attempt

BASE = Attempt("1-ppo", "ppo", 0.99, 1000, 7, remedies=["scaled rewards"])


def studied(count: int, worth: Any, base: Attempt = BASE) -> list[Attempt]:
    """The base and ``count`` trials after it; ``worth`` says what an attempt comes to."""
    finished = [base]
    for _ in range(count):
        made = [{"best_evaluation": worth(attempt)} for attempt in finished]
        finished.append(study.next_trial(base, finished, made, []))
    return finished


@pytest.mark.parametrize("method", USUAL)
def test_numbers_stay_within_reason(method: str) -> None:
    base = replace(BASE, method=method)
    trials = studied(4, lambda attempt: float(attempt.seed), base)[1:]
    for trial in trials:
        assert 1e-4 <= trial.settings["learning_rate"] <= 1e-2
        assert numbers_of(method, trial.settings).width in (64, 128, 256)
        assert 0.9 <= trial.discount <= 0.998
        assert (trial.method, trial.remedies, trial.trial) == (method, base.remedies, True)
        assert trial.reasons[0].startswith("Trial ")
    assert len({trial.seed for trial in trials}) == 4


def test_the_same_attempts_lead_to_the_same_trial() -> None:
    assert studied(5, lambda a: float(a.seed)) == studied(5, lambda a: float(a.seed))


def test_it_looks_where_it_was_good() -> None:
    """Later trials come nearer to the learning rate that is best."""

    def worth(attempt: Attempt) -> float:
        return -abs(attempt.settings.get("learning_rate", 1e-3) - 3e-4)

    trials = studied(24, worth)[1:]
    distances = [-worth(trial) for trial in trials]
    assert sum(distances[-8:]) < sum(distances[:8])


def test_without_a_future_no_discount_is_chosen() -> None:
    trial = studied(1, lambda a: 1.0, replace(BASE, discount=0.0))[1]
    assert trial.discount == 0


def test_whoever_is_under_way_counts() -> None:
    made = [{"best_evaluation": 1.0}]
    one = study.next_trial(BASE, [BASE], made, [])
    other = study.next_trial(BASE, [BASE], made, [one])
    assert one.settings != other.settings
    assert one.seed != other.seed


def test_other_ways_of_training_say_nothing() -> None:
    other = replace(BASE, method="dqn")
    made = [{"best_evaluation": 1.0}] * 2
    alone = study.next_trial(BASE, [BASE], made[:1], [])
    assert study.next_trial(BASE, [BASE, other], made, [other]) == alone


def write_curve(folder: Path, name: str, values: list[float]) -> None:
    (folder / name).mkdir()
    rows = [f"{100 * k},{value},1" for k, value in enumerate(values)]
    lines = ["timesteps,mean_return,seconds", *rows]
    (folder / name / "curve.csv").write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("own", "hopeless"),
    [
        ([0.0] * 6, True),
        ([0.0] * 3, False),
        ([9.0] * 6, False),
        ([0, 0, 0, 0, 9, 9], False),
        ([], False),
    ],
    ids=["behind", "too early to say", "ahead", "late bloomer", "not begun"],
)
def test_whoever_is_behind_the_median_is_hopeless(
    tmp_path: Path, own: list[float], hopeless: bool
) -> None:
    before = [replace(BASE, name=f"{k}-ppo") for k in range(3)]
    for k, attempt in enumerate(before):
        write_curve(tmp_path, attempt.name, [float(step + k) for step in range(10)])
    trial = replace(BASE, name="4-ppo", trial=True)
    write_curve(tmp_path, trial.name, own)
    assert study.is_hopeless(trial, before, tmp_path) is hopeless
    assert not study.is_hopeless(trial, before[:2], tmp_path)


def test_an_unknown_number_is_named() -> None:
    with pytest.raises(ValueError, match="ppo has no number 'colour'"):
        numbers_of("ppo", {"colour": 1.0})
    with pytest.raises(ValueError, match="no algorithm 'additive'"):
        numbers_of("additive", {})
