"""The heuristic in a run: asked for, tried in the real sandbox, kept or left out with a note."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime

from graph.routes import after_heuristic, after_send_back
from nodes.codegen.compile_spec import compile_spec
from nodes.codegen.render import render_environment
from nodes.debugging import send_back
from nodes.heuristic import heuristic
from nodes.models.factory import choose_model
from nodes.models.recording import connect, record, sha256_of
from nodes.settings import RunSettings
from sandbox import Limits
from state.artefacts import CodeArtefacts
from state.findings import CheckReport, Finding
from state.heuristic import HeuristicTrial
from state.run_state import RunState
from state.spec import Spec
from tests.environments.scheduling_spec import scheduling_spec
from tests.fake_chat_server import Answer, Fail, FakeChatServer, scripted
from tests.specs.tidying import SPILL_AND_PICK_UP, tidying

SCHEDULING = Path(__file__).parent.parent / "environments" / "scheduling"


def reply(body: str, rule: str = "Serve the best link.") -> str:
    return json.dumps({"rule": rule, "source": f"def heuristic(seen):\n    {body}"})


BEST = reply("return int(np.argmax(seen['gain']))")
WORST = reply("return int(np.argmin(seen['gain']))")
BROKEN = reply("return seen['gains']")


@pytest.fixture(name="state")
def _state(tmp_path: Path) -> RunState:
    folder = tmp_path / "run"
    folder.mkdir()
    shutil.copy(SCHEDULING / "environment.py", folder)
    return beginning(scheduling_spec(), folder)


def beginning(spec: Spec, folder: Path) -> RunState:
    pieces: dict[str, Any] = {name: getattr(spec, name) for name in type(spec).model_fields}
    return RunState(run_folder=str(folder), code=CodeArtefacts(), **pieces)


def asking(server: FakeChatServer, **settings: Any) -> Runtime[RunSettings]:
    model = choose_model("openai:fake-model", base_url=server.openai_url)
    return Runtime(context=RunSettings(model=model, **settings))


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "no-key")


def after(state: RunState, *answers: Answer, **settings: Any) -> tuple[RunState, list[str]]:
    """The state after the node, and the prompts that it sent."""
    with FakeChatServer(scripted(*answers)) as server:
        update = heuristic(state, asking(server, **settings))
        return RunState.model_validate({**dict(state), **update}), server.prompts()


def test_good_rule_is_kept_as_a_program_that_runs_alone(state: RunState) -> None:
    remark = Finding(check="c", owner="sar", message="Something else.", blocking=False)
    state, prompts = after(state.model_copy(update={"remarks": [remark]}), BEST)
    assert len(prompts) == 1
    assert 'seen["gain"]: numpy array of shape (4,)' in prompts[0]
    assert "Something else" not in prompts[0]
    assert state.heuristic is not None
    assert state.heuristic.rule == "Serve the best link."
    assert state.code is not None
    assert state.code.heuristic is not None
    assert (state.stages[-1].name, state.stages[-1].status) == ("heuristic", "done")
    assert "random decisions" in state.stages[-1].note
    assert [call.agent for call in state.calls] == ["heuristic"]
    alone = "import heuristic; print(heuristic.act([-100, -90, -80, -110]))"
    done = subprocess.run(
        [sys.executable, "-c", alone], cwd=state.run_folder, capture_output=True, text=True
    )
    assert done.stdout == "2\n"


@pytest.mark.parametrize(
    ("faulty", "shown"),
    [
        (BROKEN, "KeyError: 'gains'"),
        (WORST, "not better than random decisions"),
        (reply("import os; return 0"), "os may not be imported"),
    ],
)
def test_fault_goes_back_to_the_model(state: RunState, faulty: str, shown: str) -> None:
    state, prompts = after(state, faulty, BEST)
    assert shown in prompts[-1]
    assert state.heuristic is not None
    assert state.stages[-1].status == "repaired"


@pytest.mark.parametrize(
    ("answer", "why", "asked"),
    [
        (WORST, "not better than random", 3),
        (BROKEN, "KeyError", 3),
        ("I know no such rule.", "no valid answer", 3),
        (Fail(401, "wrong key", code="invalid_api_key"), "key", 1),
    ],
)
def test_run_goes_on_without_a_rule(state: RunState, answer: Answer, why: str, asked: int) -> None:
    state, prompts = after(state, answer)
    assert len(prompts) == asked
    assert state.heuristic is None
    assert state.code == CodeArtefacts()
    assert not (Path(state.run_folder) / "heuristic.py").exists()
    assert state.stages[-1].status == "skipped"
    assert why in state.stages[-1].note
    assert any(note.startswith("heuristic: left out, ") and why in note for note in state.notes)


def test_rule_that_wins_without_serving_the_objective_sends_the_specification_back(
    tmp_path: Path,
) -> None:
    spec = tidying(paid=True)
    program, _ = compile_spec(spec)
    assert program is not None
    (tmp_path / "environment.py").write_text(render_environment(program, []))
    state = beginning(spec, tmp_path)
    remark = Finding(check="c", owner="variable", message="Look here.", blocking=False)
    passed = CheckReport(passed=["parses", "reward_serves_the_objective"], findings=[remark])
    state = state.model_copy(update={"checks": passed, "remarks": [remark]})
    state, prompts = after(state, reply(SPILL_AND_PICK_UP, "Spill and pick up."))
    assert len(prompts) == 1
    assert (state.heuristic, state.stages[-1].status) == (None, "failed")
    assert not (tmp_path / "heuristic.py").exists()
    assert state.checks is not None
    assert state.checks.passed == ["parses"]
    kept, finding = state.checks.findings
    assert kept == remark
    assert (finding.check, finding.owner) == ("reward_serves_the_objective", "sar")
    assert "the rule of thumb (Spill and pick up.)" in finding.episode[0]
    assert after_heuristic(state, Runtime()) == "send_back"
    sent = RunState.model_validate({**dict(state), **send_back(state, Runtime())})
    assert after_send_back(sent) == "sar"
    assert sent.remarks == [finding]
    assert sent.debug_rounds == 1


def test_what_cannot_be_tried_is_paid_for_all_the_same(
    state: RunState, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = HeuristicTrial(unfit="it is told 4 numbers, and the specification names 3")
    monkeypatch.setattr("nodes.heuristic.try_heuristic", lambda *given: trial)
    state, prompts = after(state, BEST)
    assert state.heuristic is None
    assert trial.unfit in state.stages[-1].note
    assert len(prompts) == len(state.calls) == 1


def test_rule_without_end_is_ended(state: RunState, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nodes.heuristic.LIMITS", Limits(cpu_seconds=3))
    state, prompts = after(state, reply("while seen: pass\n    return 0"), BEST)
    assert "trying it did not come to an end: it " in prompts[-1]
    assert state.heuristic is not None


def test_spent_tokens_do_not_end_the_run_here(state: RunState) -> None:
    state, prompts = after(state, BEST, max_tokens=10)
    assert prompts == []
    assert "--max-tokens" in state.stages[-1].note


def test_rule_that_is_not_wanted_is_not_asked_for(state: RunState) -> None:
    (Path(state.run_folder) / "heuristic.py").write_text("left by an earlier attempt")
    update = heuristic(state, Runtime(context=RunSettings(no_heuristic=True)))
    assert update["stages"][-1].note == "not wanted"
    assert not (Path(state.run_folder) / "heuristic.py").exists()


def test_recorded_rule_is_played_back_and_a_missing_one_is_skipped(
    state: RunState, tmp_path: Path
) -> None:
    first, _ = after(state, BROKEN, BEST)
    journal = Path(first.run_folder) / "llm_calls.jsonl"
    made = record(journal, tmp_path / "links.json", task="links", model="m", date="2020-01-01",
                  description=state.description)  # fmt: skip
    assert [(r.agent, r.ordinal) for r in made.replies] == [("heuristic", 0), ("heuristic", 1)]
    for replies, note in ((made.replies, "mean return"), (made.replies[:1], "KeyError"),
                          ([], "no recorded heuristic")):  # fmt: skip
        kept = made.model_copy(update={"replies": replies})
        (tmp_path / "links.json").write_text(kept.model_dump_json())
        assert kept.description_sha256 == sha256_of(state.description)
        model = connect("links", state.description, tmp_path)
        journal.unlink()  # a reply that is in it is not asked for again
        update = heuristic(state, Runtime(context=RunSettings(model=model)))
        assert note in update["stages"][-1].note
        assert (update["heuristic"] is not None) == (note == "mean return")
        assert len(update["calls"]) == len(replies)
