from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.context import RunContext
from graph.fingerprint import MAY_CHANGE, Fingerprint, graph_version

OTHERWISE: dict[str, Any] = {
    "model": "local",
    "base_url": "http://elsewhere",
    "task": "another",
    "seed": 1,
    "algorithm": "ppo",
    "steps": 10,
    "without": "ppo",
    "time_budget": 60.0,
    "threshold": 0.5,
    "max_reexaminations": 1,
    "correct": "sar",
    "no_error_correction": True,
    "clarify": "assume",
    "approve": "spec,code",
    "max_debug": 1,
    "max_tokens": 1000,
    "no_heuristic": True,
    "double_check": True,
    "unsafe_no_sandbox": True,
    "out": "elsewhere",
}


def fingerprint(description: str = "d", version: str = "v", **chosen: Any) -> Fingerprint:
    return Fingerprint.of(description, RunContext(**chosen), version)


def test_every_field_of_the_context_is_tried_below() -> None:
    assert {field.name for field in fields(RunContext)} == set(OTHERWISE)


@pytest.mark.parametrize("name", OTHERWISE)
def test_a_changed_option_is_named_unless_it_may_change(name: str) -> None:
    found = fingerprint().differences(fingerprint(**{name: OTHERWISE[name]}))
    if name in MAY_CHANGE:
        assert found == []
    else:
        assert len(found) == 1
        assert f"--{name.replace('_', '-')} was" in found[0]
        assert str(OTHERWISE[name]) in found[0]


def test_description_and_graph_are_compared() -> None:
    found = fingerprint().differences(fingerprint("other", "w"))
    assert len(found) == 2
    assert "description" in found[0]
    assert "version v to w" in found[1]


@given(st.sets(st.sampled_from(sorted(OTHERWISE))))
def test_survives_storage_and_gives_the_context_back(names: set[str]) -> None:
    context = RunContext(**{name: OTHERWISE[name] for name in names})
    stored = Fingerprint.of("d", context, "v")
    again = Fingerprint.model_validate_json(stored.model_dump_json())
    assert again.differences(stored) == []
    assert again.context() == context
    assert again.context(seed=7).seed == 7


def test_graph_version_changes_with_shape_and_types_only() -> None:
    edges = [("a", "b"), ("b", "c")]
    version = graph_version(["a", "b", "c"], edges, {"x": 1})
    assert version == graph_version(["c", "b", "a"], edges[::-1], {"x": 1})
    assert version != graph_version(["a", "b", "c"], edges[:1], {"x": 1})
    assert version != graph_version(["a", "b"], edges, {"x": 1})
    assert version != graph_version(["a", "b", "c"], edges, {"x": 2})


def test_choices_that_a_server_kept_are_read() -> None:
    metadata = {"model": "recorded", "task": "t", "steps": 3, "graph_version": "v", "step": 9}
    found = Fingerprint.kept_with(metadata, "d")
    assert found == fingerprint(model="recorded", task="t", steps=3)
    assert Fingerprint.kept_with({"step": 9}, "d") is None
    kept = fingerprint(seed=4)
    assert Fingerprint.kept_with({"fingerprint": kept.model_dump_json(), **metadata}, "d") == kept
