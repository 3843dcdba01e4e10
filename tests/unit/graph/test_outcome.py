import json
from typing import get_args

import pytest

from graph.outcome import EXIT_CODE_OF, ModelTaken, RunOutcome, Status, finished_status, outcome_of
from graph.progress import summary
from state.dynamics import Dynamics
from state.question import Question
from state.run_state import RunState, Stage
from state.training import Evaluation, ReturnEstimate, TrainingPlan, TrainingRecord
from state.usage import ModelCall

MODEL = ModelTaken(name="recorded:big", reason="the task has a recording", recorded=True)

STAGES = [Stage(name=name, status="done", seconds=0.5) for name in ("sar", "train", "evaluate")]


def estimate(policy: str, mean: float) -> ReturnEstimate:
    return ReturnEstimate(
        policy=policy, mean=mean, low=mean - 1, high=mean + 1, episodes=100, mean_length=9
    )


def finished() -> RunState:
    return RunState(
        description="d",
        run_folder="/somewhere/runs/x",
        dynamics=Dynamics(gymnasium_id="Standard-v1"),
        plan=TrainingPlan(discount=0.9, time_budget=1),
        training=TrainingRecord(
            method="dqn", timesteps=1, seconds=1, stopped_because="converged", best_evaluation=1
        ),
        evaluation=Evaluation(
            trained=estimate("trained", 10),
            baselines=[estimate("random", 2), estimate("greedy", 11), estimate("heuristic", 7)],
            better_than_random=True,
        ),
        calls=[ModelCall(agent="sar", model="m", prompt_tokens=5, completion_tokens=2, cost=0.5)],
        stages=STAGES,
        isolation="box 1.0",
        status="trained",
        account="It is better.",
    )


def outcome(state: RunState, status: Status = "trained", account: str = "") -> RunOutcome:
    lost = [ModelCall(agent="coding", model="m", prompt_tokens=100, cost=None)]
    return outcome_of(
        state,
        thread_id="T",
        status=status,
        model=MODEL,
        lost_calls=lost if status == "model_failed" else [],
        account=account,
    )


@pytest.mark.parametrize(
    ("status", "code"),
    [
        ("trained", 0),
        ("no_better_policy", 1),
        ("waiting", 3),
        ("model_failed", 4),
        ("out_of_tokens", 4),
        ("unverified", 5),
        ("error", 70),
        ("interrupted", 130),
    ],
)
def test_exit_codes_are_a_contract(status: Status, code: int) -> None:
    assert EXIT_CODE_OF[status] == code
    assert outcome(finished(), status).exit_code == code


def test_every_status_has_an_exit_code() -> None:
    assert set(EXIT_CODE_OF) == set(get_args(Status))


def test_run_that_no_node_judged_is_not_a_success() -> None:
    assert finished_status(RunState(description="d")) == "no_better_policy"


def test_json_object_holds_what_was_promised() -> None:
    told = json.loads(outcome(finished()).model_dump_json())
    assert told == {
        "run_folder": "/somewhere/runs/x",
        "thread_id": "T",
        "status": "trained",
        "exit_code": 0,
        "stages": [
            {"name": name, "status": "done", "seconds": 0.5, "note": ""}
            for name in ("sar", "train", "evaluate")
        ],
        "model": MODEL.model_dump(),
        "environment_id": "Standard-v1",
        "algorithm": "DQN",
        "mean_return": 10,
        "return_interval": [9, 11],
        "evaluation_episodes": 100,
        "random_return": 2,
        "greedy_return": 11,
        "heuristic_return": 7,
        "tokens": 7,
        "cost": 0.5,
        "seconds": 1.5,
        "isolation": "box 1.0",
        "account": "It is better.",
        "question": None,
        "resume": None,
    }


def test_calls_of_a_failed_node_are_counted() -> None:
    told = outcome(finished(), "model_failed", "The model failed.")
    assert (told.tokens, told.cost, told.account) == (107, None, "The model failed.")
    assert told.resume == "python -m graph.run --resume T"


def test_policy_of_the_run_before_is_none_of_a_revision_that_was_stopped() -> None:
    state = finished().model_copy(update={"stages": []})
    stopped = outcome(state, "interrupted")
    told = (stopped.algorithm, stopped.mean_return, stopped.random_return, stopped.return_interval)
    assert told == (None, None, None, None)
    assert "mean return" not in summary(stopped)


def test_exhausted_budget_says_how_to_go_on() -> None:
    told = outcome(finished(), "out_of_tokens", "The tokens are used up.")
    assert told.resume == "python -m graph.run --resume T --max-tokens LARGER_NUMBER"


def test_waiting_run_says_how_to_answer() -> None:
    question = Question(kind="clarify", agent="objective", text="Total or mean?")
    told = outcome_of(finished(), thread_id="T", status="waiting", model=MODEL, question=question)
    assert told.question == question
    assert told.resume == 'python -m graph.run --resume T --answer "YOUR ANSWER"'


def test_summary_shows_the_result_and_that_answers_were_recorded() -> None:
    text = summary(outcome(finished()))
    for words in (
        "10, 95 % interval 9 to 11, 100 episodes",
        "(recorded answers)",
        "random policy: 2\n",
        "heuristic:     7\n",
    ):
        assert words in text
    assert text.endswith("It is better.")


def test_summary_of_a_run_that_came_to_nothing() -> None:
    text = summary(outcome(RunState(description="d"), "model_failed", "The model failed."))
    assert "mean return" not in text
    assert "resume with:" in text
