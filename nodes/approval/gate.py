"""What the three gates have in common: the question, and what follows from each answer."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from nodes.accounts import StageClock
from nodes.approval.choice import LONGEST_EDIT, Choice, NotUnderstood, choice_of
from nodes.approval.standing import MOST_ROUNDS, piece_hash, rounds_at
from nodes.person import answered, put
from state.approval import Approval, Gate
from state.findings import PERSON, CheckReport, Finding, Owner
from state.question import Question, Shown
from state.run_state import RunState

LONGEST_SHOWN = 24_000
"""Bytes of a text that is shown with a question, as JSON."""


@dataclass(frozen=True)
class Piece:
    """What lies before the person at a gate.

    Attributes:
        gate: which gate it is.
        question: the question in one sentence.
        shown: what is to be looked at.
        agents: who can be sent a remark.
        maker: the agent that a remark without a name goes to.
        file: name of the file in the run folder that can be edited, or empty.
        blocked: why it cannot be approved as it is, in one sentence, or empty.
    """

    gate: Gate
    question: str
    shown: Sequence[Shown]
    agents: Sequence[Owner]
    maker: Callable[[str], Owner]
    file: str = ""
    blocked: str = ""


def pass_gate(
    state: RunState,
    piece: Piece,
    take_edit: Callable[[str], dict[str, Any]],
    check_edit: Callable[[str], object],
) -> dict[str, Any]:
    """Put the question of ``piece`` to a person and return the update that follows.

    ``check_edit`` raises NotUnderstood for an edit that cannot be taken; ``take_edit`` gives the
    update for one that can.

    Raises:
        langgraph.errors.GraphInterrupt: there is no answer yet.
        pydantic.ValidationError: the answer was not taken; the question is still pending.
    """
    question = Question(
        kind=f"approve_{piece.gate}",
        agent=piece.maker(""),
        text=piece.question,
        choices=["approve", *_other_choices(piece)],
        shown=list(piece.shown),
        how_to_answer=_how_to_answer(piece),
    )

    def complaint(answer: str) -> str:
        try:
            choice = choice_of(answer, piece.gate, piece.agents)
            if choice.decision == "approved" and piece.blocked:
                raise NotUnderstood(piece.blocked)
            if choice.decision == "edited":
                check_edit(choice.text)
        except NotUnderstood as error:
            return str(error)
        return ""

    answer = put(question, complaint, longest=LONGEST_EDIT, objects=piece.gate == "spec")
    clock = StageClock(question.kind)
    choice = choice_of(answer, piece.gate, piece.agents)
    update, approval = _follow(state, piece, choice, take_edit)
    said = choice.text if choice.decision == "sent_back" else choice.decision
    return {
        **update,
        "approvals": [*state.approvals, approval],
        "answers": answered(state, question, said),
        "stages": clock.add_to(state, "done", _note(approval)),
    }


def _follow(
    state: RunState, piece: Piece, choice: Choice, take_edit: Callable[[str], dict[str, Any]]
) -> tuple[dict[str, Any], Approval]:
    approval = Approval(
        gate=piece.gate, decision=choice.decision, sha256=piece_hash(state, piece.gate)
    )
    if choice.decision == "approved":
        return {}, approval
    if rounds_at(state, piece.gate) >= MOST_ROUNDS:
        return _given_up(state, piece), approval.model_copy(update={"decision": "given_up"})
    if choice.decision == "edited":
        update = take_edit(choice.text)
        sha256 = piece_hash(state.model_copy(update=update), piece.gate)
        return update, approval.model_copy(update={"sha256": sha256})
    agent = choice.agent or piece.maker(choice.text)
    sent = {"agent": agent, "remark": choice.text}
    if agent == "training":
        return {}, approval.model_copy(update=sent)
    finding = Finding(check=PERSON, owner=agent, place=_place(state, agent), message=choice.text)
    return {"checks": CheckReport(findings=[finding])}, approval.model_copy(update=sent)


def _given_up(state: RunState, piece: Piece) -> dict[str, Any]:
    why = f"A person did not approve the {piece.gate} in {MOST_ROUNDS} rounds."
    if piece.gate == "policy":
        return {"account": f"{state.account} {why}".strip()}
    return {"status": "no_better_policy", "account": why}


def _place(state: RunState, agent: Owner) -> str:
    """Where the coding agent is to look: it asks again for the bodies that are named."""
    bodies = state.dynamics.bodies if state.dynamics and agent == "coding" else []
    return ", ".join(f"code body {body.name}" for body in bodies)


def _other_choices(piece: Piece) -> list[str]:
    edit = [f"edit: {piece.file}"] if piece.file else []
    return [*edit, "send back AGENT: what is wrong"]


def _how_to_answer(piece: Piece) -> str:
    edit = (
        f"`edit: FILE` takes a changed {piece.file}, which may also be the answer itself. "
        if piece.file
        else ""
    )
    return (
        f"`approve` goes on. {edit}Anything else in words is a remark, which goes back to the "
        f"agent that made it; `send back AGENT: ...` names one of {', '.join(piece.agents)}."
    )


def _note(approval: Approval) -> str:
    to = f" to {approval.agent}" if approval.agent else ""
    return approval.decision.replace("_", " ") + to


def excerpt(text: str, whole: str) -> str:
    """As much of ``text`` as a question can show; ``whole`` says where all of it is."""
    if _size(text) <= LONGEST_SHOWN:
        return text
    cut = text[:LONGEST_SHOWN]
    while _size(cut) > LONGEST_SHOWN:
        cut = cut[: len(cut) * 9 // 10]
    return f"{cut}\n... the whole is in {whole}"


def _size(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False).encode())
