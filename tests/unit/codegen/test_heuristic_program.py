"""heuristic.py: what is seen by name, what is decided as an action, and how it is asked for."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from benchmarks.catalogue import task_names
from nodes import agent
from nodes.agent import prompt_templates
from nodes.codegen.heuristic_program import interface_of, render_heuristic
from nodes.heuristic_rules import heuristic_complaints
from state.heuristic import Heuristic
from state.parameters import Parameter
from state.run_state import RunState
from state.spec import Spec
from state.variables import Variable
from tests.environments.scheduling_spec import scheduling_spec
from tests.specs.drone import drone
from tests.specs.inventory import inventory
from tests.specs.wireless import wireless

RULE = Heuristic(rule='Do "it" \\ at once.', source="def heuristic(seen):\n    return 0")


def spec_of(decisions: list[Variable], seen: list[Variable], *more: str) -> Spec:
    """A problem of a standard environment, which needs no rules."""
    spec = scheduling_spec()
    sar = spec.sar.model_copy(
        update={
            "action": [d.name for d in decisions],
            "observation": [*(s.name for s in seen), *more],
        }
    )
    dynamics = spec.dynamics.model_copy(update={"gymnasium_id": "Any-v0", "rules": []})
    parameters = [Parameter(name="table", definition="t", value=[[1.0, 2.0], [3.0, 4.5]])]
    return spec.model_copy(
        update={
            "parameters": parameters,
            "variables": [*decisions, *seen],
            "sar": sar,
            "dynamics": dynamics,
        }
    )


def decision(name: str, dtype: str = "integer", **kind: Any) -> Variable:
    return Variable.model_validate(
        {"name": name, "role": "decision", "definition": "d", "dtype": dtype, **kind}
    )


def seen(name: str, dtype: str = "real", **kind: Any) -> Variable:
    return Variable.model_validate(
        {"name": name, "role": "system", "definition": "s", "dtype": dtype, **kind}
    )


LEVEL = seen("level")


def module_of(spec: Spec, heuristic: Heuristic = RULE) -> dict[str, Any]:
    names: dict[str, Any] = {}
    source = render_heuristic(spec, interface_of(spec), heuristic)
    exec(compile(source, "heuristic.py", "exec"), names)
    return names


def packed(decisions: list[Variable], value: Any) -> Any:
    return module_of(spec_of(decisions, [LEVEL]))["pack"](value)


def test_what_is_seen_is_unpacked_in_the_order_of_the_row() -> None:
    variables = [
        seen("place", "integer", shape=[2]),
        seen("open", "boolean"),
        seen("doors", "boolean", shape=[2]),
        seen("levels", shape=[2, 2]),
        seen("hour", "integer"),
        LEVEL,
    ]
    spec = spec_of([decision("go", low=0, high=1)], variables, "time_step")
    assert interface_of(spec).observation_size == 12
    row = np.array([3, 4, 1, 0, 1, 0.5, 1.5, 2.5, 3.5, 22.9999, 7.25, 6], dtype=np.float32)
    found = module_of(spec)["unpack"](row)
    assert list(found) == ["place", "open", "doors", "levels", "hour", "level", "time_step"]
    assert found["place"].tolist() == [3, 4]
    assert found["place"].dtype.kind == "i"
    assert found["open"] is True
    assert found["doors"].tolist() == [False, True]
    assert found["levels"].tolist() == [[0.5, 1.5], [2.5, 3.5]]
    assert (found["hour"], found["level"], found["time_step"]) == (23, 7.25, 6)
    assert all(isinstance(found[name], int) for name in ("hour", "time_step"))


def test_what_is_seen_cannot_be_changed_through_it() -> None:
    row = np.zeros(2)
    module_of(spec_of([decision("go", low=0, high=1)], [seen("x", shape=[2])]))["unpack"](row)[
        "x"
    ] += 1
    assert row.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("value", "action"),
    [(3, 0), (5, 2), ({"go": 4}, 1), (3.6, 1), (99, 2), (-99, 0), (np.int64(4), 1), ([5], 2)],
)
def test_one_choice_counts_from_its_lowest(value: Any, action: int) -> None:
    found = packed([decision("go", low=3, high=5)], value)
    assert found == action
    assert isinstance(found, int)


@pytest.mark.parametrize(("value", "action"), [("shut", 1), (0, 0), (np.str_("open"), 0)])
def test_options_go_by_name_or_number(value: Any, action: int) -> None:
    assert packed([decision("valve", labels=["open", "shut"])], value) == action


def test_several_choices_are_one_vector() -> None:
    decisions = [
        decision("order", shape=[3], low=2, high=9),
        decision("ship", "boolean"),
        decision("valves", shape=[2], labels=["open", "shut"]),
    ]
    action = packed(decisions, {"order": [2, 9.4, 50], "ship": True, "valves": ["shut", "open"]})
    assert action.tolist() == [0, 7, 7, 1, 1, 0]
    assert action.dtype == np.int64
    assert packed(decisions, {"order": 4, "ship": 0, "valves": 1}).tolist() == [2, 2, 2, 0, 1, 1]


def test_real_numbers_keep_their_own_units() -> None:
    decisions = [
        decision("release", "real", shape=[2, 2], low=-1, high=2.5),
        decision("pumps", low=1, high=4),
    ]
    action = packed(decisions, {"release": np.array([[0.5, 9], [-9, 1]]), "pumps": 2.6})
    assert action.tolist() == [0.5, 2.5, -1, 1, 3]
    assert action.dtype == np.float32


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"a": 1}, "no value for b"),
        (1, "no value for b"),
        ({"a": [1, 2, 3], "b": 1}, "a takes 2 numbers, not 3"),
        ({"a": float("nan"), "b": 1}, "a is not finite"),
        ({"a": 1, "b": "sideways"}, "sideways"),
    ],
)
def test_what_is_no_decision_is_told(value: Any, said: str) -> None:
    decisions = [decision("a", shape=[2], low=0, high=1), decision("b", labels=["up", "down"])]
    with pytest.raises(ValueError, match=said):
        packed(decisions, value)


PACK_ORDER = module_of(spec_of([decision("order", shape=[3], low=2, high=9)], [LEVEL]))["pack"]


@given(arrays.arrays(float, 3, elements=st.floats(-1e9, 1e9)))
def test_any_number_becomes_an_action_that_can_be_taken(values: Any) -> None:
    action = PACK_ORDER(values)
    assert action.shape == (3,)
    assert action.min() >= 0
    assert action.max() <= 7


def test_constants_are_at_hand() -> None:
    source = "def heuristic(seen):\n    return PARAMETERS['table'][1, 0] + math.floor(np.pi)"
    spec = spec_of([decision("go", low=0, high=9)], [LEVEL])
    assert module_of(spec, Heuristic(rule="r", source=source))["act"](np.zeros(1)) == 6


def test_program_imports_only_what_rules_may_use() -> None:
    source = render_heuristic(inventory(), interface_of(inventory()), RULE)
    assert re.findall(r"^\s*(?:import|from) (\w+)", source, flags=re.MULTILINE) == [
        "itertools",
        "math",
        "numpy",
    ]


def test_what_is_seen_but_no_variable_cannot_be_read() -> None:
    with pytest.raises(ValueError, match="'ghost', which is no variable"):
        interface_of(spec_of([decision("go", low=0, high=1)], [LEVEL], "ghost"))


def prompt_for(spec: Spec) -> str:
    interface = interface_of(spec)
    pieces: dict[str, Any] = {name: getattr(spec, name) for name in type(spec).model_fields}
    return (
        prompt_templates()
        .get_template("heuristic.md")
        .render(state=RunState(**pieces), seen=interface.seen, decided=interface.decided)
    )


@pytest.mark.parametrize("spec", [drone(), inventory(), wireless()], ids=lambda spec: spec.title)
def test_prompt_names_everything_that_is_seen_and_decided(spec: Spec) -> None:
    prompt = prompt_for(spec)
    for quantity in interface_of(spec).seen:
        assert f'seen["{quantity.name}"]: ' in prompt
    for variable in spec.decisions:
        assert f"\n- {variable.name}: " in prompt
        assert all(f" = {label}" in prompt for label in variable.labels)
    for parameter in spec.parameters:
        assert f'PARAMETERS["{parameter.name}"] = ' in prompt


def test_prompt_says_what_kind_of_answer_is_wanted() -> None:
    one = prompt_for(spec_of([decision("go", low=3, high=5, unit="m")], [LEVEL]))
    assert "It returns the decision:\n- go: whole number, at least 3, at most 5, in m (d)" in one
    several = prompt_for(
        spec_of(
            [decision("a", "real", shape=[2], low=0, high=1), decision("b", "boolean")], [LEVEL]
        )
    )
    assert '- "a": numpy array of shape (2,), at least 0, at most 1 (d)' in several
    assert '- "b": True or False (d)' in several


def test_prompt_knows_no_built_in_task_and_its_example_is_right() -> None:
    text = (Path(agent.__file__).parent / "prompts" / "heuristic.md").read_text()
    names = {word for task in task_names() for word in task.split("-")}
    assert not {word for word in names if re.search(rf"\b{word}\b", text.lower())}
    example = Heuristic.model_validate(json.loads(text[text.index('{"rule"') :]))
    assert heuristic_complaints(example.source) == []
    release = decision("release", "real", shape=[2], low=0, high=20)
    spec = spec_of([release], [seen("level", shape=[2])]).model_copy(
        update={
            "parameters": [
                Parameter(name=name, definition="d", value=value)
                for name, value in {"mean_rain": 5, "capacity": 40, "max_release": 20}.items()
            ]
        }
    )
    assert module_of(spec, example)["act"]([38.0, 10.0]).tolist() == [13, 0]
