"""The request for the checks says what the spec declares."""

import json

import pytest

from benchmarks.repairs.starts import all_starts
from nodes.check_request import check_request
from sandbox.programs.requests import (
    ActionSpace,
    CheckRequest,
    Deciding,
    DeclaredConstraint,
    DeclaredRange,
    WrittenQuantity,
)
from state.spec import Spec
from tests.environments.scheduling_spec import scheduling_spec


def test_request_of_a_generated_environment() -> None:
    request = check_request(scheduling_spec(), seed=3)
    assert request.action_space == ActionSpace("discrete", [4])
    assert request.observation_size == 4
    assert request.horizon == 100
    assert request.has_chance
    assert request.seed == 3
    assert DeclaredRange("gain", -130, -60, "environment") in request.ranges
    assert DeclaredRange("user", 0, 3, "environment") in request.ranges


def test_request_of_a_standard_environment() -> None:
    pieces = scheduling_spec().model_dump()
    pieces["dynamics"] = {"gymnasium_id": "Acrobot-v1"}
    request = check_request(Spec.model_validate(pieces), seed=0)
    assert request.gymnasium_id == "Acrobot-v1"
    assert request.ranges == []
    assert not request.has_chance
    assert request.observation_size == 4


def test_limits_may_be_expressions_over_parameters() -> None:
    pieces = scheduling_spec().model_dump()
    pieces["variables"][0]["high"] = "size(mean_gain) - 1"
    assert check_request(Spec.model_validate(pieces), 0).action_space == ActionSpace(
        "discrete", [4]
    )


def test_decision_without_limits_is_one_sentence() -> None:
    pieces = scheduling_spec().model_dump()
    pieces["variables"][0]["high"] = None
    with pytest.raises(ValueError, match="user needs a lowest and a highest value"):
        check_request(Spec.model_validate(pieces), 0)


def test_request_says_what_code_bodies_are_answerable_for() -> None:
    spec = all_starts()["robot"].spec
    request = check_request(spec, 0)
    moves = ["previous_row", "previous_column", "direction", "shelf"]
    assert request.written == [
        WrittenQuantity("shelf", "shelf", "put_shelves", ["side", "num_shelves"], [5, 5]),
        WrittenQuantity("row", "row", "drive", moves),
        WrittenQuantity("column", "column", "drive", moves),
    ]
    assert request.constraints == [
        DeclaredConstraint(
            "all_shelves_stand", "sum(shelf) == num_shelves", ["shelf"], ["put_shelves"]
        ),
        DeclaredConstraint(
            "robot_stands_free", "shelf[row, column] == 0", ["column", "row", "shelf"],
            ["put_shelves", "drive"],
        ),
    ]  # fmt: skip
    assert request.deciding == [Deciding("direction", "drive")]
    assert CheckRequest.from_json(json.loads(request.to_json())) == request


def test_decision_that_acts_by_a_rule_as_well_is_not_the_code_bodys_alone() -> None:
    request = check_request(all_starts()["generators"].spec, 0)
    assert request.deciding == [Deciding("runs")] * 3


def test_constraint_rests_on_code_by_way_of_what_is_computed() -> None:
    pieces = all_starts()["generators"].spec.model_dump()
    pieces["model"]["constraints"][0]["expression"] = "total >= 0"
    rule = {"variable": "total", "kind": "computed", "expression": "2 * sum(output)"}
    pieces["dynamics"]["rules"].append(rule)
    total = {"name": "total", "role": "system", "definition": "twice all", "dtype": "real"}
    pieces["variables"].append(total)
    constraint = check_request(Spec.model_validate(pieces), 0).constraints[0]
    assert (constraint.variables, constraint.bodies) == (["total"], ["load_generators"])
