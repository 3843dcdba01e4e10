"""Executor, train and evaluate on environments written by hand, in the real sandbox."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime

from nodes import executor as executor_module
from nodes import train as train_module
from nodes.coding import coding
from nodes.evaluate import evaluate
from nodes.executor import executor
from nodes.settings import RunSettings
from nodes.train import train
from sandbox import Limits, describe_isolation
from state.run_state import RunState
from tests.environments.scheduling_spec import scheduling_spec
from tests.specs import choosing

ENVIRONMENTS = Path(__file__).parent.parent / "environments"


@pytest.fixture(name="state")
def _state(tmp_path: Path) -> RunState:
    for name in ("environment.py", "spec_functions.py"):
        shutil.copy(ENVIRONMENTS / "scheduling" / name, tmp_path)
    spec = scheduling_spec()
    pieces: dict[str, Any] = {name: getattr(spec, name) for name in type(spec).model_fields}
    return RunState(run_folder=str(tmp_path), **pieces)


def runtime(lines: list[Any] | None = None, **settings: Any) -> Runtime[RunSettings]:
    heard = [] if lines is None else lines
    return Runtime(context=RunSettings(**settings), stream_writer=heard.append)


def change(state: RunState, old: str, new: str) -> None:
    path = Path(state.run_folder) / "environment.py"
    source = path.read_text()
    assert old in source
    path.write_text(source.replace(old, new))


def test_checked_trained_and_evaluated(state: RunState) -> None:
    lines: list[Any] = []
    run = runtime(lines, steps=3000, seed=7)
    for node in (executor, train, evaluate):
        state = state.model_copy(update=node(state, run))
    assert state.checks is not None
    assert state.checks.clean
    assert len(state.checks.passed) == 25
    assert state.isolation == describe_isolation()
    assert state.plan is not None
    assert (state.plan.algorithm, state.plan.discount) == ("auto", 0)
    assert state.training is not None
    assert state.training.algorithm in ("DQN", "PPO")
    assert {made.method for made in state.training.attempts} >= {state.training.method}
    assert 0 < state.training.timesteps <= 3000 + 8 * 128
    assert lines
    assert lines[0]["stage"] == "train"
    assert state.evaluation is not None
    assert state.evaluation.better_than_random
    assert state.evaluation.trained.episodes == 100
    greedy, random = (state.evaluation.baseline(name) for name in ("greedy", "random"))
    assert greedy is not None
    assert random is not None
    assert random.mean < state.evaluation.trained.mean <= greedy.mean * 1.001
    assert state.evaluation.baseline("constant") is not None
    assert state.status == "trained"
    assert "better than chance" in state.account
    assert [stage.status for stage in state.stages] == ["done"] * 3


def test_finished_training_is_kept_and_half_a_training_is_not(state: RunState) -> None:
    folder, run = Path(state.run_folder), runtime(steps=300)
    # What a training leaves that was killed on its way.
    (folder / "policy.zip").write_text("half")
    (folder / "curve.csv").write_text("timesteps,mean_return\n1,1\n")
    first = train(state, run)
    assert first["stages"][-1].note == ""
    again = train(state, run)
    assert again["stages"][-1].note == "already finished"
    assert again["training"] == first["training"]
    (folder / "policy.zip").write_text("tampered with")
    change(state, "-110.5", "-110.4")
    other = train(state, run)
    assert other["stages"][-1].note == ""
    assert other["training"].policy != first["training"].policy


def test_failing_training_is_told_in_words(state: RunState) -> None:
    change(state, "self.user = int(action)", "self.user = {}[int(action)]")
    update = train(state, runtime(steps=300))
    assert update["training"] is None
    assert update["stages"][-1].status == "failed"
    assert update["account"].startswith("Training did not come to its end: RuntimeError: KeyError")
    ended = evaluate(state.model_copy(update=update), runtime())
    assert ended["status"] == "no_better_policy"
    assert ended["stages"][-1].status == "skipped"


def test_link_left_by_the_code_is_refused(state: RunState) -> None:
    link = "self.user = int(action)\n        import pathlib\n        "
    link += "pathlib.Path('curve').exists() or pathlib.Path('curve').symlink_to('train.py')"
    change(state, "self.user = int(action)", link)
    update = train(state, runtime(steps=300))
    assert update["training"] is None
    assert "'curve'" in update["account"]


def test_training_without_end_is_ended(state: RunState, monkeypatch: pytest.MonkeyPatch) -> None:
    change(state, "self.user = int(action)", "self.user = int(action)\n        while True: pass")
    monkeypatch.setattr(train_module, "SECONDS_AROUND", 3.0)
    update = train(state, runtime(steps=300, time_budget=1.0))
    assert "ran longer than 4 s" in update["account"]


def test_missing_policy_is_told_in_words(state: RunState) -> None:
    update = train(state, runtime(steps=300))
    (Path(state.run_folder) / "policy.zip").write_text("no policy")
    ended = evaluate(state.model_copy(update=update), runtime())
    assert ended["status"] == "no_better_policy"
    assert ended["account"].startswith("The policy could not be evaluated: ")
    assert "Traceback" not in ended["account"]


@pytest.mark.parametrize(
    ("passage", "seconds", "said"),
    [
        ("while True: pass", 4, "longer than 4 s"),
        ("self.kept = bytearray(b'x') * 2**30", 90, "more than 0.5 GiB of memory"),
    ],
)
def test_checks_without_end_are_a_finding(
    state: RunState, monkeypatch: pytest.MonkeyPatch, passage: str, seconds: float, said: str
) -> None:
    limits = Limits(wall_seconds=seconds, memory_bytes=2**29)
    monkeypatch.setattr(executor_module, "LIMITS", limits)
    change(state, "self.user = int(action)", f"self.user = int(action)\n        {passage}")
    update = executor(state, runtime())
    assert not update["checks"].clean
    assert update["remarks"][0].check == "runs_within_its_limits"
    assert said in update["remarks"][0].found
    assert update["stages"][-1].status == "failed"


def test_checks_without_isolation_say_so(state: RunState) -> None:
    update = executor(state, runtime(unsafe_no_sandbox=True))
    assert update["checks"].clean
    assert "unsafe" in update["isolation"]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_what_is_not_possible_is_masked_in_training_and_evaluation(tmp_path: Path) -> None:
    spec = choosing.serving()
    pieces: dict[str, Any] = {name: getattr(spec, name) for name in type(spec).model_fields}
    state = RunState(run_folder=str(tmp_path), **pieces)
    run = runtime(steps=3000, seed=7, without="exact,dqn")
    for node in (coding, executor, train, evaluate):
        state = state.model_copy(update=node(state, run))
    assert state.checks is not None
    assert state.checks.clean
    assert state.training is not None
    assert state.training.algorithm == "MaskablePPO"
    assert "possible actions" in state.training.attempt["remedies"]
    assert state.evaluation is not None
    assert state.evaluation.better_than_random
    assert {probe.policy for probe in state.training.probes} == {"random", "constant"}
    assert all(probe.objective_ahead is not None for probe in state.training.probes)
