"""Revisions: what a remark touches is done again in a new thread, the rest is kept."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graph.build import builder
from graph.checkpoint import store_at
from graph.stored import read_thread
from state.revision import Revision
from tests.quick_runs import QuickRuns, Start
from tests.small_problem import ANSWERS, replies

REMARK = "Baking a tray costs 2 euro instead of 3."


def plan(**instructions: str) -> dict[str, Any]:
    """What the revise agent answers: these pieces change, because the remark says so."""
    changes = [
        {"piece": piece, "reason": f"The remark is about {piece}.", "instruction": instruction}
        for piece, instruction in instructions.items()
    ]
    return {"changes": changes, "nothing": ""}


def changed(agent: str, change: Callable[[dict[str, Any]], None]) -> list[Any]:
    """The answer of ``agent`` at first, and a changed one from then on."""
    answer = copy.deepcopy(ANSWERS[agent])
    change(answer)
    return [ANSWERS[agent], answer]


def other_cost(answer: dict[str, Any]) -> None:
    answer["parameters"][0]["value"] = 2


def revision_in(runs: QuickRuns, thread_id: str) -> Revision:
    with store_at().open() as store:
        revision = read_thread(store, thread_id).state.revision
    assert revision is not None
    return revision


def again_in(runs: QuickRuns, thread_id: str) -> set[str]:
    """Nodes that were done again."""
    return {r.node for r in revision_in(runs, thread_id).redone if not r.kept}


AFTER_CODE = {"coding", "executor", "heuristic", "evaluate"}


def test_another_number_changes_its_parameter_and_the_code(start: Start) -> None:
    asked: list[str] = []
    runs = start(
        asked=asked,
        revise=plan(parameter="Set tray_cost to 2."),
        parameter=changed("parameter", other_cost),
    )
    old = runs.begin()
    before = {p: p.read_bytes() for p in Path(old["run_folder"]).iterdir() if p.is_file()}
    history = runs.told("--history", old["thread_id"])
    asked.clear()
    runs.done.clear()
    new = runs.told("--revise", old["thread_id"][:8], REMARK)
    assert asked == ["revise", "parameter", "heuristic"]
    assert again_in(runs, new["thread_id"]) == {"parameter", *AFTER_CODE}
    assert dict(runs.done) == {"executor": 1, "heuristic": 1, "train": 1, "evaluate": 1}
    folder = Path(new["run_folder"])
    spec = json.loads((folder / "spec.json").read_text())
    cost = next(p for p in spec["parameters"] if p["name"] == "tray_cost")
    assert (cost["value"], cost["quote"]) == (2, REMARK)
    assert spec["description"].endswith(f"{REMARK}\n")
    report = (folder / "report.html").read_text()
    assert "The remark is about parameter." in report
    assert "nothing that it is built on has changed" in report
    kept = [stage["name"] for stage in new["stages"] if stage["note"].startswith("kept: ")]
    assert kept == ["objective", "variable", "constraint", "modeling", "sar", "environment"]
    assert all(path.read_bytes() == content for path, content in before.items())
    assert runs.told("--history", old["thread_id"]) == history


def test_agents_see_the_remark_their_instruction_and_their_earlier_answer(start: Start) -> None:
    runs = start(
        revise=plan(parameter="Set tray_cost to 2."), parameter=changed("parameter", other_cost)
    )
    thread_id = runs.begin()["thread_id"]
    before = len(runs.server.requests)
    runs.told("--revise", thread_id, REMARK)
    planning, parameter, _ = runs.server.prompts()[before:]
    assert planning.count(REMARK) == 2
    assert "`min(previous_stock + bake, wanted)`" in planning
    assert "What to change: Set tray_cost to 2." in parameter
    assert '"tray_cost"' in parameter[parameter.index("Earlier answer:") :]
    assert "2 in “" in parameter


def test_another_goal_goes_through_all_that_is_built_on_it(start: Start) -> None:
    def goal(answer: dict[str, Any]) -> None:
        answer["statement"] = "Sell as many trays as possible."

    def measure(answer: dict[str, Any]) -> None:
        answer["step_measure"] = "sold"

    def reward(answer: dict[str, Any]) -> None:
        answer["reward"] = [{"name": "sales", "expression": "sold", "latex": "s"}]

    asked: list[str] = []
    runs = start(
        asked=asked,
        revise=plan(objective="Maximise the trays sold.", modeling="Measure sold."),
        objective=changed("objective", goal),
        modeling=changed("modeling", measure),
        sar=changed("sar", reward),
    )
    thread_id = runs.begin()["thread_id"]
    asked.clear()
    new = runs.told("--revise", thread_id, "What counts is how many trays are sold.")
    assert asked == [
        "revise", "objective", "variable", "modeling", "sar", "environment", "heuristic",
    ]  # fmt: skip
    why = {r.node: r.why for r in revision_in(runs, new["thread_id"]).redone}
    assert why["objective"] == "The remark is about objective."
    assert why["variable"] == "objective changed"
    assert why["sar"] == "objective, model changed"
    assert why["environment"] == "sar changed"


def test_what_training_does_not_see_repeats_no_training(start: Start) -> None:
    def latex(answer: dict[str, Any]) -> None:
        answer["constraints"][0]["latex"] = "s \\leq 4"

    runs = start(
        revise=plan(modeling="Write the limit otherwise."), modeling=changed("modeling", latex)
    )
    old = runs.begin()
    runs.done.clear()
    new = runs.told("--revise", old["thread_id"], "Write it otherwise, please.")
    assert again_in(runs, new["thread_id"]) == {"modeling"}
    assert dict(runs.done) == {}
    train = next(stage for stage in new["stages"] if stage["name"] == "train")
    assert train["note"] == "already finished"
    assert (new["status"], new["mean_return"]) == ("trained", old["mean_return"])
    assert new["account"] == old["account"]


def test_notes_of_what_is_kept_stay_and_those_of_what_is_done_again_go(start: Start) -> None:
    def note(answer: dict[str, Any]) -> None:
        answer["constraints"][0]["expression"] = "stock <= cellar"

    answers = changed("modeling", note)[::-1]
    runs = start(modeling=[answers[0]] * 3 + [answers[1]], revise=plan(modeling="Mend it."))
    old = runs.begin()
    assert "cellar" in str(runs.told("--show", old["thread_id"])["notes"])
    kept = runs.told("--revise", old["thread_id"], "Write it otherwise, please.")
    assert "cellar" not in str(runs.told("--show", kept["thread_id"])["notes"])
    runs.server.reply = replies(revise={"changes": [], "nothing": "No need."})
    other = runs.told("--revise", old["thread_id"], "Go on as it is.")
    assert "cellar" in str(runs.told("--show", other["thread_id"])["notes"])


def test_remark_that_touches_nothing_keeps_everything_and_says_why(start: Start) -> None:
    runs = start(revise={"changes": [], "nothing": "It is said already."})
    thread_id = runs.begin()["thread_id"]
    runs.done.clear()
    new = runs.told("--revise", thread_id, "The shelf is empty in the morning.")
    assert again_in(runs, new["thread_id"]) == set()
    assert dict(runs.done) == {}
    assert "It is said already." in (Path(new["run_folder"]) / "report.html").read_text()


def test_number_that_the_model_overlooks_is_followed(start: Start) -> None:
    runs = start(
        revise={"changes": [], "nothing": "no idea"},
        parameter=changed("parameter", other_cost),
    )
    thread_id = runs.begin()["thread_id"]
    new = runs.told("--revise", thread_id, REMARK)
    why = {r.node: r.why for r in revision_in(runs, new["thread_id"]).redone}
    assert why["parameter"] == "the remark mentions 3, as tray_cost is"


def test_revision_of_a_revision_keeps_both_remarks(start: Start) -> None:
    runs = start(
        revise=plan(parameter="Set tray_cost to 2."), parameter=changed("parameter", other_cost)
    )
    first = runs.begin()["thread_id"]
    second = runs.told("--revise", first, REMARK)["thread_id"]
    third = runs.told("--revise", second, "The shelf is made of wood.")
    spec = json.loads((Path(third["run_folder"]) / "spec.json").read_text())
    assert spec["description"].index(REMARK) < spec["description"].index("made of wood")
    assert runs.told("--resume", third["thread_id"])["status"] == "trained"


def test_failed_plan_is_resumed_where_it_was(start: Start) -> None:
    runs = start(revise=["none", "none", "none", plan(parameter="Set tray_cost to 2.")])
    thread_id = runs.begin()["thread_id"]
    failed = runs.told("--revise", thread_id, REMARK, code=4)
    assert failed["status"] == "model_failed"
    assert runs.told("--resume", failed["thread_id"])["status"] == "trained"


@pytest.mark.parametrize(
    ("remark", "says"),
    [
        ("   ", "remark is empty"),
        ("...", "remark is empty"),
        ("a\x00b", "control characters"),
        ("a" * 4001, "remark is too long"),
        ("a\udcff", "not UTF-8"),
    ],
)
def test_remark_that_is_none_is_refused(start: Start, remark: str, says: str) -> None:
    runs = start()
    code, output, errors = runs.run("--revise", "abcd1234", remark)
    assert (code, output) == (2, "")
    assert says in errors


def test_thread_without_a_whole_specification_is_refused(start: Start) -> None:
    runs = start(sar="none")
    failed = runs.told(
        *["--describe", "problem.md", "--model", "openai:fake"],
        *["--base-url", runs.server.openai_url, "--no-error-correction", "--unsafe-no-sandbox"],
        code=4,
    )
    code, _, errors = runs.run("--revise", failed["thread_id"], REMARK)
    assert code == 2
    assert "has no whole specification yet" in errors


def test_drawing_shows_where_a_revision_begins() -> None:
    edges = {(e.source, e.target) for e in builder.compile().get_graph().edges}
    assert {("__start__", "revise"), ("__start__", "intake"), ("revise", "parameter")} <= edges
