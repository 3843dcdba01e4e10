"""Runs of the command line inside the test's process, with stand-ins for what the sandbox runs.

What is left out takes most of a run's time and has tests of its own: checks, training and
evaluation of generated code, and the pictures of the report.
"""

import json
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from graph.run import main
from nodes.run_folder import write_whole
from sandbox import Limits, Outcome
from state.findings import CheckReport
from state.heuristic import HeuristicTrial
from state.training import Evaluation, ReturnEstimate, TrainingRecord
from tests.fake_chat_server import FakeChatServer
from tests.small_problem import DESCRIPTION

RECORD = TrainingRecord(
    method="dqn", timesteps=1, seconds=1, stopped_because="converged", best_evaluation=1
)
TRAINED = ReturnEstimate(policy="trained", mean=1, low=0, high=2, episodes=100, mean_length=8)
OUTCOME: dict[str, Any] = {
    "reason": "ok", "exit_code": 0, "wall_seconds": 0, "cpu_seconds": 0, "peak_memory_bytes": 0,
    "stdout": "", "stderr": "", "files": [], "isolation": "none",
}  # fmt: skip


class QuickRuns:
    """The command line in ``folder``; ``done`` counts what would have run in the sandbox."""

    def __init__(
        self, folder: Path, capsys: pytest.CaptureFixture[str], server: FakeChatServer
    ) -> None:
        self.folder = folder
        self.server = server
        self.done: Counter[str] = Counter()
        self._capsys = capsys
        (folder / "problem.md").write_text(DESCRIPTION)

    def run(self, *words: str) -> tuple[int, str, str]:
        """Exit code, standard output and standard error of the command line."""
        self._capsys.readouterr()
        handlers = {sign: signal.getsignal(sign) for sign in (signal.SIGTERM, signal.SIGHUP)}
        try:
            code = main(words)
        finally:
            for sign, handler in handlers.items():
                signal.signal(sign, handler)
        return int(code), *self._capsys.readouterr()

    def told(self, *words: str, code: int = 0) -> dict[str, Any]:
        """The object that the command line prints with ``--json``."""
        exit_code, output, errors = self.run(*words, "--json")
        assert exit_code == code, errors
        told: dict[str, Any] = json.loads(output.splitlines()[-1])
        return told

    def begin(self, *words: str) -> dict[str, Any]:
        """A run of the small problem to its end."""
        model = ["--model", "openai:fake", "--base-url", self.server.openai_url]
        plain = ["--no-error-correction", "--unsafe-no-sandbox"]
        return self.told("--describe", "problem.md", *model, *plain, *words)

    def steps(self, thread_id: str) -> dict[str, int]:
        """The number of the last step that each node ran in."""
        told = self.told("--history", thread_id)
        return {step["node"]: step["step"] for step in told["steps"]}

    def train(self, module: str, folder: Path, limits: Limits, **how: Any) -> Outcome:
        self.done["train"] += 1
        write_whole(folder / "policy.zip", f"policy {self.done['train']}")
        write_whole(folder / "policy_setup.json", "{}")
        write_whole(folder / "curve.csv", "timesteps,mean_return,seconds\n1,1,1\n")
        (folder / "attempts").mkdir(exist_ok=True)
        write_whole(folder / "training_result.json", RECORD.model_dump_json())
        return Outcome(**OUTCOME)

    def check(self, *given: Any) -> tuple[CheckReport, str]:
        self.done["executor"] += 1
        return CheckReport(passed=["all"]), "none"

    def evaluate(self, *given: Any, **how: Any) -> Evaluation:
        self.done["evaluate"] += 1
        return Evaluation(trained=TRAINED, better_than_random=True)

    def try_heuristic(self, *given: Any) -> HeuristicTrial:
        self.done["heuristic"] += 1
        return HeuristicTrial(episodes=1, mean_return=2, random_return=1)


Start = Callable[..., QuickRuns]
"""Makes quick runs with replies that are given by the name of their agent."""


@contextmanager
def quick_runs(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    server: FakeChatServer,
) -> Iterator[QuickRuns]:
    """Runs in ``tmp_path`` whose model is ``server``."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "no-key")
    monkeypatch.delenv("A_LAMP_CHECKPOINTS", raising=False)
    runs = QuickRuns(tmp_path, capsys, server)
    monkeypatch.setattr("nodes.train.run_module", runs.train)
    monkeypatch.setattr("nodes.executor.run_checks", runs.check)
    monkeypatch.setattr("nodes.evaluate.ask_evaluation", runs.evaluate)
    monkeypatch.setattr("nodes.heuristic.try_heuristic", runs.try_heuristic)
    monkeypatch.setattr("nodes.report.draw", lambda state, folder: {})
    with server:
        yield runs
