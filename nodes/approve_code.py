"""Approval of the code: a person reads environment.py after it has passed its checks."""

from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from nodes.approval.choice import NotUnderstood
from nodes.approval.edits import edited_code, piece_text
from nodes.approval.gate import Piece, excerpt, pass_gate
from nodes.approval.standing import edited_last
from nodes.approve_spec import SPEC_AGENTS, agent_for, found_shown
from nodes.coding import BATCHED, POSSIBLE
from nodes.debugging import blocking_findings
from nodes.run_folder import artefact, remove, write_whole
from nodes.settings import RunSettings
from sandbox.results import ResultInvalid, read_bytes
from state.artefacts import CodeArtefacts
from state.findings import Owner
from state.question import Shown
from state.run_state import RunState

PROGRAM = "environment.py"


def approve_code(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Show environment.py; an edited one goes through the checks in the sandbox again.

    Raises:
        langgraph.errors.GraphInterrupt: there is no answer yet.
        pydantic.ValidationError: the answer was not taken; the question is still pending.
    """
    folder, found = Path(state.run_folder), blocking_findings(state)
    piece = Piece(
        gate="code",
        question=(
            "The code does not pass its checks as edited. How is it to go on?"
            if found
            else "Does the code do what is meant?"
        ),
        shown=[
            Shown(title=PROGRAM, text=excerpt(_text(folder), str(folder / PROGRAM))),
            *found_shown(state),
        ],
        agents=(*SPEC_AGENTS, "coding") if _coding_can_act(state) else SPEC_AGENTS,
        maker=lambda remark: _maker(remark, state),
        file=PROGRAM,
        blocked=_blocked(state, folder),
    )

    def edited(text: str) -> str:
        source = edited_code(piece_text(text, state.run_folder))
        if not found and source == _text(folder) and not _changed(state, folder):
            raise NotUnderstood("The edit changes nothing; answer `approve` to go on.")
        return source

    def take(text: str) -> dict[str, Any]:
        write_whole(folder / PROGRAM, edited(text))
        # These were compiled with the environment, and say no more what this one does.
        remove(folder, [BATCHED, POSSIBLE])
        edit = artefact(folder, PROGRAM).model_copy(update={"edited_by_person": True})
        return {"code": CodeArtefacts(environment=edit), "checks": None, "remarks": []}

    return pass_gate(state, piece, take, edited)


def _coding_can_act(state: RunState) -> bool:
    """The coding agent writes bodies only, but also undoes what a person edited."""
    bodies = state.dynamics.bodies if state.dynamics else []
    return bool(bodies) or edited_last(state) == "code"


def _maker(remark: str, state: RunState) -> Owner:
    if state.dynamics is not None and state.dynamics.bodies:
        return "coding"
    # All of the code is compiled from the specification: coding alone would not hear a word.
    agent = agent_for(remark, state.spec())
    if agent != "modeling":
        return agent
    return "coding" if edited_last(state) == "code" else "environment"


def _blocked(state: RunState, folder: Path) -> str:
    found = blocking_findings(state)
    if found:
        return f"It does not pass its checks: {found[0].message}"
    if _changed(state, folder):
        return (
            f"{PROGRAM} was changed after it was checked: `edit: {PROGRAM}` takes the change and "
            "checks it."
        )
    return ""


def _changed(state: RunState, folder: Path) -> bool:
    checked = state.code.environment if state.code else None
    try:
        return checked is None or artefact(folder, PROGRAM).sha256 != checked.sha256
    except ResultInvalid:
        return True


def _text(folder: Path) -> str:
    try:
        return read_bytes(folder, PROGRAM).decode(errors="replace")
    except ResultInvalid as error:
        return str(error)
