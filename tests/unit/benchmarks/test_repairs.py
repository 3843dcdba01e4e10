"""Starts of repairs are what they say, and a repair is told from what only looks like one."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.repairs.__main__ import header, row, summary
from benchmarks.repairs.judging import unlike
from benchmarks.repairs.rounds import Repair
from benchmarks.repairs.starts import Start, all_starts, sources
from nodes.body_rules import body_complaints
from nodes.check_request import check_request
from nodes.code_bodies import blamed_bodies
from nodes.codegen.compile_spec import compile_spec
from nodes.codegen.render import render_environment, render_spec_functions
from nodes.spec_checks.ladder import check_spec
from sandbox.programs.check import check
from sandbox.programs.findings import Finding
from state.findings import Finding as StateFinding
from tests.unit.hosted import hosts

STARTS = all_starts()
PLANTED = [start for start in STARTS.values() if start.planted]
PROBLEMS = [start for start in STARTS.values() if not start.planted]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def findings_of(start: Start, bodies: dict[str, str], steps: int = 250) -> list[Finding]:
    """What the ladder says; the code is our own, so it runs in this process."""
    program, _ = compile_spec(start.spec)
    assert program is not None
    Path("environment.py").write_text(render_environment(program, sources(bodies)))
    Path("spec_functions.py").write_text(render_spec_functions(program)[0])
    request = replace(check_request(start.spec, seed=0), random_steps=steps)
    asked = hosts(flat=False)
    return check(request, asked["environment"], asked["functions"])[1]


@pytest.mark.parametrize("start", PROBLEMS, ids=lambda start: start.name)
def test_right_specification_and_code_raise_no_finding(start: Start) -> None:
    assert check_spec(start.spec) == []
    for body in start.spec.dynamics.bodies:
        assert body_complaints(start.right[body.name], body) == []
    assert findings_of(start, start.right) == []


def test_at_least_twelve_faults_of_different_kinds_are_planted() -> None:
    seen = [start for start in PLANTED if start.seen]
    assert len(seen) >= 12
    assert len({start.kind for start in PLANTED}) == len(PLANTED)
    assert all(start.bodies[start.body] != start.right[start.body] for start in PLANTED)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("start", PLANTED, ids=lambda start: start.name)
def test_fault_is_told_to_the_coding_agent_first_of_all(start: Start) -> None:
    findings = findings_of(start, start.bodies)
    assert bool(findings) == start.seen
    for first in findings[:1]:
        told = StateFinding.model_validate(first.as_json())
        assert (told.owner, told.blocking) == ("coding", True), told
        assert blamed_bodies([told], list(start.right)) == {start.body}, told
        assert told.expected, told
        assert told.found, told
        assert len(str(first.as_json())) < 1200


def drawn(*numbers: float, seed: int = 0, situations: int = 5) -> np.ndarray:
    """Binomial numbers with these means of 10, drawn one after the other."""
    random = np.random.default_rng(seed)
    return np.stack(
        [random.binomial(10, p, (situations, 400)).astype(float) for p in numbers], axis=-1
    )


def test_numbers_that_are_not_drawn_must_be_equal() -> None:
    right = np.repeat(np.arange(12.0).reshape(4, 1, 3), 3, axis=1)
    assert unlike(right, (right + 1e-9).tolist()) == ""
    assert unlike(right, (right + 1e-3).tolist()) == "other numbers in 4 of 4 situations"
    assert "2 numbers in place of 3" in unlike(right, right[..., :2].tolist())
    assert unlike(right, [[1.0, 2.0], [3.0]]) == "it returns now more, now fewer numbers"
    assert "4 of 4" in unlike(right, np.full_like(right, np.nan).tolist())


def test_numbers_that_are_drawn_must_have_one_distribution_however_they_are_drawn() -> None:
    right = drawn(0.3, 0.5)
    for seed in range(1, 6):
        assert unlike(right, drawn(0.3, 0.5, seed=seed).tolist()) == ""
    assert "number 1" in unlike(right, drawn(0.3, 0.6, seed=1).tolist())
    mean = np.broadcast_to(right.mean(axis=(0, 1)), right.shape)
    assert "number 0" in unlike(right, mean.tolist())
    assert (
        unlike(right, np.where(right > 8, np.nan, right).tolist()) == "it returns NaN or infinity"
    )


def test_how_numbers_go_together_counts() -> None:
    right = drawn(0.5, 0.5)
    together = np.stack([drawn(0.5, seed=1)[..., 0]] * 2, axis=-1)
    assert "go together" in unlike(right, together.tolist())


def test_table_and_summary_say_what_was_measured() -> None:
    start, other = STARTS["lakes-empty"], STARTS["lakes"]
    yes, no = Repair(2, True, "right", 3, 61.2), Repair(None, True, "a|b\nc", 10, 400.0)
    found = {"lakes-empty": {"ladder": yes, "traceback": no}, "lakes": {"ladder": no}}
    assert header(["ladder"]).count("|") == 14
    assert row(start, found["lakes-empty"]).endswith(
        "| fish_one_year | round 2 | 3 | 61 | no: a/b c | 10 | 400 |"
    )
    assert summary(found, {s.name: s for s in (start, other)}, 5) == (
        "Repaired within 5 rounds. 1 planted faults: 1 with the messages of the checks, 0 with a "
        "plain traceback; 1 of these that raise in random episodes: 1 with the messages of the "
        "checks, 0 with a plain traceback; 1 specifications without code: 0 with the messages of "
        "the checks."
    )
