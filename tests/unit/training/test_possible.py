"""Which actions are possible: told from what is seen, proved, and used wherever one is chosen."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nodes.codegen.batched import render_batched
from nodes.codegen.compile_spec import compile_spec
from nodes.codegen.possible import render_possible
from nodes.codegen.render import render_environment
from nodes.training_plan import problem_of
from sandbox.training.actions import ActionCoding
from sandbox.training.attempt import run_attempt
from sandbox.training.environments import import_file, make_environment
from sandbox.training.policy import load_policy
from sandbox.training.possible import PossibleActions, wrong
from sandbox.training.problem import Problem
from sandbox.training.request import Attempt
from state.spec import Spec
from tests.specs import choosing
from tests.unit.training.test_checkpoint import broken_off

KINDS = {"one": choosing.serving, "several": choosing.ordering, "few": choosing.few}


def write(folder: Path, spec: Spec) -> Problem:
    program, problems = compile_spec(spec)
    assert program is not None, problems.findings
    (folder / "environment.py").write_text(render_environment(program, []))
    batched, why = render_batched(program)
    assert batched is not None, why
    (folder / "batched_environment.py").write_text(batched)
    source, why = render_possible(program)
    assert source is not None, why
    (folder / "possible_actions.py").write_text(source)
    return problem_of(spec)


def mask_of(folder: Path) -> PossibleActions:
    return PossibleActions.of(folder, ActionCoding(make_environment("", folder).action_space))


@pytest.mark.parametrize("kind", KINDS)
def test_the_environment_does_as_the_mask_says(tmp_path: Path, kind: str) -> None:
    problem = write(tmp_path, KINDS[kind]())
    assert wrong(make_environment("", tmp_path), mask_of(tmp_path), problem, 0) == ""


def test_one_choice_is_masked(tmp_path: Path) -> None:
    """Queues 0 to 2 can be served where somebody waits; 3 is to serve nobody."""
    write(tmp_path, choosing.serving())
    seen = np.array([[1, 0, 2], [0, 0, 0]], dtype=np.float32)
    assert mask_of(tmp_path)(seen).tolist() == [[1, 0, 1, 1], [0, 0, 0, 1]]


def test_each_of_several_choices_is_masked(tmp_path: Path) -> None:
    write(tmp_path, choosing.ordering())
    (row,) = mask_of(tmp_path)(np.array([[0, 2, 4, 3, 4, 2, 0, 1]], dtype=np.float32))
    parts = row.reshape(4, 5)
    assert parts.sum(axis=1).tolist() == [5, 3, 1, 2]
    assert parts[1].tolist() == [1, 1, 1, 0, 0]


def test_joint_choices_are_masked(tmp_path: Path) -> None:
    write(tmp_path, choosing.few())
    mask = mask_of(tmp_path)
    assert mask.count == 9
    (row,) = mask(np.array([[1, 2, 1, 0]], dtype=np.float32))
    assert row.reshape(3, 3).tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 0]]


def test_a_mask_that_says_what_is_not_so_is_found_out(tmp_path: Path) -> None:
    problem = write(tmp_path, choosing.serving())
    path = tmp_path / "possible_actions.py"
    path.write_text(path.read_text().replace("> 0", "> 1"))
    said = wrong(make_environment("", tmp_path), mask_of(tmp_path), problem, 0)
    assert "was done instead of" in said


def test_choices_that_bear_on_each_other_have_no_mask(tmp_path: Path) -> None:
    """Four of one good fit, but not of each: no list of options of each says so."""
    problem = write(tmp_path, choosing.sharing())
    said = wrong(make_environment("", tmp_path), mask_of(tmp_path), problem, 0)
    assert "though it was held impossible" in said


def test_a_mask_of_nothing_is_not_used(tmp_path: Path) -> None:
    problem = write(tmp_path, choosing.ordering("where(order <= room, order, 0 * stock)"))
    said = wrong(make_environment("", tmp_path), mask_of(tmp_path), problem, 0)
    assert said == "no choice was impossible"


@pytest.mark.parametrize(
    ("correction", "why"),
    [
        ("", "no decision has a rule"),
        ("where(uniform(0, 9) < waiting[0], served, 3)", "depends on chance"),
        ("where(hidden > 0, served, 3)", "hidden, which is not seen"),
        ("where(previous_waiting[0] > 0, served, 3)", "previous_waiting, which is not seen"),
    ],
)
def test_what_cannot_be_told_from_what_is_seen(correction: str, why: str) -> None:
    program, problems = compile_spec(choosing.serving(correction))
    assert program is not None, problems.findings
    source, said = render_possible(program)
    assert source is None
    assert why in said


def attempt_of(method: str, steps: int) -> Attempt:
    return Attempt(
        "one",
        method,
        0.9,
        steps,
        3,
        parallel=8,
        remedies=["possible actions"],
        evaluations=2,
        evaluation_episodes=4,
    )


@pytest.mark.parametrize(
    ("method", "kind"),
    [("dqn", "one"), ("qr-dqn", "one"), ("maskable-ppo", "one"), ("maskable-ppo", "several")],
)
def test_nothing_impossible_is_ever_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, kind: str
) -> None:
    """Neither while learning nor by the policy when it is loaded again, likeliest or drawn."""
    problem = write(tmp_path, KINDS[kind]())
    environment = import_file("environment", tmp_path).Environment
    step, broken = environment.step, []

    def watched(own: Any, action: Any) -> Any:
        mask = mask_of(tmp_path)(own.observation()[None])[0]
        answers = np.atleast_1d(action)
        parts = np.split(mask, np.cumsum(mask_of(tmp_path).sizes)[:-1])
        broken.extend(k for part, k in zip(parts, answers, strict=True) if not part[k])
        return step(own, action)

    out = tmp_path / "out"
    with monkeypatch.context() as patch:
        patch.setattr("sandbox.training.measure.STEPS", 40)
        run_attempt(problem, attempt_of(method, 300), tmp_path, out, 60.0)
        patch.setattr(environment, "step", watched)
        policy = load_policy(out, environment().action_space)
        own = environment()
        seen, _ = own.reset(seed=1)
        for time_step in range(12):
            action = policy.actions(seen[None], np.array([time_step]))[0]
            seen = own.step(action)[0]
    assert broken == []
    assert (out / "possible_actions.py").read_text() == (
        tmp_path / "possible_actions.py"
    ).read_text()


@pytest.mark.parametrize("method", ["dqn", "maskable-ppo"])
def test_a_masked_training_goes_on_from_its_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    problem, attempt = write(tmp_path, choosing.serving()), attempt_of(method, 2100)
    whole = run_attempt(problem, attempt, tmp_path, tmp_path / "whole", 60.0)
    broken_off(monkeypatch, problem, attempt, tmp_path, tmp_path / "killed", written=1, killed=2)
    del sys.modules["possible_actions"]
    on = run_attempt(problem, attempt, tmp_path, tmp_path / "killed", 60.0)
    assert (on["resumed"], on["policy_sha256"]) == (1, whole["policy_sha256"])
