import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodes.approval.choice import NotUnderstood
from nodes.approval.edits import edited_code, edited_spec, piece_text, spec_update
from state.artefacts import BodySource
from state.dynamics import CodeBody
from state.run_state import RunState
from state.spec import Spec
from tests.specs.wireless import wireless

SPEC = wireless()
WHOLE: dict[str, Any] = SPEC.model_dump(mode="json")


def state_of(spec: Spec, **fields: Any) -> RunState:
    return RunState(**{name: getattr(spec, name) for name in Spec.model_fields}, **fields)


STATE = state_of(SPEC)


def with_bandwidth(value: Any) -> dict[str, Any]:
    whole = copy.deepcopy(WHOLE)
    next(p for p in whole["parameters"] if p["name"] == "bandwidth")["value"] = value
    return whole


def test_a_changed_number_is_taken_whole_or_in_part() -> None:
    whole = with_bandwidth(20)
    for given_text in (whole, {"parameters": whole["parameters"]}):
        spec = edited_spec(STATE, json.dumps(given_text))
        bandwidth = spec.parameter("bandwidth")
        assert bandwidth is not None
        assert bandwidth.value == 20
        after = STATE.model_copy(update=spec_update(STATE, spec))
        assert after.spec() == spec


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("[]", "no JSON object"),
        (json.dumps(WHOLE), "changes nothing"),
        (json.dumps({"rewards": []}), "rewards: Extra inputs"),
        (json.dumps({"description": "another"}), "description cannot be edited"),
        (json.dumps(with_bandwidth("wide")), "parameters.1.value"),
        (json.dumps(with_bandwidth(float("nan"))), "The edit is no specification"),
        (json.dumps({"title": "\ud800"}), "The edit is no specification"),
        (json.dumps({"objective": None}), "objective: "),
        (
            json.dumps(
                {"sar": {**WHOLE["sar"], "reward": [{"name": "r", "expression": "profit"}]}}
            ),
            "does not compile: .*profit",
        ),
        (
            json.dumps({"dynamics": {"gymnasium_id": "CartPole-v1"}}),
            "does not ask for the standard environment",
        ),
    ],
)
def test_a_bad_edit_is_refused_in_a_sentence(text: str, says: str) -> None:
    with pytest.raises(NotUnderstood, match=says) as refused:
        edited_spec(STATE, text)
    assert "\n" not in str(refused.value)


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    if isinstance(value, (dict, list)):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        found += [inner for key, part in items for inner in paths(part, (*path, key))]
    return found


@given(st.sampled_from(paths(WHOLE)), LEAVES)
@settings(max_examples=300, deadline=None)
def test_any_edit_is_taken_or_refused(path: tuple[Any, ...], leaf: Any) -> None:
    whole = copy.deepcopy(WHOLE)
    place = whole
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = leaf
    try:
        spec = edited_spec(STATE, json.dumps(whole))
    except NotUnderstood:
        return
    assert spec != SPEC
    assert spec.description == SPEC.description


def test_a_body_stays_only_where_it_was_not_changed() -> None:
    kept, changed = (
        CodeBody(name=name, when="step", purpose="p", reads=[], writes=["rate"])
        for name in ("kept", "changed")
    )
    bodies = [BodySource(name=name, source="...") for name in ("kept", "changed")]

    def with_bodies(*bodies: CodeBody) -> Spec:
        dynamics = SPEC.dynamics.model_copy(update={"bodies": list(bodies)})
        return SPEC.model_copy(update={"dynamics": dynamics})

    state = state_of(with_bodies(kept, changed), bodies=bodies)
    edit = with_bodies(kept, changed.model_copy(update={"purpose": "another"}))
    assert spec_update(state, edit)["bodies"] == bodies[:1]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("class Environment(:", "not valid Python: .*line 1"),
        ("x = 1", "no class Environment"),
        ("(" * 5000, "not valid Python|cannot be read"),
        ("x = '\0'", "not valid Python|cannot be read"),
    ],
)
def test_code_that_cannot_be_an_environment_is_refused(text: str, says: str) -> None:
    with pytest.raises(NotUnderstood, match=says):
        edited_code(text)


def test_code_is_read_and_not_run(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    text = f"open({str(trace)!r}, 'w')\nclass Environment:\n    pass"
    assert edited_code(text) == text + "\n"
    assert not trace.exists()


def test_a_file_of_the_run_folder_can_be_named_and_no_other(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "spec.json").write_text("{}")
    (tmp_path / "secret.json").write_text("{}")
    (run / "link.json").symlink_to(tmp_path / "secret.json")
    (run / "long.json").write_text("x" * 60_001)
    (run / "latin.py").write_bytes(b"\xff")
    assert piece_text("spec.json", str(run)) == "{}"
    assert piece_text("{}", str(run)) == "{}"
    for name in ("missing.json", "link.json", "long.json", "latin.py"):
        with pytest.raises(NotUnderstood, match=name):
            piece_text(name, str(run))
    # What is no plain name is no name: it is taken for the piece itself, which it is not.
    assert piece_text("../secret.json", str(run)) == "../secret.json"
