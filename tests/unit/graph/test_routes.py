import pytest
from langgraph.runtime import Runtime

from graph.context import RunContext
from graph.routes import (
    after_coding,
    after_executor,
    after_modeling,
    after_sar,
    after_send_back,
    after_train,
)
from state.artefacts import CodeArtefacts
from state.findings import CheckReport, Finding, Owner
from state.run_state import RunState
from state.training import TrainingRecord


def run_state(**fields: object) -> RunState:
    return RunState.model_validate({"description": "a task", **fields})


def allowing(rounds: int) -> Runtime[RunContext]:
    return Runtime(context=RunContext(max_debug=rounds))


def finding(owner: Owner, *, blocking: bool = True) -> Finding:
    return Finding(check="c", owner=owner, message="It is wrong.", blocking=blocking)


def test_first_pass_goes_through_all_agents() -> None:
    assert after_modeling(run_state()) == "sar"
    assert after_sar(run_state()) == "environment"


def test_correction_round_goes_straight_to_the_code() -> None:
    assert after_modeling(run_state(debug_rounds=1)) == "coding"
    assert after_sar(run_state(debug_rounds=1)) == "coding"


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


def test_only_a_policy_is_evaluated() -> None:
    record = TrainingRecord(
        method="dqn",
        timesteps=1,
        seconds=1,
        stopped_because="converged",
        best_evaluation=0,
    )
    assert after_train(run_state(training=record)) == "evaluate"
    assert after_train(run_state()) == "report"
