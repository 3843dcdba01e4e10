"""Attempts side by side, each in a process of its own, until one has arrived."""

import json
import multiprocessing
import shutil
import time
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from sandbox.training.attempt import checkpoint_of, run_attempt
from sandbox.training.choices import LEARNED_FROM_EXAMPLES, next_attempt
from sandbox.training.factored import NotFactored
from sandbox.training.keep_best import STEADY
from sandbox.training.planner import NoPlan
from sandbox.training.policy import POLICY, SETUP, content_sha256
from sandbox.training.records import PROGRESS
from sandbox.training.request import ATTEMPTS, RESULT, Attempt, Request
from sandbox.training.study import is_hopeless
from sandbox.training.uniform_draw import NotEnumerable
from sandbox.training.ways import NoWay

FAILURE = "failure.txt"
LONGEST_FAILURE = 500
GRACE, LEAST_GRACE = 0.5, 5.0
"""Share of the time that the first arrival took, and seconds, which others are still given."""
PATIENCE, LEAST_PATIENCE = 1.0, 45.0
"""The same after an imitation, which is only as good as its teacher, and after value iteration
in a model that is not exact."""
LEAST_SECONDS = 5.0
"""An attempt is not begun with less time than this."""
EXACT_SHARE = 0.25
"""Of the time, for going through all states."""
LONGEST_WAIT = 20.0
"""Seconds beyond the time that there was, in which there may still be a first policy."""
POLL_SECONDS = 0.2


@dataclass
class Running:
    """An attempt that is being made in a process of its own."""

    attempt: Attempt
    process: BaseProcess | None
    looked_at: int = -1
    """Steps at which it was last seen whether it falls behind."""
    pruned: bool = False


