"""Whole runs of the graph, with stand-ins for the nodes: order, loops, stops and resumption."""

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.runtime import Runtime

from graph.answers import Answers, Terminal
from graph.build import AGENTS, REVIEWS, STATIONS, build, builder, recursion_limit
from graph.context import RunContext
from graph.execution import Thread, execute
from graph.fingerprint import Fingerprint
from graph.outcome import RunOutcome
from graph.progress import Progress
from graph.sqlite_store import SqliteStore
from graph.stage import Node
from nodes.models.errors import BudgetExhausted, ModelFailed
from nodes.person import answered, put
from nodes.reexamine import reexamining
from nodes.settings import RunSettings
from state.artefacts import CodeArtefacts
from state.findings import CheckReport, Finding, Owner
from state.question import Question
from state.review import REVIEWED, Doubt, Review
from state.run_state import RunState
from state.sar import RewardTerm, StateActionReward
from state.training import Evaluation, Probe, ReturnEstimate, TrainingPlan, TrainingRecord
from state.usage import ModelCall

KEPT = (
    "intake", "send_back", "give_up", "reconsider", "approve_spec", "approve_code", "approve_policy"
)  # fmt: skip
RECORD = TrainingRecord(
    method="dqn", timesteps=1, seconds=1, stopped_because="converged", best_evaluation=1
)
PLAN = TrainingPlan(discount=0.9, time_budget=10)
ESTIMATE = ReturnEstimate(policy="trained", mean=1, low=0, high=2, episodes=100, mean_length=3)
UPDATES: dict[str, dict[str, Any]] = {
    "coding": {"code": CodeArtefacts(), "checks": None},
    "executor": {"checks": CheckReport()},
    "train": {"training": RECORD},
    "evaluate": {"evaluation": Evaluation(trained=ESTIMATE), "status": "trained"},
}


