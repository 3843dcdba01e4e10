"""The gates in whole runs of the graph, with stand-ins for the other nodes."""

import json
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime

from graph.answers import Answers
from graph.context import RunContext
from graph.outcome import RunOutcome
from nodes.approval.standing import MOST_ROUNDS
from nodes.run_folder import artefact, write_whole
from nodes.settings import RunSettings
from state.artefacts import Artefact, CodeArtefacts
from state.findings import CheckReport, Finding
from state.run_state import RunState
from tests.integration.graph.test_execution import RECORD, Play
from tests.specs.wireless import wireless

SPEC = wireless()
PIECES = {name: getattr(SPEC, name) for name in type(SPEC).model_fields if name != "description"}
PROGRAM = "class Environment:\n    pass\n"
BROKEN = "class Environment:\n    broken = True\n"
COMPILED_WITH_IT = ("batched_environment.py", "possible_actions.py")
EVERYTHING = "spec,code,policy"
AGENTS = "parameter objective variable constraint modeling sar environment".split()


def environment(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    return {**PIECES, "title": f"asked {len(state.stages)} stages in"}


def coding(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    folder = Path(state.run_folder)
    write_whole(folder / "environment.py", PROGRAM)
    for name in COMPILED_WITH_IT:
        write_whole(folder / name, PROGRAM)
    return {"code": CodeArtefacts(environment=artefact(folder, "environment.py")), "checks": None}


def executor(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    source = (Path(state.run_folder) / "environment.py").read_text()
    assert state.model is not None
    wrong = [word for word in ("broken",) if word in source]
    wrong += ["horizon"] if state.model.horizon == 13 else []
    findings = [Finding(check="c", owner="sar", message=f"It is {word}.") for word in wrong]
    return {"checks": CheckReport(findings=findings)}


def train(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    policy = Artefact(path="policy.zip", sha256=f"{len(state.approvals):064x}")
    return {"training": RECORD.model_copy(update={"policy": policy})}


@pytest.fixture
def play(tmp_path: Path) -> Play:
    acts = {"environment": environment, "coding": coding, "executor": executor, "train": train}
    return Play(tmp_path, acts=acts)


def context(gates: str = EVERYTHING) -> RunContext:
    return RunContext(unsafe_no_sandbox=True, approve=gates)


def answer(play: Play, *answers: str, gates: str = EVERYTHING) -> RunOutcome:
    """Resume with each answer in turn; what ran after the first of them is in ``play.ran``."""
    play.ran.clear()
    for text in answers:
        outcome = play.run(context(gates), resume=True, answers=Answers(text))
    return outcome


def begin(play: Play, gates: str = EVERYTHING) -> str:
    return asked(play.run(context(gates)))


def asked(outcome: RunOutcome) -> str:
    assert outcome.status == "waiting"
    assert outcome.question is not None
    return outcome.question.kind


def test_without_gates_nobody_is_asked(play: Play) -> None:
    assert play.run(context("none")).status == "trained"


def test_all_gates_in_their_order(play: Play) -> None:
    assert begin(play) == "approve_spec"
    assert play.ran[-1] == "executor"
    assert asked(answer(play, "approve")) == "approve_code"
    assert play.ran == []
    assert asked(answer(play, "yes")) == "approve_policy"
    assert play.ran == ["heuristic", "train", "evaluate"]
    outcome = answer(play, "ok")
    assert outcome.status == "trained"
    assert play.ran == ["report"]
    state = play.state()
    assert [(a.gate, a.decision) for a in state.approvals] == [
        ("spec", "approved"), ("code", "approved"), ("policy", "approved"),
    ]  # fmt: skip
    assert [a.answer for a in state.answers] == ["approved"] * 3


@pytest.mark.parametrize("gate", ["spec", "code", "policy"])
def test_one_gate_alone(play: Play, gate: str) -> None:
    assert begin(play, gate) == f"approve_{gate}"
    outcome = answer(play, "approve", gates=gate)
    assert outcome.status == "trained"


def test_the_person_sees_the_piece(play: Play) -> None:
    begin(play)
    for piece in ("R_t|rate", PROGRAM.strip(), "95 % interval"):
        outcome = play.run(context(), resume=True)
        assert outcome.question is not None
        text = "\n".join(shown.text for shown in outcome.question.shown)
        assert any(word in text for word in piece.split("|"))
        answer(play, "approve")


@pytest.mark.parametrize(
    ("remark", "path"),
    [
        ("The reward lacks the costs.", ["sar"]),
        ("channel_gain is drawn once only.", ["environment"]),
        ("The horizon is too short.", ["modeling"]),
        ("send back environment: no reward here", ["environment"]),
        ("The bandwidth is 20 MHz.", AGENTS),
        ("send back constraint: one is missing", AGENTS[3:]),
    ],
)
def test_a_remark_goes_to_the_agent_that_made_it(play: Play, remark: str, path: list[str]) -> None:
    begin(play)
    seen: list[str] = []

    def looking(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
        seen.extend(finding.message for finding in state.remarks)
        return PIECES if path[0] == "environment" else {}

    play.acts[path[0]] = looking
    outcome = answer(play, remark)
    assert play.ran == [*path, "coding", "executor"]
    assert seen == [remark.removeprefix(f"send back {path[0]}: ")]
    # What came back is looked at again, unless it is as it was approved.
    assert asked(outcome) == "approve_spec"
    assert play.state().debug_rounds == 0


def test_a_remark_on_compiled_code_goes_to_the_specification(play: Play) -> None:
    begin(play)
    answer(play, "approve")
    assert asked(answer(play, "send back coding: too slow")) == "approve_code"
    assert "no agent 'coding' here" in answer(play, "send back coding: too slow").account
    answer(play, "It never ends.")
    assert play.ran == ["environment", "coding", "executor"]


def test_an_edited_specification_is_compiled_and_checked_and_not_asked_about_again(
    play: Play,
) -> None:
    begin(play)
    edit = SPEC.model.model_copy(update={"horizon": 50}).model_dump()
    outcome = answer(play, json.dumps({"model": edit}))
    assert play.ran == ["coding", "executor"]
    assert asked(outcome) == "approve_code"
    state = play.state()
    assert state.model is not None
    assert state.model.horizon == 50
    assert state.approvals[-1].decision == "edited"


def test_an_edit_may_come_as_an_object(play: Play) -> None:
    begin(play)
    edit: Any = {"model": SPEC.model.model_copy(update={"horizon": 50}).model_dump()}
    for answer_given, kind in [
        ({"model": {"horizon": []}}, "approve_spec"),
        (edit, "approve_code"),
    ]:
        outcome = play.run(context(), resume=True, answers=Answers(answer_given))
        assert asked(outcome) == kind


def test_an_edit_that_fails_its_checks_comes_back_to_the_person(play: Play) -> None:
    begin(play)
    edit = SPEC.model.model_copy(update={"horizon": 13}).model_dump()
    outcome = answer(play, json.dumps({"model": edit}))
    assert play.ran == ["coding", "executor"]
    assert asked(outcome) == "approve_spec"
    assert outcome.question is not None
    assert "It is horizon." in outcome.question.shown[-1].text
    outcome = answer(play, "approve")
    assert "does not pass its checks: It is horizon." in outcome.account
    edit["horizon"] = 14
    assert asked(answer(play, json.dumps({"model": edit}))) == "approve_code"


def test_edited_code_is_checked_and_marked(play: Play) -> None:
    begin(play)
    answer(play, "approve")
    folder = play.folder / "run"
    (play.folder / "mine.py").write_text(BROKEN)
    outcome = answer(play, "edit:\n" + BROKEN)
    assert play.ran == ["executor"]
    assert asked(outcome) == "approve_code"
    assert not any((folder / name).exists() for name in COMPILED_WITH_IT)
    outcome = answer(play, "edit:\n" + PROGRAM + "# by hand\n")
    assert asked(outcome) == "approve_policy"
    state = play.state()
    assert state.code is not None
    assert state.code.environment is not None
    assert state.code.environment.edited_by_person
    assert state.code.environment == artefact(folder, "environment.py").model_copy(
        update={"edited_by_person": True}
    )
    assert state.approvals[-1].sha256 == state.code.environment.sha256


def test_an_edit_of_the_code_can_be_undone_by_coding(play: Play) -> None:
    begin(play)
    answer(play, "approve")
    answer(play, "edit:\n" + BROKEN)
    assert asked(answer(play, "send back coding: as it was")) == "approve_code"
    assert play.ran == ["coding", "executor"]
    assert (play.folder / "run" / "environment.py").read_text() == PROGRAM


def test_a_remark_on_edited_code_still_goes_to_who_can_follow_it(play: Play) -> None:
    begin(play)
    answer(play, "approve")
    answer(play, "edit:\n" + BROKEN)
    assert asked(answer(play, "The reward leaves out the costs.")) == "approve_code"
    assert play.ran == ["sar", "coding", "executor"]
    answer(play, "edit:\n" + BROKEN)
    assert asked(answer(play, "That was wrong.")) == "approve_code"
    assert play.ran == ["coding", "executor"]


def test_code_that_was_changed_in_place_cannot_be_approved_unchecked(play: Play) -> None:
    begin(play)
    answer(play, "approve")
    (play.folder / "run" / "environment.py").write_text(PROGRAM + "# by hand\n")
    outcome = answer(play, "approve")
    assert "was changed after it was checked" in outcome.account
    assert asked(answer(play, "edit: environment.py")) == "approve_policy"
    assert play.ran == ["executor", "heuristic", "train", "evaluate"]


def test_a_policy_goes_back_to_training_or_to_the_specification(play: Play) -> None:
    begin(play, "policy")
    assert asked(answer(play, "Not good enough.", gates="policy")) == "approve_policy"
    assert play.ran == ["train", "evaluate"]
    outcome = answer(play, "send back sar: add the costs", gates="policy")
    assert asked(outcome) == "approve_policy"
    assert play.ran == ["sar", "coding", "executor", "heuristic", "train", "evaluate"]
    assert "cannot be edited" in answer(play, "edit: policy.zip", gates="policy").account
    assert answer(play, "approve", gates="policy").status == "trained"


@pytest.mark.parametrize(("gate", "status"), [("spec", "no_better_policy"), ("policy", "trained")])
def test_each_gate_gives_up_after_its_rounds(play: Play, gate: str, status: str) -> None:
    begin(play, gate)
    for _ in range(MOST_ROUNDS):
        assert asked(answer(play, "Again.", gates=gate)) == f"approve_{gate}"
    outcome = answer(play, "Again.", gates=gate)
    assert outcome.status == status
    assert f"did not approve the {gate} in {MOST_ROUNDS} rounds" in outcome.account
    assert play.ran == ["report"]


def test_a_gate_can_be_opened_on_resumption(play: Play) -> None:
    begin(play)
    assert answer(play, "approve", gates="none").status == "trained"
