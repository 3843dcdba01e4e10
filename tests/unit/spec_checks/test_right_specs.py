"""The checks have nothing to say about specifications that are right, and say so quickly."""

import time
from collections.abc import Callable

import pytest

from benchmarks.problems import PROBLEMS
from nodes.codegen.units import registry
from nodes.spec_checks.ladder import check_spec
from state.spec import Spec
from tests.environments.scheduling_spec import scheduling_spec
from tests.specs import drone, inventory, wireless

RIGHT: dict[str, Callable[[], Spec]] = {
    **{name: problem.spec for name, problem in PROBLEMS.items()},
    "small drone": drone, "small inventory": inventory, "small wireless": wireless,
    "scheduling": scheduling_spec,
}  # fmt: skip


@pytest.mark.parametrize("make", RIGHT.values(), ids=RIGHT)
def test_right_specifications_pass(make: Callable[[], Spec]) -> None:
    assert check_spec(make()) == []


@pytest.mark.parametrize("name", ["wireless", "inventory-management", "drone-delivery"])
def test_the_checks_take_less_than_a_third_of_a_second(name: str) -> None:
    registry()  # Pint's own start belongs to the compiler.
    spec = PROBLEMS[name].spec()
    started = time.process_time()
    check_spec(spec)
    assert time.process_time() - started < 0.3
