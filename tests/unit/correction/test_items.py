"""Every part of an answer is an item with a name of its own."""

import pytest

from benchmarks.catalogue import task_names
from benchmarks.frozen_specs import frozen_spec
from nodes.correction.items import items_of
from nodes.models.schemas import closed_schema, is_closed
from nodes.review import reply_schema
from state.review import REVIEWED, Reviewed
from state.run_state import RunState


def state_of(task: str) -> RunState:
    spec = frozen_spec(task)
    return RunState.model_validate({name: getattr(spec, name) for name in type(spec).model_fields})


@pytest.mark.parametrize("agent", REVIEWED)
@pytest.mark.parametrize("task", task_names())
def test_items_have_names_and_can_be_asked_about(task: str, agent: Reviewed) -> None:
    items = items_of(agent, state_of(task))
    names = [item.name for item in items]
    assert len(set(names)) == len(names)
    assert all(name and item.text for name, item in zip(names, items, strict=True))
    if items:
        assert is_closed(closed_schema(reply_schema(items)))


def test_an_agent_that_has_not_answered_has_no_items() -> None:
    empty = RunState(description="d")
    assert [items_of(agent, empty) for agent in REVIEWED] == [[]] * len(REVIEWED)


def test_items_say_where_they_come_from() -> None:
    items = {item.name: item for item in items_of("parameter", state_of("wireless"))}
    assert items["bandwidth"].sentence > 0
    assert items["bandwidth"].reading == "10 MHz"
