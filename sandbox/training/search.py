"""Training that does not give up: attempts side by side, remedies by symptom, the best is kept.

    python -m training.search

Reads training_request.json in the current folder. Each attempt leaves its files in
``attempts/<name>``; those of the best are copied up, and training_result.json tells of all.
"""

import json
import multiprocessing
import shutil
import time
from dataclasses import dataclass, field, replace
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import torch

from sandbox.training.attempt import Workshop, run_attempt
from sandbox.training.choices import first_attempts, next_attempt
from sandbox.training.environments import import_file, make_environment
from sandbox.training.equality import differs
from sandbox.training.keep_best import STEADY
from sandbox.training.policy import POLICY, SETUP
from sandbox.training.request import REQUEST, RESULT, Attempt, Request

ATTEMPTS = "attempts"
FAILURE = "failure.txt"
LONGEST_FAILURE = 500
KEPT = (POLICY, SETUP, "curve.csv")
GRACE = 0.5
"""Share of the time that the first arrival took, which the others are still given."""
LEAST_GRACE = 5.0
LEAST_SECONDS = 5.0
"""An attempt is not begun with less time than this."""
POLL_SECONDS = 0.2
COMPARED_EPISODES = 4
COMPARED_STEPS = 400


@dataclass
class Running:
    """An attempt that is being made in a process of its own."""

    attempt: Attempt
    process: BaseProcess
    began: float


