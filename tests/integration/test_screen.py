"""A short look at several candidates says what is worth a real one, whatever they do."""

import time
from pathlib import Path

import pytest

from benchmarks.repairs.starts import Start, all_starts, sources
from nodes.codegen.compile_spec import compile_spec
from nodes.codegen.program import Program
from nodes.settings import RunSettings
from nodes.trial import CHECKED, Reports, Several, attempts_at, screened

STARTS = all_starts()
START = STARTS["power-too-much"]
SETTINGS = RunSettings()
RIGHT = START.right[START.body]


def program_of(start: Start) -> Program:
    program, _ = compile_spec(start.spec)
    assert program is not None
    return program


def with_end(text: str) -> str:
    return RIGHT.replace("    return output", text)


def looked_at(folder: Path, *texts: str, last: str = "") -> Reports:
    faulty = sources(START.bodies)
    several = Several(START.body, faulty, [sources({START.body: text}) for text in texts], last)
    return screened(program_of(START), several, folder, SETTINGS)


def test_each_is_looked_at_up_to_its_first_fault(tmp_path: Path) -> None:
    raising = RIGHT.replace("argsort", "sort")
    right, silent, other = looked_at(tmp_path, RIGHT, START.bodies[START.body], raising)
    assert right is not None
    assert silent is not None
    assert other is not None
    assert right.clean
    assert right.passed[-1] == "constraints_hold"
    assert [finding.check for finding in silent.findings] == ["ranges_hold"]
    assert "unmet leaves its declared range" in silent.findings[0].message
    assert [finding.check for finding in other.findings] == ["finite_numbers"]
    assert "IndexError" in other.findings[0].found


def test_a_look_reaches_the_check_that_is_asked_for(tmp_path: Path) -> None:
    (right,) = looked_at(tmp_path, RIGHT, last="actions_matter")
    assert right is not None
    assert right.passed[-1] == "actions_matter"


@pytest.mark.timeout(120)
def test_a_candidate_without_end_costs_some_seconds(tmp_path: Path) -> None:
    endless = RIGHT.replace("    return output", "    while True:\n        pass\n    return output")
    began = time.monotonic()
    one, right, other = looked_at(tmp_path, endless, RIGHT, endless)
    assert time.monotonic() - began < 60
    assert one is not None
    assert right is not None
    assert other is not None
    assert one.findings[0].message == other.findings[0].message == "it takes too long"
    assert right.clean


def test_what_leaves_the_program_is_a_fault_like_others(tmp_path: Path) -> None:
    leaving = with_end("    raise SystemExit\n    return output")
    one, right = looked_at(tmp_path, leaving, RIGHT)
    assert one is not None
    assert right is not None
    assert "SystemExit" in one.findings[0].message
    assert right.clean


STUBBORN = """    while True:
        try:
            pass
        except:
            pass
    return output"""


@pytest.mark.timeout(120)
def test_what_catches_everything_is_broken_off_in_the_end(tmp_path: Path) -> None:
    one, right = looked_at(tmp_path, with_end(STUBBORN), RIGHT)
    assert one is not None
    assert right is not None
    assert one.findings[0].message == "it takes too long"
    assert right.clean


@pytest.mark.timeout(200)
def test_what_cannot_be_broken_off_takes_only_those_behind_it_along(tmp_path: Path) -> None:
    """Each core has a process of its own, which is ended at last; what it said before is kept."""
    counting = with_end("    sum(range(10**13))\n    return output")  # never asks for signals
    reports = looked_at(tmp_path, *4 * [RIGHT], counting, *4 * [RIGHT])
    assert all(report is not None and report.clean for report in reports[:4])
    assert reports[4] is None


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    known = {body.name: body for body in sources(START.right)}
    attempts = attempts_at(CHECKED, program_of(START), known, START.body, tmp_path, SETTINGS)
    faulty = START.bodies[START.body]
    halved = RIGHT.replace("capacity[k] *", "capacity[k] / 2 *")
    report, other = attempts.screen(faulty, [RIGHT, halved], "")
    assert report is not None
    assert other is not None
    assert report.clean
    assert other.clean
    assert report.unchanged == 1.0  # but for what cannot be
    assert other.unchanged < 1.0
    assert attempts.look(RIGHT).clean
    assert list(tmp_path.iterdir()) == []
