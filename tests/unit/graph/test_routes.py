from itertools import pairwise

import pytest
from langgraph.runtime import Runtime

from graph.build import REVIEWS
from graph.context import RunContext
from graph.routes import (
    after_answer,
    after_clarify,
    after_coding,
    after_executor,
    after_heuristic,
    after_review,
    after_send_back,
    after_train,
    after_triage,
)
from state.artefacts import CodeArtefacts
from state.findings import PERSON, CheckReport, Finding, Owner
from state.review import REVIEWED, Doubt, OpenPoint, Review
from state.run_state import RunState


def run_state(**fields: object) -> RunState:
    return RunState.model_validate({"description": "a task", **fields})


def allowing(rounds: int) -> Runtime[RunContext]:
    return Runtime(context=RunContext(max_debug=rounds))


def finding(owner: Owner, *, blocking: bool = True) -> Finding:
    return Finding(check="c", owner=owner, message="It is wrong.", blocking=blocking)


def allowing_looks(most: int) -> Runtime[RunContext]:
    return Runtime(context=RunContext(max_reexaminations=most))


PLAIN = Runtime(context=RunContext(no_error_correction=True))
POINT = OpenPoint(question="Which?", assumption="this")


def doubted(seen: int = 1, point: OpenPoint | None = None, **fields: object) -> RunState:
    doubt = Doubt(item="x", score=0.3, reason="r", found_by="model", seen=seen, open_point=point)
    review = Review.model_validate({"doubts": [doubt], **fields})
    return run_state(reviews={"parameter": review})


def test_description_that_is_turned_away_goes_no_further() -> None:
    assert after_triage(run_state()) == "parameter"
    assert after_triage(run_state(status="turned_away")) == "__end__"


def test_first_pass_goes_through_all_agents_and_their_reviews() -> None:
    for agent, following in pairwise([*REVIEWED, "environment"]):
        assert after_answer(agent)(run_state(), Runtime()) == f"review_{agent}"
        assert after_review(agent)(run_state(), Runtime()) == following


def test_without_error_correction_edges_are_straight() -> None:
    for agent, following in pairwise([*REVIEWED, "environment"]):
        assert after_answer(agent)(run_state(), PLAIN) == following


def test_only_the_chosen_agents_are_reviewed() -> None:
    chosen = Runtime(context=RunContext(correct="objective, sar"))
    reviewed = {agent for agent in REVIEWED if after_answer(agent)(run_state(), chosen) in REVIEWS}
    assert reviewed == {"objective", "sar"}


def test_correction_round_goes_straight_to_the_code() -> None:
    for agent in ("modeling", "sar"):
        failed = run_state(remarks=[finding("variable")])
        assert after_answer(agent)(failed, Runtime()) == "coding"


def test_persons_remark_goes_through_all_that_builds_on_the_piece_and_is_not_reviewed() -> None:
    remark = finding("parameter").model_copy(update={"check": PERSON})
    for agent, following in pairwise([*REVIEWED, "environment"]):
        assert after_answer(agent)(run_state(remarks=[remark]), Runtime()) == following
    remark.owner = "modeling"
    assert after_answer("modeling")(run_state(remarks=[remark]), Runtime()) == "coding"


@pytest.mark.parametrize(
    ("state", "goes_to"),
    [
        (doubted(), "parameter"),
        (doubted(reexaminations=1), "parameter"),
        (doubted(reexaminations=2), "objective"),
        (doubted(reexaminations=1, unchanged=True), "objective"),
        (doubted(point=POINT), "parameter"),
        (doubted(point=POINT, seen=3, reexaminations=2), "clarify"),
        (doubted(point=POINT, seen=2, reexaminations=1, unchanged=True), "clarify"),
        (doubted(point=POINT, seen=2, reexaminations=1), "clarify"),
        (doubted(point=POINT, seen=1, reexaminations=2), "objective"),
        (doubted(point=POINT, seen=3, reexaminations=2, settled="assumed"), "objective"),
    ],
)
def test_doubts_go_back_then_to_a_person_then_on(state: RunState, goes_to: str) -> None:
    assert after_review("parameter")(state, allowing_looks(2)) == goes_to


def test_without_re_examinations_what_is_open_is_asked_at_once() -> None:
    assert after_review("parameter")(doubted(point=POINT), allowing_looks(0)) == "clarify"
    assert after_review("parameter")(doubted(), allowing_looks(0)) == "objective"


def test_answer_goes_back_to_its_agent_once_and_an_assumption_on() -> None:
    answered = doubted(settled="answered").model_copy(update={"clarified": "parameter"})
    assert after_clarify(answered) == "parameter"
    assert after_answer("parameter")(answered, Runtime()) == "objective"
    assumed = doubted(settled="assumed").model_copy(update={"clarified": "parameter"})
    assert after_clarify(assumed) == "objective"


