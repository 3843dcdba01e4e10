from typing import Any

import pytest
from langgraph.runtime import Runtime
from pydantic import ValidationError

from graph.context import RunContext
from graph.stage import LISTENER, Node, stage
from nodes.settings import RunSettings
from state.run_state import RunState, Stage
from state.usage import ModelCall

STATE = RunState(description="d", stages=[Stage(name="before", status="done", seconds=1)])


def returning(update: dict[str, Any]) -> Node:
    def node(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
        return update

    return node


def run(node: Node, context: RunContext | None = None) -> dict[str, Any]:
    return stage("mine", node)(STATE, runtime=Runtime(context=context or RunContext()))


def test_entry_is_added_to_the_accounts() -> None:
    stages = run(returning({"title": "t"}))["stages"]
    assert [entry.name for entry in stages] == ["before", "mine"]
    assert stages[1].status == "done"
    assert 0 <= stages[1].seconds < 1


def test_entry_of_the_node_itself_is_kept() -> None:
    own = [*STATE.stages, Stage(name="mine", status="failed", seconds=2, note="why")]
    assert run(returning({"stages": own}))["stages"] == own


def test_repeated_calls_show_as_a_repair() -> None:
    calls = [ModelCall(agent="mine", model="m", attempt=attempt) for attempt in (1, 2)]
    assert run(returning({"calls": calls}))["stages"][-1].status == "repaired"


@pytest.mark.parametrize("update", [{"titel": "t"}, {"debug_rounds": "many"}, {"sar": "none"}])
def test_wrong_update_is_refused_where_it_is_made(update: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        run(returning(update))


def test_node_gets_settings_without_a_model_unless_it_asks_one() -> None:
    seen: list[RunSettings] = []

    def node(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
        seen.append(runtime.context)
        return {}

    run(node, RunContext(model="no such model", seed=5))
    assert isinstance(seen[0], RunSettings)
    assert (seen[0].seed, seen[0].model) == (5, None)
    with pytest.raises(ValueError, match="no such model"):
        stage("mine", node, asks_model=True)(
            STATE, runtime=Runtime(context=RunContext(model="no such model"))
        )


def test_missing_context_means_the_defaults() -> None:
    seen: list[RunSettings] = []

    def node(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
        seen.append(runtime.context)
        return {}

    stage("mine", node)(STATE, runtime=Runtime())
    assert seen == [RunContext().settings(None)]


def test_listener_hears_what_a_node_says() -> None:
    heard: list[Any] = []

    def node(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
        runtime.stream_writer({"stage": "mine", "line": "half way"})
        return {}

    token = LISTENER.set(heard.append)
    try:
        run(node)
    finally:
        LISTENER.reset(token)
    assert heard == [{"stage": "mine", "line": "half way"}]
