"""The report shows what there is, escapes all of it, and needs no other file."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime

from nodes.report import report
from nodes.reporting.pictures import read_curve
from nodes.reporting.texts import cell, equation, number, range_text, value_text
from nodes.settings import RunSettings
from state.findings import CheckReport, Finding
from state.question import Answered
from state.review import Assumption, Doubt, Review
from state.run_state import RunState, Stage
from state.spec import Spec
from state.training import AttemptRecord, Evaluation, ReturnEstimate, TrainingPlan, TrainingRecord
from state.usage import ModelCall
from state.variables import Variable
from tests.environments.scheduling_spec import scheduling_spec

RUNTIME = Runtime(context=RunSettings())
PNG = b"\x89PNG\r\n\x1a\n"
WICKED = "<script>alert('x')</script> | $$ \n\n & \"quoted\""


def estimate(policy: str, mean: float) -> ReturnEstimate:
    return ReturnEstimate(
        policy=policy, mean=mean, low=mean - 1, high=mean + 2, episodes=100, mean_length=100
    )


def attempt(name: str, method: str) -> dict[str, Any]:
    return {
        "method": method, "timesteps": 1000, "seconds": 3, "stopped_because": "converged",
        "best_evaluation": 20, "symptom": "better", "attempt": {"name": name, "reasons": [WICKED]},
    }  # fmt: skip


@pytest.fixture(name="state")
def _state(tmp_path: Path) -> RunState:
    spec = scheduling_spec()
    (tmp_path / "environment.py").write_text("class Environment:  # a < b\n    pass\n")
    (tmp_path / "train.py").write_text("print('training')\n")
    (tmp_path / "curve.csv").write_text("timesteps,mean_return,seconds\n4,10,0\n1000,20,1\n")
    return RunState(
        **{name: getattr(spec, name) for name in type(spec).model_fields},
        run_folder=str(tmp_path),
        checks=CheckReport(
            passed=["parses", "ranges_hold"],
            findings=[Finding(check="c", owner="sar", message=WICKED, blocking=False)],
        ),
        plan=TrainingPlan(discount=0, time_budget=9),
        training=TrainingRecord(
            **attempt("2-dqn", "dqn"), attempts=[
                AttemptRecord.model_validate(attempt(name, method))
                for name, method in (("1-ppo", "ppo"), ("2-dqn", "dqn"))
            ],
        ),
        evaluation=Evaluation(
            trained=estimate("trained", 419.97),
            baselines=[estimate("random", 160.47), estimate("greedy", 420.0)],
            better_than_random=True,
        ),
        calls=[
            ModelCall(agent="sar", model="openai:gpt-4o", prompt_tokens=1200, cost=0.5),
            ModelCall(agent="sar", model="big-model", completion_tokens=77, recorded=True),
        ],
        stages=[Stage(name="train", status="done", seconds=3.25, note=WICKED)],
        notes=[WICKED],
        isolation="bubblewrap 0.11.0 + seccomp",
        status="trained",
        account="The trained policy is better than chance.",
    )  # fmt: skip


class Outline(HTMLParser):
    """Checks that tags are closed in order and collects what is loaded from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loaded: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        self.loaded += [v or "" for k, v in attrs if k in ("src", "href")]
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def outline(page: str) -> Outline:
    parsed = Outline()
    parsed.feed(page)
    assert parsed.open == []
    return parsed


def test_finished_run_leaves_a_readable_folder(state: RunState) -> None:
    assert report(state, RUNTIME) == {}
    folder = Path(state.run_folder)
    assert Spec.model_validate_json((folder / "spec.json").read_text()) == scheduling_spec()
    evaluation = Evaluation.model_validate_json((folder / "evaluation.json").read_text())
    assert evaluation == state.evaluation
    for name in ("curve.png", "returns.png"):
        assert (folder / name).read_bytes().startswith(PNG)
    page = (folder / "report.html").read_text()
    parsed = outline(page)
    assert parsed.scripts == 0
    assert len(parsed.loaded) == 2
    assert all(source.startswith("data:image/png;base64,") for source in parsed.loaded)
    for shown in (
        "419.97", "418.97 to 421.97", "160.47", "one-step greedy", "big-model (recorded replies)",
        "1,200 tokens in and 77 out", "$0.5000", "bubblewrap", "3.2", "a &lt; b", "log2(1 + gain",
        "converged", "ranges hold", "The trained policy is better than chance.",
    ):  # fmt: skip
        assert shown in page, shown


