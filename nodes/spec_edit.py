"""Taking over a specification that a person has changed, in whole or in part."""

import json
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from nodes.codegen.compile_spec import compile_spec
from nodes.codegen.helpers import with_helpers
from nodes.dependencies import PIECE_OF
from state.run_state import RunState

AGENT_OF = {piece: agent for agent, piece in PIECE_OF.items()}
MADE_ANEW: dict[str, Any] = {
    "code": None, "checks": None, "remarks": [], "debug_rounds": 0, "heuristic": None,
    "plan": None, "training": None, "evaluation": None, "status": "running", "account": "",
}  # fmt: skip
"""What no longer counts once the specification has been changed."""


class EditError(ValueError):
    """A changed specification that cannot be taken; one sentence that says what is wrong."""


def edited_pieces(state: RunState, text: str) -> dict[str, Any]:
    """The pieces in ``text`` that differ from those in ``state``, as an update of it.

    Args:
        state: how far the run has come; only pieces that are made can be changed.
        text: JSON of a ``spec.json`` or of an object with some of its pieces.

    Raises:
        EditError: it is no such JSON, names something else, or does not fit together.
    """
    given = _object_in(text)
    if given.get("description", state.description) != state.description:
        raise EditError("the description cannot be edited; --revise takes a remark on it")
    for told in ("title", "description", "answers", "assumptions"):
        given.pop(told, None)  # a whole spec.json says these too; none of them is a piece
    unknown = [name for name in given if name not in AGENT_OF]
    if unknown:
        pieces = ", ".join(AGENT_OF)
        raise EditError(f"a specification has no piece {unknown[0]!r}; its pieces are {pieces}")
    ran = {stage.name for stage in state.stages}
    early = [name for name in given if AGENT_OF[name] not in ran]
    if early:
        raise EditError(f"{early[0]} is not made yet at this step; take a later one")
    replaced = {name: _validated(name, value) for name, value in given.items()}
    changed = {name: piece for name, piece in replaced.items() if piece != getattr(state, name)}
    if not changed:
        raise EditError("it changes nothing; change a piece, or leave it out")
    after = state.model_copy(update=changed)
    names = [p.name for p in after.parameters] + [v.name for v in after.variables]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise EditError(f"the name {twice[0]} is given twice; each parameter and variable has one")
    if after.dynamics is not None:
        changed["variables"] = with_helpers(after.parameters, after.variables, after.dynamics)
        _compile(after.model_copy(update=changed))
    return changed


def _object_in(text: str) -> dict[str, Any]:
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise EditError(f"it is no JSON: {error}") from error
    if not isinstance(given, dict):
        raise EditError("it is no JSON object with pieces of a specification")
    return given


def _validated(name: str, value: Any) -> Any:
    if value is None:
        raise EditError(f"{name}: it cannot be left empty")
    adapter: TypeAdapter[Any] = TypeAdapter(get_type_hints(RunState)[name])
    try:
        return adapter.validate_json(json.dumps(value))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in (name, *first["loc"]))
        raise EditError(f"{place[:200]}: {first['msg']}") from error


def _compile(state: RunState) -> None:
    """See that the pieces fit together.

    Raises:
        EditError: they do not.
    """
    if state.dynamics is not None and state.dynamics.gymnasium_id:
        return
    program, problems = compile_spec(state.spec())
    if program is None:
        finding = problems.findings[0]
        place = f"{finding.place}: " if finding.place else ""
        raise EditError(f"{place}{finding.message}")
