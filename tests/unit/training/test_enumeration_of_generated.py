"""Environments rendered from specs are enumerated as they are."""

import numpy as np
import pytest

from nodes.codegen.compile_spec import compile_spec
from nodes.codegen.render import render_environment
from sandbox.training.enumeration import Limits, enumerate_environment
from sandbox.training.environments import Environment
from sandbox.training.uniform_draw import NotEnumerable
from sandbox.training.value_iteration import solve
from state.spec import Spec
from tests.specs.inventory import inventory
from tests.specs.wireless import wireless
from tests.unit.training.playing import play


def built(spec: Spec) -> Environment:
    program, _ = compile_spec(spec)
    assert program is not None
    names: dict[str, type[Environment]] = {}
    exec(render_environment(program, []), names)
    return names["Environment"]()


def one_item() -> Spec:
    pieces = inventory().model_dump()
    for variable in pieces["variables"]:
        variable["shape"] = [1]
    return Spec.model_validate(pieces)


def one_item_by_hand() -> float:
    demand = [np.exp(-8.0)]
    for k in range(1, 60):
        demand.append(demand[-1] * 8.0 / k)
    shares, wanted = np.array(demand), np.arange(60)
    values = np.zeros(41)
    for _ in range(100):
        after = np.empty(41)
        for available in range(41):
            sold = np.minimum(available, wanted)
            left = available - sold
            now = 6.0 * sold - 0.5 * left - (wanted - sold)
            after[available] = shares @ (now + values[left])
        for stock in range(41):
            delivered = np.minimum(np.arange(31), 40 - stock)
            values_of = after[stock + delivered] - 10.0 * (delivered > 0) - 2.0 * delivered
            values[stock] = values_of.max()
    return float(values[0])


def test_one_item_of_an_inventory() -> None:
    model = enumerate_environment(lambda: built(one_item()))
    solution = solve(model)
    assert model.full.size == 41
    assert solution.exact
    assert solution.optimum == pytest.approx(one_item_by_hand(), rel=1e-6)
    mean, error = play(built(one_item()), solution.policy, 60)
    assert abs(mean - solution.value) < 4 * error


def test_ten_items_have_too_many_joint_actions() -> None:
    with pytest.raises(NotEnumerable, match="joint actions"):
        enumerate_environment(lambda: built(inventory()))


def test_normal_draws_are_refused() -> None:
    with pytest.raises(NotEnumerable, match="continuous distribution"):
        enumerate_environment(lambda: built(wireless()), Limits(seconds=10))