@dataclass
class Race:
    """The attempts so far; ``made`` holds the results in the order of ``finished``."""

    request: Request
    folder: Path
    began: float = field(default_factory=time.monotonic)
    waiting: list[Attempt] = field(default_factory=list)
    running: list[Running] = field(default_factory=list)
    finished: list[Attempt] = field(default_factory=list)
    made: list[dict[str, Any]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    arrived_at: float | None = None

    def seconds_left(self) -> float:
        """Until the time is used up, or until the grace after the first arrival is."""
        now = time.monotonic()
        left = self.request.seconds - (now - self.began)
        if self.arrived_at is None:
            return left
        took = self.arrived_at - self.began
        return min(left, self.arrived_at + max(GRACE * took, LEAST_GRACE) - now)

    def run(self) -> None:
        """Make attempts until one has arrived or nothing more can be tried in the time left."""
        context = multiprocessing.get_context("fork")
        while True:
            self._collect()
            self._fill(context)
            if not self.running:
                return
            if self.seconds_left() <= 0 or self._agree():
                self._stop()
                return
            time.sleep(POLL_SECONDS)

    def best(self) -> int:
        """Place of the best result."""
        values = [r["best_evaluation"] for r in self.made]
        return values.index(max(values))

    def _agree(self) -> bool:
        """Whether two trainings are steady and came to the same return by different ways."""
        steady = [
            (told["best"], told["chance"])
            for told in (self._progress(entry) for entry in self.running)
            if told and told["steady"]
        ]
        steady += [
            (made["best_evaluation"], made["chance"])
            for made in self.made
            if made["stopped_because"] == "converged"
        ]
        steady.sort(reverse=True)
        if len(steady) < 2:
            return False
        (best, chance), (second, _) = steady[:2]
        everything = [m["best_evaluation"] for m in self.made]
        everything += [told["best"] for told in map(self._progress, self.running) if told]
        same = best - second <= STEADY * (best - chance)
        return same and best >= max(everything) - STEADY * (best - chance)

    def _progress(self, entry: Running) -> dict[str, Any] | None:
        path = self.folder / ATTEMPTS / entry.attempt.name / "progress.json"
        try:
            told: dict[str, Any] = json.loads(path.read_text())
        except (OSError, ValueError):  # not there yet, or just being written
            return None
        return told

    def _fill(self, context: Any) -> None:
        while len(self.running) < self.request.side_by_side and self.arrived_at is None:
            if not self.waiting:
                made_all = not self.running or bool(self.finished)
                following = self._following() if made_all else None
                if following is None:
                    return
                self.waiting.append(following)
            if self.seconds_left() < LEAST_SECONDS and (self.running or self.finished):
                return
            attempt = self.waiting.pop(0)
            seconds = self.seconds_left()
            process = context.Process(
                target=_make, args=(self.request, attempt, self.folder, seconds)
            )
            process.start()
            self.running.append(Running(attempt, process, time.monotonic()))

    def _following(self) -> Attempt | None:
        attempts = [*self.finished, *(r.attempt for r in self.running)]
        if not self.made:
            return None
        number = len(attempts) + 1
        known = attempts[: len(self.finished)]
        following = next_attempt(self.made, known, self.request.wishes, number)
        tried = [(a.method, a.seed, a.remedies, a.start_from) for a in attempts]
        if following is not None:
            key = (following.method, following.seed, following.remedies, following.start_from)
            if key in tried:
                return None
        return following

    def _collect(self) -> None:
        for entry in [r for r in self.running if not r.process.is_alive()]:
            self.running.remove(entry)
            self._add_result(entry)

    def _stop(self) -> None:
        for entry in self.running:
            entry.process.terminate()
        for entry in self.running:
            entry.process.join()
            self._add_result(entry)
        self.running.clear()

    def _note_failure(self, entry: Running) -> None:
        path = self.folder / ATTEMPTS / entry.attempt.name / FAILURE
        if path.exists():
            self.failures.append(path.read_text())
            print(f"{entry.attempt.name} failed: {self.failures[-1]}", flush=True)

    def _interrupted(self, entry: Running) -> dict[str, Any] | None:
        """What a training that was ended from outside had come to."""
        told = self._progress(entry)
        return told and {
            "method": entry.attempt.method,
            "timesteps": told["timesteps"],
            "seconds": told["seconds"],
            "stopped_because": "overtaken",
            "best_evaluation": told["best"],
            "chance": told["chance"],
            "symptom": "unfinished",
            "attempt": entry.attempt.as_json(),
        }

    def _add_result(self, entry: Running) -> None:
        self._note_failure(entry)
        out = self.folder / ATTEMPTS / entry.attempt.name
        try:
            result = json.loads((out / RESULT).read_text())
        except (OSError, ValueError):
            result = self._interrupted(entry)
        if result is None or not (out / POLICY).exists() or not (out / SETUP).exists():
            return
        self.finished.append(entry.attempt)
        self.made.append(result)
        arrived = result["stopped_because"] in ("converged", "exact")
        if arrived and self.arrived_at is None and self.best() == len(self.made) - 1:
            self.arrived_at = time.monotonic()


def _with_proved_batch(request: Request, folder: Path) -> Request:
    """Without the numpy form of the environment, unless it does the same step by step."""
    if not request.circumstances.batched:
        return request
    plain = make_environment(request.problem.gymnasium_id, folder)
    batched = import_file("batched_environment", folder).BatchedEnvironment(COMPARED_EPISODES)
    steps = min(COMPARED_STEPS, 3 * request.problem.horizon)
    difference = differs(plain, batched, steps, request.wishes.seed)
    if not difference:
        return request
    print(f"one episode at a time, for the batched form differs: {difference}", flush=True)
    return replace(request, circumstances=replace(request.circumstances, batched=False))


def _make(request: Request, attempt: Attempt, folder: Path, seconds: float) -> None:
    out = folder / ATTEMPTS / attempt.name
    out.mkdir(parents=True, exist_ok=True)
    try:
        run_attempt(request.problem, attempt, folder, out, seconds)
    except Exception as error:  # whatever the environment raises
        (out / FAILURE).write_text(f"{type(error).__name__}: {error}"[:LONGEST_FAILURE])
        raise


def search(request: Request, folder: Path) -> dict[str, Any]:
    """Make attempts in ``folder``, keep the best one's files there and return the account.

    Raises:
        RuntimeError: no attempt left a policy.
    """
    torch.set_num_threads(1)
    began = time.monotonic()
    request = _with_proved_batch(request, folder)
    probe = Attempt(
        "probe", "dqn", 0.99, 1, request.wishes.seed, batched=request.circumstances.batched
    )
    workshop = Workshop(request.problem, folder, probe)
    race = Race(request, folder, began)
    race.waiting = first_attempts(
        request.problem, workshop.coding, workshop.measured, request.wishes, request.circumstances
    )
    shutil.rmtree(folder / ATTEMPTS, ignore_errors=True)
    race.run()
    if not race.made:
        raise RuntimeError(race.failures[0] if race.failures else "no attempt left a policy")
    best = race.best()
    for name in KEPT:
        shutil.copyfile(folder / ATTEMPTS / race.finished[best].name / name, folder / name)
    return {
        **race.made[best],
        "total_seconds": round(time.monotonic() - began, 3),
        "attempts": race.made,
    }


def main() -> None:
    """Read the request, search, write the result."""
    folder = Path.cwd()
    result = search(Request.read(folder / REQUEST), folder)
    (folder / RESULT).write_text(json.dumps(result, indent=1))
    print(
        "kept",
        result["attempt"]["name"],
        "with a mean return of",
        round(result["best_evaluation"], 4),
    )


if __name__ == "__main__":
    main()