@dataclass
class Race:
    """The attempts so far; ``made`` holds the results in the order of ``finished``."""

    request: Request
    folder: Path
    began: float
    waiting: list[Attempt]
    bar: float
    """Mean return of the best constant action: whoever gets no further has not arrived."""
    running: list[Running] = field(default_factory=list)
    finished: list[Attempt] = field(default_factory=list)
    made: list[dict[str, Any]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    failed: list[Attempt] = field(default_factory=list)
    """Those that left nothing."""
    ends_at: float = field(init=False)
    arrived: bool = False

    def __post_init__(self) -> None:
        self.ends_at = self.began + self.request.seconds

    def begin(self) -> None:
        """Begin attempts that wait and were not made yet; what comes of them is seen to later."""
        if self.waiting and self._made_before(self.waiting[0]) is None:
            self._fill(multiprocessing.get_context("fork"))

    def is_solved(self) -> bool:
        """Whether an attempt has come to the exact solution, also if nothing was noted of it."""
        attempts = [*self.waiting, *(entry.attempt for entry in self.running)]
        made = filter(None, map(self._made_before, attempts))
        return any(result.get("stopped_because") == "exact" for result in made)

    def run(self) -> None:
        """Make attempts until one has arrived or nothing more can be tried in the time left."""
        context = multiprocessing.get_context("fork")
        while True:
            self._collect()
            self._fill(context)
            if not self.running:
                return
            if self._is_over():
                self._stop()
                return
            time.sleep(POLL_SECONDS)

    def _is_over(self) -> bool:
        """Whether the time is used up, or a good policy was found and no exact one is to come."""
        now = time.monotonic()
        late = now - self.began - self.request.seconds
        if late >= 0:
            found = bool(self.made) or any(map(self._progress, self.running))
            return found or late >= LONGEST_WAIT
        if any(entry.attempt.method == "exact" for entry in self.running):
            return False  # it ends by itself in good time
        return now >= self.ends_at or self._agree()

    def best(self) -> int:
        """Place of the best result; nothing but luck puts any other before an exact one."""
        values = [(r["stopped_because"] == "exact", r["best_evaluation"]) for r in self.made]
        return values.index(max(values))

    def first_failure(self) -> str:
        """What went wrong first; that a method does not fit only where nothing else did."""
        unfit = tuple(kind.__name__ for kind in (NotEnumerable, NoPlan, NotFactored, NoWay))
        own = [told for told in self.failures if not told.startswith(unfit)]
        return next(iter([*own, *self.failures]), "")

    def _fill(self, context: Any) -> None:
        """Begin attempts while there is room: those that wait, then what symptoms call for."""
        while len(self.running) < self.request.side_by_side:
            seconds = self.ends_at - time.monotonic()
            if seconds < LEAST_SECONDS and (self.running or self.made):
                return
            if not self.waiting and not self.arrived and self.made:
                self.waiting += self._following()
            if not self.waiting:
                return
            attempt = self.waiting.pop(0)
            if self._was_made(attempt):
                continue
            if attempt.method == "exact":
                seconds = min(seconds, EXACT_SHARE * self.request.seconds)
            before = time.monotonic() - self.began
            arguments = (self.request, attempt, self.folder, seconds, before)
            process = context.Process(target=_make, args=arguments)
            process.start()
            self.running.append(Running(attempt, process))

    def _was_made(self, attempt: Attempt) -> bool:
        """Take over what the same attempt came to before the search was broken off."""
        if self._made_before(attempt) is None:
            return False
        self._add_result(Running(attempt, None))
        return True

    def _made_before(self, attempt: Attempt) -> dict[str, Any] | None:
        """The result that lies in the folder of the attempt, if it is of this very attempt."""
        try:
            path = self.folder / ATTEMPTS / attempt.name / RESULT
            result: dict[str, Any] = json.loads(path.read_text())
        except (OSError, ValueError):
            return None
        return result if result.get("attempt") == attempt.as_json() else None

    def _following(self) -> list[Attempt]:
        also = [*(entry.attempt for entry in self.running), *self.failed]
        following = next_attempt(self.finished, self.made, also, self.request.wishes)
        return [following] if following is not None else []

    def _agree(self) -> bool:
        """Whether two trainings are steady and came to the same return by different ways."""
        under_way = [told for told in map(self._progress, self.running) if told]
        steady = [(told["best"], told["chance"]) for told in under_way if told["steady"]]
        steady += [
            (made["best_evaluation"], made["chance"])
            for made in self.made
            if made["stopped_because"] == "converged"
        ]
        if len(steady) < 2:
            return False
        (best, chance), (second, _) = sorted(steady, reverse=True)[:2]
        everything = [made["best_evaluation"] for made in self.made]
        everything += [told["best"] for told in under_way]
        enough = best - STEADY * (best - chance)
        return second >= enough and best >= max(everything) and self._over_the_bar(best, chance)

    def _over_the_bar(self, best: float, chance: float) -> bool:
        return best > chance and best > self.bar + STEADY * (best - chance)

    def _progress(self, entry: Running) -> dict[str, Any] | None:
        try:
            path = self.folder / ATTEMPTS / entry.attempt.name / PROGRESS
            told: dict[str, Any] = json.loads(path.read_text())
        except (OSError, ValueError):  # not there yet
            return None
        return told

    def _collect(self) -> None:
        for entry in [r for r in self.running if r.process and r.attempt.trial]:
            if self._falls_behind(entry) and entry.process is not None:
                entry.process.terminate()
                entry.process.join()
                entry.pruned = True
        for entry in [r for r in self.running if r.process and not r.process.is_alive()]:
            self.running.remove(entry)
            self._add_result(entry)

    def _falls_behind(self, entry: Running) -> bool:
        """Whether a trial has made an evaluation that shows it to be hopeless."""
        told = self._progress(entry)
        if told is None or told["timesteps"] == entry.looked_at:
            return False
        entry.looked_at = told["timesteps"]
        return is_hopeless(entry.attempt, self.finished, self.folder / ATTEMPTS)

    def _stop(self) -> None:
        processes = [entry.process for entry in self.running if entry.process]
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()
        for entry in self.running:
            self._add_result(entry)
        self.running.clear()

    def _add_result(self, entry: Running) -> None:
        out = self.folder / ATTEMPTS / entry.attempt.name
        checkpoint_of(self.request.problem, entry.attempt, out).remove()
        if (out / FAILURE).exists():
            self.failures.append((out / FAILURE).read_text())
            print(f"{entry.attempt.name}: {self.failures[-1]}", flush=True)
        try:
            result = json.loads((out / RESULT).read_text())
        except (OSError, ValueError):
            result = self._interrupted(entry)
        if result is None or not (out / POLICY).exists() or not (out / SETUP).exists():
            self.failed.append(entry.attempt)
            return
        if any(attempt.name == entry.attempt.name for attempt in self.finished):
            return
        if entry.pruned:
            (out / RESULT).write_text(json.dumps(result, indent=1))
        over = self._over_the_bar(result["best_evaluation"], result["chance"])
        if result["symptom"] in ("better", "fell") and not over:
            result["symptom"] = "below a constant"
        self.finished.append(entry.attempt)
        self.made.append(result)
        self._note_arrival(result)

    def _interrupted(self, entry: Running) -> dict[str, Any] | None:
        """What a training that was ended from outside had come to."""
        told = self._progress(entry)
        out = self.folder / ATTEMPTS / entry.attempt.name
        if told is None or not (out / POLICY).exists():
            return None
        return {
            "method": entry.attempt.method,
            "timesteps": told["timesteps"],
            "seconds": told["seconds"],
            "stopped_because": "pruned" if entry.pruned else "overtaken",
            "best_evaluation": told["best"],
            "chance": told["chance"],
            "symptom": "unfinished",
            "policy_sha256": content_sha256(out),
            "attempt": entry.attempt.as_json(),
        }

    def _note_arrival(self, result: dict[str, Any]) -> None:
        """After the best so far has arrived, the others get some more time, and no more begin."""
        exact = result["stopped_because"] == "exact"
        clearly = self._over_the_bar(result["best_evaluation"], result["chance"])
        if self.best() != len(self.made) - 1 or not (exact or clearly):
            return
        now = time.monotonic()
        took, reason = now - self.began, result["stopped_because"]
        if reason == "exact":
            self.ends_at, self.waiting = now, []
        elif reason == "converged" and result["method"] not in LEARNED_FROM_EXAMPLES:
            self.ends_at = min(self.ends_at, now + max(GRACE * took, LEAST_GRACE))
            self.waiting = []
        elif (
            result["method"] in (*LEARNED_FROM_EXAMPLES, "exact") and result["symptom"] == "better"
        ):
            self.ends_at = min(self.ends_at, now + max(PATIENCE * took, LEAST_PATIENCE))
        else:
            return
        self.arrived = True


def _make(
    request: Request, attempt: Attempt, folder: Path, seconds: float, seconds_before: float
) -> None:
    out = folder / ATTEMPTS / attempt.name
    if not checkpoint_of(request.problem, attempt, out).is_there():
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
    try:
        run_attempt(request.problem, attempt, folder, out, seconds, seconds_before)
    except Exception as error:  # whatever the environment raises
        (out / FAILURE).write_text(f"{type(error).__name__}: {error}"[:LONGEST_FAILURE])
        raise SystemExit(1) from error