@dataclass
class Play:
    """Stand-ins that note who ran; ``acts`` replaces what some of them do."""

    folder: Path
    acts: dict[str, Node] = field(default_factory=dict)
    ran: list[str] = field(default_factory=list)
    said: io.StringIO = field(default_factory=io.StringIO)
    thread_id: str = field(default_factory=lambda: str(uuid4()))

    def node(self, name: str) -> Node:
        def act(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
            self.ran.append(name)
            if name in self.acts:
                return self.acts[name](state, runtime)
            return UPDATES.get(name, {})

        return act

    def run(
        self, context: RunContext, *, resume: bool = False, answers: Answers | None = None
    ) -> RunOutcome:
        names = [*AGENTS, *REVIEWS, *STATIONS]
        played = {name: self.node(name) for name in names if name not in KEPT}
        run_folder = self.folder / "run"
        run_folder.mkdir(exist_ok=True)
        beginning = RunState(
            description="Every day we decide something.", run_folder=str(run_folder)
        )
        # Only stations: no stand-in asks a model.
        with_stand_ins = build({}, {**STATIONS, **played})
        thread = Thread(self.thread_id, context, Fingerprint.of("d", context, "v"), None)
        with self.saver() as saver:
            progress = Progress(self.said, run_folder)
            begun = None if resume else beginning
            return execute(thread, saver, progress, begun, with_stand_ins, answers=answers)

    def state(self) -> RunState:
        with self.saver() as saver:
            app = builder.compile(checkpointer=saver)
            kept = app.get_state({"configurable": {"thread_id": self.thread_id}})
        return RunState.model_validate(kept.values)

    @contextmanager
    def saver(self) -> Iterator[SqliteSaver]:
        with SqliteStore(self.folder / "threads.sqlite").open() as store:
            yield store.saver


@pytest.fixture
def play(tmp_path: Path) -> Play:
    return Play(tmp_path)


CONTEXT = RunContext(unsafe_no_sandbox=True, no_error_correction=True)
AGENTS_IN_ORDER = [name for name in AGENTS if name not in ("revise", "heuristic")]
TO_THE_END = ["executor", "heuristic", "train", "evaluate", "report"]


def failing_until(rounds: int, owner: Owner) -> Node:
    finding = Finding(check="c", owner=owner, message="It is wrong.")

    def executor(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
        return {"checks": CheckReport(findings=[finding] if state.debug_rounds < rounds else [])}

    return executor


def another_answer(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """A reward term that is another one each time."""
    term = RewardTerm(name="x", expression=str(len(state.stages)))
    sar = StateActionReward(observation=["time_step"], action=["a"], reward=[term])
    return {"sar": sar, "calls": state.calls}


def raising(error: BaseException) -> Node:
    def node(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
        raise error

    return node


def test_every_answer_is_reviewed_before_the_next_agent_is_asked(play: Play) -> None:
    play.run(RunContext(unsafe_no_sandbox=True))
    reviewed = [name for agent in REVIEWED for name in (agent, f"review_{agent}")]
    assert play.ran == ["triage", *reviewed, "environment", "coding", *TO_THE_END]


def test_doubts_that_never_end_are_looked_at_as_often_as_allowed(play: Play) -> None:
    def doubting(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
        review = state.reviews.get("sar", Review())
        doubt = Doubt(item="x", score=0, reason="r", found_by="model")
        return {"reviews": {"sar": review.model_copy(update={"doubts": [doubt]})}}

    play.acts["review_sar"] = doubting
    play.acts["sar"] = reexamining("sar", another_answer)
    context = RunContext(unsafe_no_sandbox=True, max_reexaminations=3, threshold=1)
    assert play.run(context).status == "trained"
    assert play.ran.count("sar") == play.ran.count("review_sar") == 4


def test_run_without_trouble(play: Play) -> None:
    outcome = play.run(CONTEXT)
    assert play.ran == [*AGENTS_IN_ORDER, *TO_THE_END]
    assert (outcome.status, outcome.exit_code) == ("trained", 0)
    assert [entry.name for entry in outcome.stages] == ["intake", *play.ran]
    events = (play.folder / "run" / "events.jsonl").read_text().splitlines()
    assert [json.loads(line)["node"] for line in events] == ["intake", *play.ran]


@pytest.mark.parametrize(
    ("owner", "round_trip"),
    [
        ("coding", ["coding", "executor"]),
        ("environment", ["environment", "coding", "executor"]),
        ("sar", ["sar", "coding", "executor"]),
        ("constraint", ["modeling", "coding", "executor"]),
    ],
)
def test_failed_checks_go_to_their_owner(play: Play, owner: Owner, round_trip: list[str]) -> None:
    play.acts["executor"] = failing_until(2, owner)
    outcome = play.run(CONTEXT)
    assert outcome.status == "trained"
    expected = [*AGENTS_IN_ORDER, "executor", *round_trip, *round_trip, *TO_THE_END[1:]]
    assert play.ran == expected


@pytest.mark.parametrize("allowed", [0, 1, 100])
def test_loop_ends_when_the_rounds_are_used_up(play: Play, allowed: int) -> None:
    play.acts["executor"] = failing_until(1000, "modeling")
    context = RunContext(unsafe_no_sandbox=True, no_error_correction=True, max_debug=allowed)
    outcome = play.run(context)
    assert (outcome.status, outcome.exit_code) == ("unverified", 5)
    assert "It is wrong." in outcome.account
    assert play.ran.count("executor") == allowed + 1
    assert play.ran[-1] == "report"
    assert len(outcome.stages) < recursion_limit(allowed)


def shown_by_rule(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    finding = Finding(check="c", owner="sar", message="It is rewarded for nothing.")
    return {"heuristic": None, "checks": CheckReport(findings=[finding])}


def test_what_the_rule_of_thumb_shows_goes_to_its_owner(play: Play) -> None:
    play.acts["heuristic"] = lambda state, runtime: (
        {} if state.debug_rounds else shown_by_rule(state, runtime)
    )
    assert play.run(CONTEXT).status == "trained"
    again = ["sar", "coding", "executor", "heuristic"]
    assert play.ran == [*AGENTS_IN_ORDER, *TO_THE_END[:2], *again, *TO_THE_END[2:]]


@pytest.mark.parametrize("allowed", [0, 1, 100])
def test_what_the_rule_of_thumb_always_shows_ends_the_run(play: Play, allowed: int) -> None:
    play.acts["heuristic"] = shown_by_rule
    context = RunContext(unsafe_no_sandbox=True, no_error_correction=True, max_debug=allowed)
    outcome = play.run(context)
    assert (outcome.status, outcome.exit_code) == ("unverified", 5)
    assert "It is rewarded for nothing." in outcome.account
    assert play.ran.count("heuristic") == allowed + 1
    assert play.ran[-2:] == ["heuristic", "report"]
    assert len(outcome.stages) < recursion_limit(allowed)


def test_a_training_worth_nothing_goes_back_once(play: Play) -> None:
    probe = Probe(policy="constant", return_ahead=0.0, return_error=0.1)
    worthless = RECORD.model_copy(update={"probes": [probe], "attempts": [RECORD] * 3})
    call = ModelCall(agent="coding", model="m")
    play.acts["train"] = lambda state, runtime: {"training": worthless, "plan": PLAN}
    play.acts["coding"] = lambda state, runtime: {**UPDATES["coding"], "calls": [call]}
    outcome = play.run(CONTEXT)
    again = ["sar", "coding", "executor", "heuristic", "train"]
    assert play.ran == [*AGENTS_IN_ORDER, *TO_THE_END[:3], *again, *TO_THE_END[3:]]
    assert outcome.status == "trained"
    assert len(outcome.stages) < recursion_limit(0)


def test_specification_that_does_not_compile_is_a_failed_check(play: Play) -> None:
    finding = Finding(check="compile", owner="environment", message="A name is not declared.")

    def coding(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
        if state.debug_rounds:
            assert state.remarks == [finding]
            return {"code": CodeArtefacts(), "checks": None}
        return {"code": None, "checks": CheckReport(findings=[finding])}

    play.acts["coding"] = coding
    assert play.run(CONTEXT).status == "trained"
    assert play.ran == [*AGENTS_IN_ORDER, "environment", "coding", *TO_THE_END]


def test_training_without_a_policy_is_reported(play: Play) -> None:
    play.acts["train"] = lambda state, runtime: {"training": None, "account": "It was killed."}
    outcome = play.run(CONTEXT)
    assert play.ran[-2:] == ["train", "report"]
    assert (outcome.status, outcome.exit_code) == ("no_better_policy", 1)
    assert outcome.account == "It was killed."


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (BudgetExhausted(used=10, cap=20, needed=30), "out_of_tokens", 4),
        (ModelFailed("The server keeps failing: try later."), "model_failed", 4),
        (KeyboardInterrupt(), "interrupted", 130),
        (RuntimeError("two\nlines"), "error", 70),
    ],
)
def test_stopped_run_goes_on_where_it_stopped(
    play: Play, error: BaseException, status: str, code: int
) -> None:
    play.acts["sar"] = raising(error)
    outcome = play.run(CONTEXT)
    assert (outcome.status, outcome.exit_code) == (status, code)
    assert outcome.resume is not None
    assert play.thread_id in outcome.resume
    assert "\n" not in outcome.account
    assert [entry.name for entry in outcome.stages][-1] == "modeling"

    del play.acts["sar"]
    play.ran.clear()
    outcome = play.run(CONTEXT, resume=True)
    assert play.ran == ["sar", "environment", "coding", *TO_THE_END]
    assert outcome.exit_code == 0
    assert len(outcome.stages) == len(AGENTS) + 4


def test_failure_of_the_program_itself_is_kept_in_full(play: Play) -> None:
    play.acts["sar"] = raising(RuntimeError("boom"))
    outcome = play.run(CONTEXT)
    log = play.folder / "run" / "error.log"
    assert str(log) in outcome.account
    assert "RuntimeError: boom" in log.read_text()


QUESTION = Question(kind="clarify", agent="sar", text="Which one?", choices=["a", "b"])


def asking(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    answer = put(QUESTION, lambda text: "" if text in QUESTION.choices else "It is a or b.")
    return {"title": answer, "answers": answered(state, QUESTION, answer)}


def test_question_to_a_person_makes_the_run_wait(play: Play) -> None:
    play.acts["sar"] = asking
    for resume in (False, True):
        outcome = play.run(CONTEXT, resume=resume)
        assert (outcome.status, outcome.exit_code) == ("waiting", 3)
        assert outcome.question == QUESTION
        assert outcome.resume is not None
        assert "--answer" in outcome.resume


def test_reason_without_a_full_stop_is_a_sentence_of_its_own(play: Play) -> None:
    refusing = Question(kind="clarify", agent="sar", text="Which one?")

    def sar(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
        return {"title": put(refusing, lambda answer: "" if answer == "a" else "It is a")}

    play.acts["sar"] = sar
    play.run(CONTEXT)
    outcome = play.run(CONTEXT, resume=True, answers=Answers("c"))
    said = "The answer was not taken. It is a. The run waits for the answer of a person."
    assert outcome.account == said


def test_answer_given_with_the_resumption_goes_on(play: Play) -> None:
    play.acts["sar"] = asking
    play.run(CONTEXT)
    outcome = play.run(CONTEXT, resume=True, answers=Answers("c"))
    assert outcome.status == "waiting"
    assert outcome.account.startswith("The answer was not taken. It is a or b.")
    outcome = play.run(CONTEXT, resume=True, answers=Answers("b"))
    assert (outcome.status, outcome.question) == ("trained", None)
    assert play.state().title == "b"
    assert [given.answer for given in play.state().answers] == ["b"]


def test_questions_are_asked_at_the_terminal_until_they_are_answered(play: Play) -> None:
    play.acts["sar"] = play.acts["environment"] = asking
    shown = io.StringIO()
    terminal = Terminal(shown, io.BytesIO(b"\nc\na\nb\n"))
    outcome = play.run(CONTEXT, answers=Answers(terminal=terminal))
    assert outcome.status == "trained"
    assert [given.answer for given in play.state().answers] == ["a", "b"]
    assert shown.getvalue().count("Which one?") == 2
    assert shown.getvalue().count("It is a or b.") == 1


def test_interruption_at_the_question_keeps_it(play: Play) -> None:
    class Leaving(Answers):
        def next(self, question: Question, refused: str = "") -> str | None:
            raise KeyboardInterrupt

    play.acts["sar"] = asking
    assert play.run(CONTEXT, answers=Leaving()).exit_code == 130
    assert play.run(CONTEXT, resume=True).question == QUESTION


def test_what_a_node_says_is_shown_at_once(play: Play) -> None:
    def train(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
        runtime.stream_writer({"stage": "train", "line": "half way"})
        assert "half way" in play.said.getvalue()
        return UPDATES["train"]

    play.acts["train"] = train
    assert play.run(CONTEXT).exit_code == 0


def test_first_checkpoint_carries_the_fingerprint(play: Play) -> None:
    play.run(CONTEXT)
    with play.saver() as saver:
        found = list(saver.list({"configurable": {"thread_id": play.thread_id}}))
    assert len(found) > len(AGENTS)
    stored = [dict(checkpoint.metadata).get("fingerprint") for checkpoint in found[::-1]]
    assert set(stored[1:]) == {None}
    assert {stored[0]} == {Fingerprint.of("d", CONTEXT, "v").model_dump_json()}
