"""Where a run goes next: pure functions of the state and of what the caller chose."""

from collections.abc import Callable
from typing import Literal

from langgraph.runtime import Runtime

from graph.context import RunContext
from nodes.approval.standing import edited_last, is_settled
from nodes.correction.questions import examine_again, question_about
from nodes.debugging import blocking_findings
from nodes.shortfall import shortfall
from state.findings import PERSON, Agent, Owner
from state.review import REVIEWED, Reviewed
from state.run_state import RunState

TRAINING_ROUNDS = 1
"""Times that the outcome of training may send the work back."""
Mender = Literal["modeling", "sar", "environment", "coding"]

# A finding goes to the agent whose piece holds the expression that is wrong. The pieces before
# the model are words and numbers only: what is wrong with them is mended where they are used.
MENDERS: dict[Owner, Mender] = {
    "parameter": "modeling",
    "objective": "modeling",
    "variable": "modeling",
    "constraint": "modeling",
    "modeling": "modeling",
    "sar": "sar",
    "environment": "environment",
    "coding": "coding",
    "training": "coding",
}


NEXT_AGENT: dict[Reviewed, str] = dict(zip(REVIEWED, [*REVIEWED[1:], "environment"], strict=True))
"""Who answers after an agent whose answer is settled."""

Route = Callable[[RunState, Runtime[RunContext]], str]


def after_start(state: RunState) -> Literal["intake", "revise"]:
    """A run of its own begins with its description, a revised one with the remark."""
    return "intake" if state.revision is None else "revise"


def after_triage(state: RunState) -> Literal["parameter", "__end__"]:
    """What is no decision problem goes no further."""
    return "__end__" if state.status == "turned_away" else "parameter"


def after_answer(agent: Reviewed) -> Route:
    """Where an answer of ``agent`` goes: to its review, if it has one and nobody settled it.

    In a correction round it goes straight to the code. What a person's remark is about is not
    reviewed: that person will look at it.
    """

    def route(state: RunState, runtime: Runtime[RunContext]) -> str:
        if state.correcting:
            return "coding"
        review = state.reviews.get(agent)
        corrected = not state.remarks and agent in (runtime.context or RunContext()).corrected()
        return f"review_{agent}" if corrected and not (review and review.settled) else (
            NEXT_AGENT[agent]
        )  # fmt: skip

    return route


def after_review(agent: Reviewed) -> Route:
    """Back to ``agent`` while looking again may help, then to a person with what stays open."""

    def route(state: RunState, runtime: Runtime[RunContext]) -> str:
        review = state.reviews.get(agent)
        most = (runtime.context or RunContext()).max_reexaminations
        if review is not None and examine_again(review, most):
            return agent
        return "clarify" if question_about(agent, state) else NEXT_AGENT[agent]

    return route


def after_clarify(state: RunState) -> str:
    """Back to the agent whose doubts were answered; with an assumption, on to the next."""
    agent = state.clarified
    if agent is None:
        return "environment"
    return agent if state.reviews[agent].settled == "answered" else NEXT_AGENT[agent]


def after_coding(
    state: RunState, runtime: Runtime[RunContext]
) -> Literal["executor", "approve_spec", "approve_code", "send_back", "give_up"]:
    """Code that was made is checked; a specification that makes none is a failed check."""
    return "executor" if state.code is not None else _correct(state, runtime)


def after_executor(
    state: RunState, runtime: Runtime[RunContext]
) -> Literal["approve_spec", "approve_code", "heuristic", "send_back", "give_up"]:
    """Go on with what passed its checks; send back what did not while rounds are left."""
    passed = state.checks is not None and state.checks.clean
    return _next_gate(state, runtime) if passed else _correct(state, runtime)


def after_heuristic(
    state: RunState, runtime: Runtime[RunContext]
) -> Literal["train", "approve_spec", "approve_code", "send_back", "give_up"]:
    """On to training, unless the rule of thumb showed the specification to be wrong."""
    return _correct(state, runtime) if blocking_findings(state) else "train"


def after_send_back(state: RunState) -> Agent:
    """To the agent that can mend the first open finding, or whom a person chose."""
    findings = [finding for finding in state.remarks if finding.blocking]
    if not findings:
        return "coding"
    owner = findings[0].owner
    return owner if findings[0].check == PERSON and owner != "training" else MENDERS[owner]


def after_train(
    state: RunState, runtime: Runtime[RunContext]
) -> Literal["evaluate", "reconsider", "report"]:
    """A training that left no policy has nothing to evaluate.

    One that shows the specification to be at fault is held against it once, where rounds are
    allowed at all and a model is there to answer: recorded replies know of no such question.
    """
    if state.training is None:
        return "report"
    allowed = (runtime.context or RunContext()).max_debug > 0
    asked = any(not call.recorded for call in state.calls)
    left = state.training_rounds < TRAINING_ROUNDS
    return "reconsider" if allowed and asked and left and shortfall(state) else "evaluate"


def after_evaluate(
    state: RunState, runtime: Runtime[RunContext]
) -> Literal["approve_policy", "report"]:
    """A policy that was evaluated is put before a person, if one wants to see it."""
    wanted = "policy" in (runtime.context or RunContext()).gates
    return "approve_policy" if wanted and state.evaluation is not None else "report"


def after_approval(
    state: RunState, runtime: Runtime[RunContext]
) -> Literal[
    "approve_spec",
    "approve_code",
    "coding",
    "executor",
    "heuristic",
    "train",
    "send_back",
    "report",
]:
    """Where the last decision of a person leads."""
    last = state.approvals[-1]
    if last.decision == "sent_back":
        return "train" if last.agent == "training" else "send_back"
    if last.decision == "given_up" or last.gate == "policy":
        return "report"
    if last.decision == "edited":
        return "coding" if last.gate == "spec" else "executor"
    return _next_gate(state, runtime)


def _next_gate(
    state: RunState, runtime: Runtime[RunContext]
) -> Literal["approve_spec", "approve_code", "heuristic"]:
    """To the first gate that a person wants and has not passed, else on to training."""
    wanted = (runtime.context or RunContext()).gates
    if "spec" in wanted and not is_settled(state, "spec"):
        return "approve_spec"
    if "code" in wanted and not is_settled(state, "code"):
        return "approve_code"
    return "heuristic"


def _correct(
    state: RunState, runtime: Runtime[RunContext]
) -> Literal["approve_spec", "approve_code", "send_back", "give_up"]:
    """Back to the agent at fault, but what a person edited back to that person."""
    edited = edited_last(state)
    if edited == "code":
        return "approve_code"
    # The bodies are not in the edit: the coding agent writes them.
    if edited == "spec" and any(f.owner != "coding" for f in blocking_findings(state)):
        return "approve_spec"
    max_debug = (runtime.context or RunContext()).max_debug
    return "send_back" if state.debug_rounds < max_debug else "give_up"
