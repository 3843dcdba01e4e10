"""Taking over a specification that a person has changed, in whole or in part."""

import json
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from nodes.approval.choice import NotUnderstood
from nodes.approval.edits import edited_spec, object_in, spec_update
from nodes.built_on import PIECE_OF
from state.run_state import RunState

AGENT_OF = {piece: agent for agent, piece in PIECE_OF.items()}
MADE_ANEW: dict[str, Any] = {
    "code": None, "checks": None, "remarks": [], "debug_rounds": 0, "heuristic": None,
    "plan": None, "training": None, "evaluation": None, "status": "running", "account": "",
}  # fmt: skip
"""What no longer counts once the specification has been changed."""


def edited_pieces(state: RunState, text: str) -> dict[str, Any]:
    """The pieces in ``text`` that differ from those in ``state``, as an update of it.

    Args:
        state: how far the run has come; only pieces that are made can be changed.
        text: JSON of a ``spec.json`` or of an object with some of its pieces.

    Raises:
        NotUnderstood: it is no such JSON, names something else, or does not fit together.
    """
    if state.dynamics is not None:
        update = spec_update(state, edited_spec(state, text))
        return {name: value for name, value in update.items() if value != getattr(state, name)}
    given = object_in(text)
    ran = {stage.name for stage in state.stages}
    early = [name for name in given if name in AGENT_OF and AGENT_OF[name] not in ran]
    if early:
        raise NotUnderstood(
            f"The piece {early[0]} is not made yet at this step: leave it out or take a later step."
        )
    unknown = [name for name in given if name not in AGENT_OF]
    if unknown:
        pieces = ", ".join(AGENT_OF)
        raise NotUnderstood(
            f"A specification has no piece {unknown[0]!r}; its pieces are {pieces}."
        )
    replaced = {name: _validated(name, value) for name, value in given.items()}
    changed = {name: piece for name, piece in replaced.items() if piece != getattr(state, name)}
    if not changed:
        raise NotUnderstood("The edit changes nothing.")
    return changed


def _validated(name: str, value: Any) -> Any:
    if value is None:
        raise NotUnderstood(f"{name}: it cannot be left empty.")
    adapter: TypeAdapter[Any] = TypeAdapter(get_type_hints(RunState)[name])
    try:
        return adapter.validate_json(json.dumps(value))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in (name, *first["loc"]))
        raise NotUnderstood(
            f"The edit is no specification: {place[:200]}: {first['msg']}."
        ) from error
