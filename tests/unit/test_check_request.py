"""The request for the checks says what the spec declares."""

import pytest

from nodes.check_request import check_request
from sandbox.programs.requests import ActionSpace, DeclaredRange
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
