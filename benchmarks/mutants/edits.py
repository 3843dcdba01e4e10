"""Small named edits of a right environment's text and of a right specification."""

from collections.abc import Callable
from typing import Any

Passages = list[tuple[str, str]]
"""What is replaced by what in the text of environment.py, wherever it stands."""

Pieces = dict[str, Any]
"""A specification as plain data."""

SpecEdit = Callable[[Pieces], None]


def replaced(source: str, passages: Passages) -> str:
    """``source`` with each passage replaced.

    Raises:
        ValueError: a passage is not there, so the edit fits another text.
    """
    for old, new in passages:
        if old not in source:
            raise ValueError(f"the passage {old!r} is not in the environment")
        source = source.replace(old, new)
    return source


def parameter(spec: Pieces, name: str) -> Pieces:
    """The parameter called ``name``."""
    return _named(spec["parameters"], "name", name)


def variable(spec: Pieces, name: str) -> Pieces:
    """The variable called ``name``."""
    return _named(spec["variables"], "name", name)


def term(spec: Pieces, name: str) -> Pieces:
    """The reward term called ``name``."""
    return _named(spec["sar"]["reward"], "name", name)


def rule(spec: Pieces, name: str) -> Pieces:
    """The rule of the variable ``name``."""
    return _named(spec["dynamics"]["rules"], "variable", name)


def without_term(spec: Pieces, name: str) -> None:
    """Take a reward term out."""
    spec["sar"]["reward"].remove(term(spec, name))


def constrain(spec: Pieces, name: str, expression: str, latex: str = "") -> None:
    """Add a constraint equation."""
    spec["model"]["constraints"].append({"name": name, "latex": latex, "expression": expression})


def add_variable(spec: Pieces, **fields: Any) -> None:
    """Add a variable; what is not given is as a system variable of one real number has it."""
    plain = {"role": "system", "definition": fields["name"], "dtype": "real", "quote": "",
             "assumed": "planted"}  # fmt: skip
    spec["variables"].append({**plain, **fields})


def _named(pieces: list[Pieces], key: str, name: str) -> Pieces:
    return next(piece for piece in pieces if piece[key] == name)
