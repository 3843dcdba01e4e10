"""What the environment agent's answer is held to."""

import pytest
from pydantic import ValidationError

from nodes.environment import reply_schema, standard_complaints
from state.dynamics import Rule

RULE = Rule(variable="x", kind="fixed", initial="0")


@pytest.mark.parametrize(
    ("description", "named"),
    [
        ("Please use Gymnasium's CartPole-v1 as it is.", True),
        ("Use the environment cartpole of Gymnasium.", True),
        ("A pole on a cart is to be kept upright.", False),
        ("A cart with a heavier pole than usual.", False),
    ],
)
def test_a_standard_environment_is_taken_only_by_name(description: str, named: bool) -> None:
    assert (standard_complaints("CartPole-v1", description) == []) is named


def test_each_quantity_needs_a_rule() -> None:
    schema = reply_schema("A shop orders bread.", 2)
    with pytest.raises(ValidationError):
        schema(rules=[RULE])
    assert len(schema(rules=[RULE, RULE]).rules) == 2


def test_a_standard_environment_needs_none() -> None:
    schema = reply_schema("Use MountainCar-v0.", 2)
    assert schema(gymnasium_id="MountainCar-v0").rules == []