def test_code_that_was_made_is_checked() -> None:
    assert after_coding(run_state(code=CodeArtefacts()), allowing(0)) == "executor"


@pytest.mark.parametrize(
    ("rounds", "allowed", "goes_to"),
    [(0, 5, "send_back"), (4, 5, "send_back"), (5, 5, "give_up"), (0, 0, "give_up")],
)
def test_failures_go_back_while_rounds_are_left(rounds: int, allowed: int, goes_to: str) -> None:
    checks = CheckReport(findings=[finding("sar")])
    failed = run_state(checks=checks, debug_rounds=rounds)
    assert after_coding(failed, allowing(allowed)) == goes_to
    checked = failed.model_copy(update={"code": CodeArtefacts()})
    assert after_executor(checked, allowing(allowed)) == goes_to


def test_rounds_without_a_context_are_the_default() -> None:
    failed = run_state(checks=CheckReport(findings=[finding("sar")]), debug_rounds=4)
    assert after_executor(failed, Runtime()) == "send_back"


def test_clean_checks_lead_on() -> None:
    only_remarked = CheckReport(findings=[finding("sar", blocking=False)])
    assert after_executor(run_state(checks=CheckReport()), allowing(0)) == "heuristic"
    assert after_executor(run_state(checks=only_remarked), allowing(0)) == "heuristic"


def test_rule_of_thumb_leads_to_training_or_is_held_against_the_specification() -> None:
    only_remarked = CheckReport(findings=[finding("sar", blocking=False)])
    assert after_heuristic(run_state(), allowing(0)) == "train"
    assert after_heuristic(run_state(checks=only_remarked), allowing(0)) == "train"
    shown = run_state(checks=CheckReport(findings=[finding("sar")]), debug_rounds=2)
    assert after_heuristic(shown, allowing(3)) == "send_back"
    assert after_heuristic(shown, allowing(2)) == "give_up"
    edit = {"gate": "spec", "decision": "edited", "sha256": "x"}
    edited = RunState.model_validate({**dict(shown), "approvals": [edit]})
    assert after_heuristic(edited, allowing(3)) == "approve_spec"


def test_missing_checks_never_lead_on() -> None:
    assert after_executor(run_state(), allowing(0)) == "give_up"


@pytest.mark.parametrize(
    ("owner", "mender"),
    [
        ("parameter", "modeling"),
        ("objective", "modeling"),
        ("variable", "modeling"),
        ("constraint", "modeling"),
        ("modeling", "modeling"),
        ("sar", "sar"),
        ("environment", "environment"),
        ("coding", "coding"),
        ("training", "coding"),
    ],
)
def test_first_blocking_finding_chooses_the_mender(owner: Owner, mender: str) -> None:
    remarks = [finding("coding", blocking=False), finding(owner), finding("environment")]
    assert after_send_back(run_state(remarks=remarks)) == mender


def test_failure_without_a_finding_goes_to_coding() -> None:
    assert after_send_back(run_state()) == "coding"


RECORD = {
    "method": "dqn", "timesteps": 1, "seconds": 1, "stopped_because": "converged",
    "best_evaluation": 0,
}  # fmt: skip
PLAN = {"discount": 0.9, "time_budget": 10}


def trained(ahead: float, *, recorded: bool = False, **fields: object) -> RunState:
    """A run whose policy is ahead of random decisions by so many times the error."""
    probe = {"policy": "random", "return_ahead": ahead, "return_error": 1.0}
    call = {"agent": "sar", "model": "m", "recorded": recorded}
    training = {**RECORD, "probes": [probe], "attempts": [RECORD] * 3}
    given = {"plan": PLAN, "training": training, "calls": [call], **fields}
    return run_state(**given)


def test_only_a_policy_is_evaluated() -> None:
    assert after_train(trained(5.0), allowing(5)) == "evaluate"
    assert after_train(run_state(), allowing(5)) == "report"


def test_a_policy_worth_nothing_is_held_against_the_specification_once() -> None:
    assert after_train(trained(0.5), allowing(5)) == "reconsider"
    assert after_train(trained(0.5), Runtime()) == "reconsider"
    assert after_train(trained(0.5, training_rounds=1), allowing(5)) == "evaluate"


def test_nobody_is_asked_where_nobody_can_answer_or_may_be_asked() -> None:
    assert after_train(trained(0.5), allowing(0)) == "evaluate"
    assert after_train(trained(0.5, recorded=True), allowing(5)) == "evaluate"
    assert after_train(trained(0.5, calls=[]), allowing(5)) == "evaluate"


def test_a_training_cut_short_shows_nothing() -> None:
    assert after_train(trained(0.5, plan={**PLAN, "steps": 100}), allowing(5)) == "evaluate"
