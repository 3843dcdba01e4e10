"""Who gave a quantity its value, where, and out of what: for messages that can be acted upon."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from sandbox.programs.requests import CheckRequest
from sandbox.programs.subject import Transition, describe


def owner_of_quantity(request: CheckRequest, name: str) -> str:
    """The agent that wrote what gives ``name`` its value."""
    if request.written_as(name) is not None:
        return "coding"
    return next((r.owner for r in request.ranges if r.name == name), "environment")


def place_of_quantity(request: CheckRequest, name: str) -> str:
    """``name``, and the code body that returns it, if one does."""
    written = request.written_as(name)
    return f"{name}, which code body {written.body} returns" if written is not None else name


def given_to_body(request: CheckRequest, transition: Transition, name: str) -> str:
    """What the code body that returns ``name`` was given in this step, empty if none does."""
    written = request.written_as(name)
    told = told_values(transition, written.reads if written is not None else ())
    return f", given {told}" if told else ""


def told_values(transition: Transition, names: Iterable[str]) -> str:
    """Values after a step of those among ``names`` that are quantities."""
    quantities = transition.quantities
    return ", ".join(
        f"{name} = {describe(_plain(quantities[name]))}" for name in names if name in quantities
    )


def _plain(value: Any) -> Any:
    return np.asarray(value) if isinstance(value, list) else value
