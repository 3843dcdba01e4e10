"""A revision as the nodes of the graph pass it: what is kept, what is done again, and why."""

from typing import Any

from nodes.built_on import PIECE_OF, reads_of
from state.revision import Redone, Revision
from state.run_state import RunState

REVIEW = "review_"
NOTED_AS = {"coding": ("coding", "compiler", "specification")}
"""Names under which a node writes its notes, where they are not its own."""
CHECKED = ("coding", "executor", "heuristic", "evaluate")
"""Nodes behind the specification that keep what they made of the same specification."""


def revision_of(state: RunState, thread_id: str, remark: str) -> Revision:
    """The revision that begins with the finished run in ``state``."""
    return Revision(
        thread_id=thread_id,
        remark=remark,
        reads={node: reads_of(node, state) for node in (*PIECE_OF, *CHECKED)},
        policy_sha256=policy_sha256(state),
    )


def policy_sha256(state: RunState) -> str:
    """Hash of the policy's file, empty where there is no policy."""
    policy = state.training.policy if state.training else None
    return policy.sha256 if policy else ""


def decision(state: RunState, node: str) -> Redone | None:
    """What becomes of ``node`` on the first pass of a revision; None where that is no question.

    Whatever comes to a node a second time, such as a failed check, is worked on as always.
    """
    revision = state.revision
    if revision is None or not revision.planned or revision.decided(node) is not None:
        return None
    reviewed = revision.decided(node.removeprefix(REVIEW)) if node.startswith(REVIEW) else None
    if reviewed is not None and reviewed.kept:
        return Redone(node=node, kept=True, why="the answer is the one that was reviewed")
    if node not in revision.reads:
        return None
    change = revision.change(node)
    if change is not None:
        return Redone(node=node, kept=False, why=change.reason)
    now = reads_of(node, state)
    before = revision.reads[node]
    changed = [name for name, digest in before.items() if now.get(name) != digest]
    if changed:
        why = f"{', '.join(changed)} changed"
        return Redone(node=node, kept=False, why=why)
    missing = _missing(state, revision, node)
    if missing:
        return Redone(node=node, kept=False, why=missing)
    return Redone(node=node, kept=True, why="nothing that it is built on has changed")


def _missing(state: RunState, revision: Revision, node: str) -> str:
    """Why a node behind the specification has nothing to keep, though that is the same."""
    coded = revision.decided("coding")
    match node:
        case "coding" if state.code is None:
            return "there is no code yet"
        case "executor" if coded is None or not coded.kept or state.checks is None:
            return "the code was compiled anew"
        case "evaluate" if coded is None or not coded.kept or state.evaluation is None:
            return "the code was compiled anew"
        case "evaluate" if policy_sha256(state) != revision.policy_sha256:
            return "there is another policy"
        case _:
            return ""


def noting(state: RunState, redone: Redone) -> dict[str, Any]:
    """The update of the state that keeps ``redone`` for the report."""
    assert state.revision is not None
    noted = [*state.revision.redone, redone]
    return {"revision": state.revision.model_copy(update={"redone": noted})}


def forgetting(state: RunState, redone: Redone) -> dict[str, Any]:
    """The update that takes back what was noted and thought of the work of a node done again."""
    if redone.kept:
        return {}
    own = tuple(f"{name}: " for name in NOTED_AS.get(redone.node, (redone.node,)))
    return {
        "notes": [note for note in state.notes if not note.startswith(own)],
        "reviews": {agent: r for agent, r in state.reviews.items() if agent != redone.node},
    }


def revision_values(state: RunState, agent: str) -> dict[str, str] | None:
    """What fills ``revision.md`` for ``agent``; None where no revision is its business now."""
    redone = decision(state, agent)
    if redone is None or state.revision is None:
        return None
    change = state.revision.change(agent)
    return {
        "remark": state.revision.remark,
        "why": redone.why,
        "instruction": change.instruction if change else "",
    }
