"""Approval of the policy: a person looks at its returns before the run is called finished."""

from typing import Any

from langgraph.runtime import Runtime

from nodes.approval.choice import NotUnderstood
from nodes.approval.gate import Piece, pass_gate
from nodes.approve_spec import SPEC_AGENTS
from nodes.settings import RunSettings
from state.question import Shown
from state.run_state import RunState
from state.training import Evaluation


def approve_policy(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Show the evaluation; what is sent back is trained again, or specified again.

    Raises:
        langgraph.errors.GraphInterrupt: there is no answer yet.
        pydantic.ValidationError: the answer was not taken; the question is still pending.
    """
    piece = Piece(
        gate="policy",
        question="Is the policy good enough?",
        shown=[Shown(title="evaluation", text=_numbers(state.evaluation, state.account))],
        agents=(*SPEC_AGENTS, "training"),
        maker=lambda remark: "training",
    )

    def edited(text: str) -> dict[str, Any]:
        raise NotUnderstood("A policy cannot be edited: approve it, or say what is wrong with it.")

    update = pass_gate(state, piece, edited, edited)
    last = update["approvals"][-1]
    if last.decision != "sent_back":
        return update
    if last.agent != "training":
        update["heuristic"] = None
    return {**update, "training": None, "evaluation": None, "status": "running", "account": ""}


def _numbers(evaluation: Evaluation | None, account: str) -> str:
    if evaluation is None:
        return account
    lines = [account, ""]
    for estimate in (evaluation.trained, *evaluation.baselines):
        lines.append(
            f"{estimate.policy:<10} mean return {estimate.mean:.6g}, 95 % interval "
            f"{estimate.low:.6g} to {estimate.high:.6g}, {estimate.episodes} episodes"
        )
    return "\n".join([*lines, *evaluation.notes])