def test_what_was_open_and_in_doubt_is_told(state: RunState) -> None:
    doubt = Doubt(item="gain", score=0.3, reason=WICKED, found_by="model")
    answer = Answered(kind="clarify", agent="sar", question="Which?", answer="the first")
    approval = Answered(kind="approve_spec", agent="sar", question="Fine?", answer="approve-it")
    assumed = Assumption(agent="sar", question=WICKED, assumption="the second")
    told = state.model_copy(
        update={
            "reviews": {"sar": Review(scores={"gain": 0.3}, doubts=[doubt], reexaminations=2)},
            "answers": [answer, approval],
            "assumptions": [assumed],
        }
    )
    report(told, RUNTIME)
    folder = Path(state.run_folder)
    page = (folder / "report.html").read_text()
    assert outline(page).scripts == 0
    for shown in ("the first", "the second", "assumed, as nobody was asked", "gain: &lt;script"):
        assert shown in page, shown
    assert "approve-it" not in page
    spec = Spec.model_validate_json((folder / "spec.json").read_text())
    assert (spec.answers, spec.assumptions) == ([answer], [assumed])
    assert "**the second**" in (folder / "spec.md").read_text()


def test_nothing_is_left_of_another_run(state: RunState) -> None:
    folder = Path(state.run_folder)
    report(state, RUNTIME)
    report(state.model_copy(update={"sar": None, "evaluation": None, "training": None}), RUNTIME)
    left = {path.name for path in folder.iterdir()}
    assert not left & {"spec.json", "evaluation.json", "curve.png", "returns.png"}


def test_markdown_keeps_tables_and_equations_whole(state: RunState) -> None:
    pieces: dict[str, Any] = {"description": "words"}
    pieces["model"] = state.model and state.model.model_copy(update={"objective_latex": WICKED})
    pieces["parameters"] = [state.parameters[0].model_copy(update={"quote": WICKED})]
    report(state.model_copy(update=pieces), RUNTIME)
    text = (Path(state.run_folder) / "spec.md").read_text()
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} <= {5, 6}
    fences = re.findall(r"^\$\$\n(.*?)\n\$\$$", text, flags=re.MULTILINE | re.DOTALL)
    assert len(fences) == 3
    assert not any("\n\n" in fence for fence in fences)


def test_run_that_hardly_began_has_a_report_too(tmp_path: Path) -> None:
    state = RunState(description=WICKED, run_folder=str(tmp_path))
    assert report(state, RUNTIME) == {"status": "no_better_policy"}
    parsed = outline((tmp_path / "report.html").read_text())
    assert parsed.scripts == 0
    assert (tmp_path / "spec.md").read_text().startswith("# task")
    assert not (tmp_path / "spec.json").exists()


def test_curve_is_read_with_suspicion() -> None:
    assert read_curve("timesteps,mean\n1,2\nnan,3\n4,inf\nx\n\n5,6,7\n") == [(1, 2), (5, 6)]
    assert read_curve("") == []


def test_texts() -> None:
    assert number(None) == "–"
    assert number(1234567.8) == "1,234,568"
    assert number(0.00001234567) == "1.2346e-05"
    assert value_text([[1.0, 2.5], [3.0, 4.0]]) == "[[1, 2.5], [3, 4]]"
    assert value_text([0.0] * 40).endswith("... 40 in all]")
    assert cell("a|b\nc") == r"a\|b c"
    assert equation("$$ x \n\n y $$") == " x \n y "
    fields = {"name": "x", "role": "system", "definition": "d", "dtype": "real"}
    assert range_text(Variable(**fields)) == "real, no limits"
    assert range_text(Variable(**fields, shape=[2, 3], high="top")) == (
        "real, 2 x 3 of them, no limit to top"
    )
