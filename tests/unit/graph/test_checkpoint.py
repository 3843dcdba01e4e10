import asyncio
import sqlite3
import warnings
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.runtime import Runtime
from pydantic import BaseModel

from benchmarks.catalogue import task_description, task_names
from graph.build import AGENTS
from graph.checkpoint import async_saver, store_at
from graph.context import RunContext
from graph.serialization import serializer, state_types
from graph.sqlite_store import SqliteStore
from graph.stage import stage
from graph.store import StoreFailure
from state.findings import CheckReport, Finding
from state.parameters import Parameter
from state.run_state import RunState, Stage
from state.usage import ModelCall


class Stranger(BaseModel):
    value: int = 1


def models_in(kind: type[BaseModel], seen: set[type[BaseModel]]) -> set[type[BaseModel]]:
    """All pydantic models that ``kind`` can hold."""
    seen.add(kind)
    for field in kind.model_fields.values():
        todo = [field.annotation]
        while todo:
            part = todo.pop()
            todo.extend(getattr(part, "__args__", ()))
            if isinstance(part, type) and issubclass(part, BaseModel) and part not in seen:
                models_in(part, seen)
    return seen


def test_allow_list_covers_everything_that_the_state_can_hold() -> None:
    allowed = set(state_types())
    held = models_in(RunState, set())
    assert len(held) > 15
    assert {(kind.__module__, kind.__name__) for kind in held} <= allowed
    assert all(module.startswith("state.") for module, _ in allowed)


def test_state_comes_back_typed_and_equal(recwarn: pytest.WarningsRecorder) -> None:
    values = {
        "parameters": [Parameter(name="p", definition="d", value=[1.0, 2.5], unit="m")],
        "checks": CheckReport(findings=[Finding(check="c", owner="sar", message="m")]),
        "stages": [Stage(name="s", status="done", seconds=0.5)],
        "calls": [ModelCall(agent="a", model="m", cost=None)],
        "title": "Ü",
    }
    serde = serializer()
    assert serde.loads_typed(serde.dumps_typed(values)) == values
    assert len(recwarn) == 0


def test_unknown_types_are_not_brought_to_life() -> None:
    serde = serializer()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        restored = serde.loads_typed(serde.dumps_typed({"x": Stranger()}))
    assert not isinstance(restored["x"], Stranger)


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        ("elsewhere/x.sqlite", "elsewhere/x.sqlite"),
        ("sqlite:///elsewhere/x.sqlite", "elsewhere/x.sqlite"),
        ("sqlite:////elsewhere/x.sqlite", "/elsewhere/x.sqlite"),
        ("postgresql://me:secret@host:5433/a?password=s", "postgresql://me@host:5433/a"),
        ("postgres://host/a", "postgres://host/a"),
    ],
)
def test_place_is_named_by_the_option_or_the_environment(
    place: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("A_LAMP_CHECKPOINTS", raising=False)
    assert str(store_at()) == "runs/checkpoints.sqlite"
    assert str(store_at(place)) == shown
    monkeypatch.setenv("A_LAMP_CHECKPOINTS", place)
    assert str(store_at()) == shown
    assert str(store_at("mine.sqlite")) == "mine.sqlite"


@pytest.mark.parametrize("place", ["mysql://host/a", "sqlite://x", "postgresql://[host/a"])
def test_other_places_are_refused(place: str) -> None:
    with pytest.raises(StoreFailure):
        store_at(place)


def test_store_makes_its_folder_and_closes_its_file(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "a" / "b.sqlite")
    assert not store.is_there()
    with store.open() as opened:
        assert opened.extents() == []
        connection = opened.saver.conn
    assert store.is_there()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("select 1")


def test_file_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("these are notes, and no database at all" * 100)
    with pytest.raises(StoreFailure, match="not a database"), SqliteStore(path).open():
        raise AssertionError("must not get here")
    with pytest.raises(StoreFailure, match="cannot keep threads"), SqliteStore(tmp_path).open():
        raise AssertionError("must not get here")


def test_server_opens_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "c.sqlite"
    monkeypatch.setenv("A_LAMP_CHECKPOINTS", str(path))

    async def count() -> int:
        async with async_saver() as saver:
            return len([found async for found in saver.alist(None)])

    assert asyncio.run(count()) == 0
    assert path.is_file()


def test_checkpoints_are_compressed_and_older_ones_are_read() -> None:
    values = {"notes": ["the same words again and again"] * 100}
    name, written = serializer().dumps_typed(values)
    plain_name, plain = JsonPlusSerializer().dumps_typed(values)
    assert len(written) < len(plain) / 10
    assert serializer().loads_typed((name, written)) == values
    assert serializer().loads_typed((plain_name, plain)) == values


@given(st.binary(max_size=200), st.integers(0, 200))
def test_broken_checkpoints_are_errors_and_nothing_worse(content: bytes, cut: int) -> None:
    name, written = serializer().dumps_typed({"a": content})
    assert serializer().loads_typed((name, written)) == {"a": content}
    if cut < len(written):
        with pytest.raises((ValueError, zlib.error)):
            serializer().loads_typed((name, written[:cut]))
    with pytest.raises((ValueError, zlib.error)):
        serializer().loads_typed((name, b"x" + content))
    with pytest.raises(ValueError, match="rot13"):
        serializer().loads_typed(("msgpack+rot13", written))


@pytest.mark.parametrize("task", task_names())
def test_what_agents_make_of_a_task_comes_back_equal(
    task: str, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    description = task_description(task)
    context = RunContext(model="recorded", task=task)
    state = RunState(description=description, run_folder=str(tmp_path))
    for name in [name for name in AGENTS if name not in ("revise", "heuristic")]:
        runtime = Runtime(context=context, stream_writer=lambda _: None)
        update = stage(name, AGENTS[name], asks_model=True)(state, runtime=runtime)
        serde = serializer()
        assert serde.loads_typed(serde.dumps_typed(update)) == update
        state = state.model_copy(update=update)
    assert state.dynamics is not None
    assert not recwarn
