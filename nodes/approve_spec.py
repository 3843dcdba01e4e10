"""Approval of the specification: a person reads the equations before anything is trained."""

import re
from typing import Any, get_args

from langgraph.runtime import Runtime

from nodes.approval.edits import edited_spec, piece_text, spec_update
from nodes.approval.gate import Piece, excerpt, pass_gate
from nodes.debugging import blocking_findings
from nodes.reporting.texts import spec_markdown
from nodes.settings import RunSettings
from state.findings import Agent, Owner
from state.question import Shown
from state.run_state import RunState
from state.spec import Spec

SPEC_AGENTS: tuple[Owner, ...] = tuple(agent for agent in get_args(Agent) if agent != "coding")


def approve_spec(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Show spec.md; an edited specification is compiled and checked anew.

    Raises:
        langgraph.errors.GraphInterrupt: there is no answer yet.
        pydantic.ValidationError: the answer was not taken; the question is still pending.
    """
    found = blocking_findings(state)
    piece = Piece(
        gate="spec",
        question=(
            "The specification does not pass its checks as edited. How is it to go on?"
            if found
            else "Does the specification say what is meant?"
        ),
        shown=[
            Shown(title="spec.md", text=excerpt(spec_markdown(state), "spec.md")),
            *found_shown(state),
        ],
        agents=SPEC_AGENTS,
        maker=lambda remark: agent_for(remark, state.spec()),
        file="spec.json",
        blocked=f"It does not pass its checks: {found[0].message}" if found else "",
    )

    def edited(text: str) -> Spec:
        return edited_spec(state, piece_text(text, state.run_folder))

    def take(text: str) -> dict[str, Any]:
        return {**spec_update(state, edited(text)), "remarks": [], "code": None, "checks": None}

    return pass_gate(state, piece, take, edited)


def found_shown(state: RunState) -> list[Shown]:
    """What the checks found, if they found something that blocks."""
    found = blocking_findings(state)
    lines = [
        line
        for f in found
        for line in (f"{f.place}: {f.message}" if f.place else f.message, *f.episode)
    ]
    text = "\n".join(lines)
    return [Shown(title="findings of the checks", text=excerpt(text, "events.jsonl"))] * bool(found)


def agent_for(remark: str, spec: Spec) -> Owner:
    """The agent whose piece a remark is about, by the names that it uses."""

    def named(*names: str) -> bool:
        # A name of a letter or two may be a word of any language.
        telling = [re.escape(name).replace("_", "[_ ]") for name in names if len(name) > 2]
        return re.search(rf"\b({'|'.join(telling)})s?\b", remark, re.IGNORECASE) is not None

    if named("reward", "observation", *(term.name for term in spec.sar.reward)):
        return "sar"
    if named("termination", *(rule.variable for rule in spec.dynamics.rules)):
        return "environment"
    if named("parameter", *(parameter.name for parameter in spec.parameters)):
        return "parameter"
    return "modeling"
