"""A step read a second time: asked for, contained, and compared quantity by quantity."""

import json
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime

from benchmarks.frozen_specs import frozen_spec
from nodes.coding import coding
from nodes.executor import executor
from nodes.models.factory import choose_model
from nodes.second_reading import PROGRAM
from nodes.settings import RunSettings
from state.run_state import RunState
from tests.fake_chat_server import FakeChatServer, scripted

RIGHT = """def second_reading(q):
    P = PARAMETERS
    gain = 10 ** (q["channel_gain"][q["served_user"]] / 10)
    power = P["transmit_power"] * gain
    noise = 10 ** (P["noise_density"] / 10) * P["bandwidth"] * 1e6
    rate = P["bandwidth"] * math.log2(1 + power / noise)
    return {"signal_power": power, "data_rate": rate, "reward": [rate]}
"""
NATURAL = RIGHT.replace("math.log2", "math.log")
BREAKING = RIGHT.replace('q["served_user"]', 'q["nobody"]')


@pytest.fixture(name="state")
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunState:
    monkeypatch.setenv("OPENAI_API_KEY", "no-key")
    folder = tmp_path / "run"
    folder.mkdir()
    spec = frozen_spec("wireless")
    pieces: dict[str, Any] = {
        name: getattr(spec, name) for name in RunState.model_fields if hasattr(spec, name)
    }
    return RunState(run_folder=str(folder), **pieces)


def after(state: RunState, source: str, **settings: Any) -> tuple[RunState, list[str]]:
    """The state after coding and the checks, and the prompts that were sent."""
    with FakeChatServer(scripted(json.dumps({"source": source}))) as server:
        model = choose_model("openai:fake-model", base_url=server.openai_url)
        runtime = Runtime(context=RunSettings(model=model, **settings))
        for node in (coding, executor):
            state = RunState.model_validate({**dict(state), **node(state, runtime)})
        return state, server.prompts()


def test_two_readings_that_agree_leave_no_remark(state: RunState) -> None:
    state, prompts = after(state, RIGHT, double_check=True)
    assert state.checks is not None
    assert state.checks.findings == []
    assert "second_reading_agrees" in state.checks.passed
    assert 'q["channel_gain"]: numpy array of shape (4,), in dB' in prompts[0]
    assert "log2(1 +" not in prompts[0], "the rules themselves are not shown"


def test_the_first_quantity_that_differs_is_named(state: RunState) -> None:
    state, _ = after(state, NATURAL, double_check=True)
    assert state.checks is not None
    assert state.checks.clean, "a person has to say which of the two is right"
    finding = state.checks.findings[0]
    assert (finding.check, finding.place) == ("second_reading_agrees", "rule of data_rate")
    assert "by the second reading" in finding.expected


def test_a_reading_that_breaks_is_told(state: RunState) -> None:
    state, _ = after(state, BREAKING, double_check=True)
    assert state.checks is not None
    assert state.checks.clean
    assert "could not be compared: KeyError" in state.checks.findings[0].message


def test_nothing_is_asked_unless_it_is_wanted(state: RunState) -> None:
    state, prompts = after(state, RIGHT)
    assert prompts == []
    assert state.checks is not None
    assert state.checks.findings == []
    assert not (Path(state.run_folder) / PROGRAM).exists()
