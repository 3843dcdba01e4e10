"""Reviews, re-examinations and questions, with a chat server on loopback as the model."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from benchmarks.catalogue import task_description
from graph.answers import Answers
from graph.build import AGENTS, REVIEWS, STATIONS, build
from graph.context import RunContext
from graph.execution import Thread, execute
from graph.fingerprint import Fingerprint
from graph.outcome import RunOutcome
from graph.progress import Progress
from graph.sqlite_store import SqliteStore
from state.run_state import RunState
from tests.fake_chat_server import Answer, FakeChatServer, Say
from tests.replies import agent_of, good_problem, replies_to, sure_of_all

TASK = "inventory-management"
Play = Callable[[list[dict[str, Any]], dict[str, Any]], Answer]
POINT = {
    "item": "holding_cost",
    "why": "left over may mean before or after the delivery",
    "question": "When are left-over units counted?",
    "choices": ["before the delivery", "after the sales"],
    "assumption": "after the sales",
}


@dataclass
class Model:
    """A chat server that answers as recorded, with some agents played by the test.

    ``asked`` has the agent of each request; a review is named after what is reviewed.
    """

    folder: Path
    plays: dict[str, Play] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    prompts: dict[str, list[str]] = field(default_factory=dict)

    def serve(self) -> FakeChatServer:
        recorded = replies_to(TASK, heuristic=None)

        def reply(messages: list[dict[str, Any]], schema: dict[str, Any] | None) -> Answer:
            assert schema is not None
            agent = agent_of(schema)
            text = messages[1]["content"]
            if agent == "review":
                agent = "review_" + text.partition("From the description above, the ")[2].split()[0]
            self.asked.append(agent)
            self.prompts.setdefault(agent, []).append(text)
            play = self.plays.get(agent)
            return play(messages, schema) if play else recorded(messages, schema)

        return FakeChatServer(reply)

    def run(
        self,
        answers: Answers | None = None,
        description: str | None = None,
        thread_id: str = "",
        **chosen: Any,
    ) -> tuple[RunOutcome, RunState]:
        """Run up to the environment agent, or on with ``thread_id``."""
        stop_before = build_stopping_before_the_environment()
        with self.serve() as server, SqliteStore(self.folder / "threads.sqlite").open() as store:
            context = RunContext(
                model="openai:fake", base_url=server.openai_url, unsafe_no_sandbox=True, **chosen
            )
            run_folder = self.folder / "run"
            run_folder.mkdir(exist_ok=True)
            beginning = RunState(
                description=description or task_description(TASK), run_folder=str(run_folder)
            )
            thread = Thread(
                thread_id or str(uuid4()), context, Fingerprint.of("d", context, "v"), None
            )
            with (run_folder / "progress.log").open("a") as said:
                progress = Progress(said, run_folder)
                given = None if thread_id else beginning
                outcome = execute(
                    thread, store.saver, progress, given, stop_before, answers=answers
                )
            values = stop_before.compile(checkpointer=store.saver).get_state(thread.config).values
        return outcome, RunState.model_validate(values)


def build_stopping_before_the_environment() -> Any:
    """The graph, in which the run is over where the environment agent would be asked."""

    skipped = {name: (lambda state, runtime: {}) for name in ("environment", "coding", "executor")}
    agents = {name: node for name, node in {**AGENTS, **REVIEWS}.items() if name not in skipped}
    return build(agents, {**STATIONS, **skipped, "give_up": lambda state, runtime: {}})


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Model:
    monkeypatch.setenv("OPENAI_API_KEY", "no-key")
    return Model(tmp_path)


def scoring(**scores: float) -> Play:
    return lambda messages, schema: sure_of_all(schema, **scores)


def leaving_open(*points: dict[str, Any]) -> Play:
    def reply(messages: list[dict[str, Any]], schema: dict[str, Any]) -> Answer:
        return json.dumps({**json.loads(sure_of_all(schema)), "open": list(points)})

    return reply


def in_turn(*plays: Play) -> Play:
    left = list(plays)

    def reply(messages: list[dict[str, Any]], schema: dict[str, Any]) -> Answer:
        return (left.pop(0) if len(left) > 1 else left[0])(messages, schema)

    return reply


EVERY_REVIEW = [
    name
    for agent in ("parameter", "objective", "variable", "constraint", "modeling", "sar")
    for name in (agent, f"review_{agent}")
]


def test_a_sure_reviewer_costs_one_call_for_each_agent(model: Model) -> None:
    _, state = model.run()
    assert model.asked == ["triage", *EVERY_REVIEW]
    assert state.answers == state.assumptions == []
    assert all(review.scores and not review.doubts for review in state.reviews.values())


def test_without_error_correction_no_review_is_asked_for(model: Model) -> None:
    _, state = model.run(no_error_correction=True)
    assert model.asked == ["triage", *EVERY_REVIEW[::2]]
    assert state.reviews == {}


def test_what_is_in_doubt_is_examined_again_with_reason_and_evidence(model: Model) -> None:
    model.plays["review_parameter"] = in_turn(scoring(unit_cost=0.4), scoring())
    model.plays["parameter"] = in_turn(recorded("parameter"), changed("unit_cost", unit="euro"))
    _, state = model.run()
    assert model.asked.count("parameter") == model.asked.count("review_parameter") == 2
    again = model.prompts["parameter"][1]
    assert "Your earlier answer is in doubt" in again
    assert '"name":"unit_cost"' in again
    assert "- unit_cost:" in again
    assert "the description says: “# Ordering stock" in again
    review = state.reviews["parameter"]
    assert review.reexaminations == 1
    assert review.doubts == []
    assert next(p.unit for p in state.parameters if p.name == "unit_cost") == "euro"


def test_an_answer_that_stays_the_same_is_not_reviewed_again(model: Model) -> None:
    model.plays["review_parameter"] = scoring(unit_cost=0.4)
    _, state = model.run()
    assert model.asked.count("parameter") == 2
    assert model.asked.count("review_parameter") == 1
    assert state.reviews["parameter"].unchanged
    assert state.answers == state.assumptions == []


def test_what_stays_open_is_asked_and_the_answer_used(model: Model) -> None:
    model.plays["review_parameter"] = leaving_open(POINT)
    outcome, state = model.run()
    assert (outcome.status, outcome.exit_code) == ("waiting", 3)
    assert outcome.question is not None
    assert outcome.question.agent == "parameter"
    assert outcome.question.text == POINT["question"]
    assert outcome.question.choices == POINT["choices"]
    assert outcome.question.assumption == POINT["assumption"]
    assert outcome.resume is not None
    model.asked.clear()

    # What is left open is insisted on before a person is asked.
    insisted = model.prompts["review_parameter"][1]
    assert "An earlier check found this left open:\n- When are left-over units" in insisted

    outcome, state = model.run(Answers("after the 77 sales"), thread_id=outcome.thread_id)
    assert model.asked[:2] == ["parameter", "objective"]
    again = model.prompts["parameter"][2]
    assert "When are left-over units counted? Answer: after the 77 sales" in again
    assert "77 in “" in again
    assert "after the 77 sales" in model.prompts["sar"][0]
    assert [a.answer for a in state.answers] == ["after the 77 sales"]
    assert state.reviews["parameter"].settled == "answered"


def test_what_the_reviewer_does_not_insist_on_is_not_asked(model: Model) -> None:
    model.plays["review_parameter"] = in_turn(leaving_open(POINT), scoring())
    _, state = model.run()
    assert model.asked.count("review_parameter") == 2
    assert model.asked[-1] == "review_sar"
    assert state.answers == []


def test_a_waiting_run_may_go_on_with_the_assumption_instead(model: Model) -> None:
    model.plays["review_parameter"] = leaving_open(POINT)
    outcome, _ = model.run()
    outcome, state = model.run(clarify="assume", thread_id=outcome.thread_id)
    assert outcome.status != "waiting"
    assert [a.assumption for a in state.assumptions] == [POINT["assumption"]]


def test_a_bad_answer_stays_pending(model: Model) -> None:
    model.plays["review_parameter"] = leaving_open(POINT)
    outcome, _ = model.run()
    outcome, state = model.run(Answers("x" * 4001), thread_id=outcome.thread_id)
    assert outcome.status == "waiting"
    assert "too long" in outcome.account
    assert state.answers == []


def test_assumed_is_what_nobody_is_asked(model: Model) -> None:
    model.plays["review_parameter"] = leaving_open(POINT)
    outcome, state = model.run(clarify="assume")
    assert outcome.status != "waiting"
    assumed = [(a.agent, a.question, a.assumption) for a in state.assumptions]
    assert assumed == [("parameter", POINT["question"], POINT["assumption"])]
    assert model.asked.count("parameter") == 2
    assert "after the sales" in model.prompts["review_objective"][0]


def test_a_run_that_may_neither_ask_nor_assume_ends_with_the_question(model: Model) -> None:
    model.plays["review_parameter"] = leaving_open(POINT)
    outcome, _ = model.run(clarify="fail")
    assert (outcome.status, outcome.exit_code) == ("unclear", 2)
    assert "When are left-over units counted?" in outcome.account
    outcome, state = model.run(clarify="assume", thread_id=outcome.thread_id)
    assert len(state.assumptions) == 1


def test_a_reviewer_that_cannot_be_understood_is_a_note(model: Model) -> None:
    model.plays["review_objective"] = lambda messages, schema: "I like it."
    _, state = model.run()
    assert any("reviewed by rules alone" in note for note in state.notes)
    assert model.asked[-1] == "review_sar"


def test_an_answer_that_got_worse_does_not_replace_the_earlier_one(model: Model) -> None:
    model.plays["review_parameter"] = scoring(unit_cost=0.4)
    model.plays["parameter"] = in_turn(
        recorded("parameter"),
        lambda messages, schema: json.dumps({"parameters": [], "assumed": []}),
    )
    _, state = model.run()
    assert len(state.parameters) > 5
    assert any("the earlier answer is kept" in note for note in state.notes)


def test_an_answer_that_cannot_be_used_does_not_replace_the_earlier_one(model: Model) -> None:
    model.plays["review_sar"] = scoring(observation=0.4)
    model.plays["sar"] = in_turn(recorded("sar"), lambda messages, schema: "no")
    _, state = model.run()
    assert state.sar is not None
    assert any("the earlier answer is kept" in note for note in state.notes)


def verdict(kind: str, wrong: str) -> Play:
    words = json.loads(good_problem({}))
    told = {**words, "verdict": kind, "wrong": wrong, "would_help": "a goal"}
    return lambda messages, schema: json.dumps(told)


def test_a_description_is_turned_away_by_two_verdicts_that_agree(model: Model) -> None:
    model.plays["triage"] = verdict("prediction task", "Sales are to be forecast.")
    outcome, _ = model.run()
    assert (outcome.status, outcome.exit_code) == ("turned_away", 2)
    assert outcome.account == (
        "The description asks for a prediction, not for decisions: Sales are to be forecast. "
        "What would help: a goal."
    )
    assert outcome.resume is not None
    assert model.asked == ["triage", "triage"]


def test_a_verdict_that_found_nothing_is_none_for_the_description(model: Model) -> None:
    nothing = {**json.loads(good_problem({})), **dict.fromkeys(("decided", "wanted"), "None.")}
    model.plays["triage"] = lambda messages, schema: json.dumps({**nothing, "happens": ""})
    outcome, _ = model.run()
    assert outcome.status == "turned_away"
    assert (
        "it names no decision that is taken again and again, no goal and nothing" in outcome.account
    )
    assert 'Your first verdict was "no description"' in model.prompts["triage"][1]


@pytest.mark.parametrize(
    ("plays", "calls"),
    [
        ([verdict("prediction task", "a forecast"), verdict("contradiction", "a clash")], 2),
        ([verdict("prediction task", ""), verdict("prediction task", "")], 1),
        ([verdict("no description", "no words"), lambda m, s: good_problem(s)], 2),
    ],
)
def test_any_other_verdict_is_a_note(model: Model, plays: list[Play], calls: int) -> None:
    model.plays["triage"] = in_turn(*plays)
    _, state = model.run()
    assert model.asked.count("triage") == calls
    assert model.asked[-1] == "review_sar"
    assert any(note.startswith("triage: ") for note in state.notes)


@pytest.mark.parametrize(
    "said", [Say("", refusal="I cannot help with that."), Say("I cannot help with that.")]
)
def test_a_refusal_is_shown_as_a_refusal(model: Model, said: Say) -> None:
    model.plays["triage"] = lambda messages, schema: said
    outcome, _ = model.run()
    assert (outcome.status, outcome.exit_code) == ("model_failed", 4)
    assert "refused to answer" in outcome.account
    assert "I cannot help with that." in outcome.account


def recorded(agent: str) -> Play:
    reply = replies_to(TASK)
    return lambda messages, schema: reply(messages, schema)


def changed(name: str, **update: Any) -> Play:
    """The recorded parameters with one of them changed."""

    def reply(messages: list[dict[str, Any]], schema: dict[str, Any]) -> Answer:
        answer = recorded("parameter")(messages, schema)
        assert isinstance(answer, str)
        told = json.loads(answer)
        for one in told["parameters"]:
            if one["name"] == name:
                one.update(update)
        return json.dumps(told)

    return reply
