"""The table of mutants and checks is whole, and no check is there for nothing."""

import json
from collections import Counter
from functools import cache

import pytest

from benchmarks.mutants.__main__ import KEPT
from benchmarks.mutants.catalogue import TASKS, Mutant, all_mutants, right
from benchmarks.mutants.catching import Caught, caught
from nodes.spec_checks.ladder import SPEC_CHECKS, check_spec
from sandbox.programs.ladder import (
    DECLARED_CHECKS,
    GENERATED_CHECKS,
    STANDARD_CHECKS,
    TWIN_CHECKS,
)
from sandbox.programs.source_checks import SOURCE_CHECKS

ALL_CHECKS = {
    *SOURCE_CHECKS,
    "constructs",
    *(
        check.__name__
        for checks in (SPEC_CHECKS, GENERATED_CHECKS, STANDARD_CHECKS, DECLARED_CHECKS, TWIN_CHECKS)
        for check in checks
    ),
}


@cache
def mutants() -> dict[str, Mutant]:
    return {mutant.key: mutant for mutant in all_mutants()}


@cache
def table() -> dict[str, Caught]:
    found: dict[str, Caught] = json.loads(KEPT.read_text(encoding="utf-8"))
    return found


def test_the_table_holds_all_mutants_at_least_fifteen_of_each_task() -> None:
    assert set(table()) == set(mutants())
    of_task = Counter(mutant.task for mutant in mutants().values())
    assert set(of_task) == set(TASKS)
    assert min(of_task.values()) >= 15


def test_nine_of_ten_are_found() -> None:
    found = sum(bool(checks) for checks in table().values())
    assert found >= 0.9 * len(table())


@pytest.mark.parametrize("check", sorted(ALL_CHECKS))
def test_without_any_one_check_some_mutant_gets_through(check: str) -> None:
    alone = [key for key, checks in table().items() if set(checks) == {check}]
    assert alone, f"{check} finds no mutant that no other check finds"


@pytest.mark.parametrize("key", [k for k, m in mutants().items() if m.wrong == "spec"])
def test_the_table_is_what_the_checks_on_the_specification_say_today(key: str) -> None:
    kept = {check for check in table()[key] if check in {c.__name__ for c in SPEC_CHECKS}}
    assert {finding.check for finding in check_spec(mutants()[key].spec)} == kept


@pytest.mark.parametrize(
    "key",
    [
        "cart-pole: gravity of the moon",
        "mountain-car: flag at 0.45",
        "wireless: rate of the next user",
        "wireless: shadowing that drifts",
        "wireless: sees the gains of the slot before",
    ],
)
def test_the_table_is_what_the_checks_on_the_environment_say_today(key: str) -> None:
    assert set(caught(mutants()[key])) == set(table()[key])


@pytest.mark.parametrize("task", ["wireless", "cart-pole", "mountain-car"])
def test_right_ones_pass(task: str) -> None:
    assert caught(right(task), seed=7) == {}


def one_for_each_check() -> list[str]:
    """Mutants that one check alone finds, the first of each; all take a quarter of an hour."""
    sole = {
        next(iter(checks)): key for key, checks in reversed(table().items()) if len(checks) == 1
    }
    return sorted(sole.values())


@pytest.mark.slow
@pytest.mark.parametrize("key", one_for_each_check())
def test_what_only_one_check_finds_it_finds_today(key: str) -> None:
    assert set(caught(mutants()[key])) == set(table()[key])
