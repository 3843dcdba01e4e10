"""What each agent's piece is built on, so that a revision leaves alone what it does not touch."""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from nodes.written_numbers import flat
from state.run_state import RunState

PIECE_OF = {
    "parameter": "parameters",
    "objective": "objective",
    "variable": "variables",
    "constraint": "constraints",
    "modeling": "model",
    "sar": "sar",
    "environment": "dynamics",
}
"""The field of the state that each agent of the specification writes."""

EXPLANATIONS = {"quote", "assumed", "definition", "latex", "objective_latex"}
"""Fields that explain a piece to people; no later piece is made from them."""

UNTELLING = {0.0, 1.0}
"""Numbers that stand in too many places to tell where a parameter's value was written out."""


@dataclass(frozen=True)
class _Own:
    """What the agent's own piece names and which numbers it holds."""

    names: set[str]
    numbers: set[float]


_Part = Callable[[RunState, _Own], Any]


def reads_of(agent: str, state: RunState) -> dict[str, str]:
    """Hashes of what the piece of ``agent`` is built on, by the piece that it comes from.

    Of the parameters and variables only those count that the piece names, or of which it holds
    the value written out. What is no agent of the specification reads all of it.
    """
    text = piece_of(agent, state)
    own = _Own(
        set(re.findall(r"[A-Za-z_]\w*", text)),
        {float(n) for n in re.findall(r"(?<![\w.])\d+\.?\d*(?:[eE][-+]?\d+)?", text)} - UNTELLING,
    )
    parts = _READS.get(agent, _ALL)
    hashes = {name: _hash(part(state, own)) for name, part in parts.items()}
    if "parameters" in parts:
        for p in state.parameters:
            if own.numbers & {abs(value) for value in flat(p.value)}:
                hashes[f"the value of {p.name}"] = _hash(p.value)
    return hashes


def piece_of(agent: str, state: RunState) -> str:
    """The piece of ``agent`` as JSON, without what only explains it; empty where it has none."""
    return json.dumps(_plain(getattr(state, PIECE_OF[agent]))) if agent in PIECE_OF else ""


def _whole(field: str) -> _Part:
    return lambda state, own: _plain(getattr(state, field))


def _used_parameters(state: RunState, own: _Own) -> Any:
    """Name, unit and shape of those that are named."""
    return [[p.name, p.unit, p.shape] for p in state.parameters if p.name in own.names]


def _used_variables(state: RunState, own: _Own) -> Any:
    return [_plain(v) for v in state.variables if v.name in own.names]


def _step_measure(state: RunState, own: _Own) -> Any:
    return state.model and state.model.step_measure


def _horizon(state: RunState, own: _Own) -> Any:
    return state.model and state.model.horizon


_ALL: dict[str, _Part] = {field: _whole(field) for field in PIECE_OF.values()}

_READS: dict[str, dict[str, _Part]] = {
    "parameter": {},
    "objective": {"parameters": _used_parameters},
    "variable": {"parameters": _used_parameters, "objective": _whole("objective")},
    "constraint": {"parameters": _used_parameters, "variables": _used_variables},
    "modeling": {
        "parameters": _used_parameters,
        "variables": _used_variables,
        "objective": _whole("objective"),
        "constraints": _whole("constraints"),
    },
    "sar": {
        "parameters": _used_parameters,
        "variables": _used_variables,
        "objective": _whole("objective"),
        "model": _step_measure,
    },
    "environment": {
        "parameters": _used_parameters,
        "variables": _whole("variables"),
        "constraints": _whole("constraints"),
        "sar": _whole("sar"),
        "model": _horizon,
    },
    "heuristic": {**_ALL, "code": lambda state, own: state.code and _plain(state.code.environment)},
}


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if key not in EXPLANATIONS}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def _hash(part: Any) -> str:
    return hashlib.sha256(json.dumps(part, sort_keys=True).encode()).hexdigest()[:12]
