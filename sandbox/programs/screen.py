"""Program: a short look at several candidates for environment.py, to the first thing found in each.

Runs in a sandbox, in a folder with check_request.json, spec_functions.py and the candidates, which
run in the processes that look at them: what these say only tells which are worth a real look.
"""

import json
import linecache
import os
import resource
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

from sandbox.hosts import functions
from sandbox.hosts.environment import EnvironmentHost
from sandbox.programs import requests
from sandbox.programs.agreement import Arguments, Function, Noting, Returned, alike, returned
from sandbox.programs.asking import in_this_process
from sandbox.programs.check import up_to_the_first_finding
from sandbox.programs.findings import Finding
from sandbox.programs.ladder import checks_for
from sandbox.programs.source_checks import check_source
from sandbox.programs.standard_checkers import standard_checkers
from sandbox.programs.step_checks import constraints_hold
from sandbox.programs.subject import Subject
from sandbox.training.environments import import_file, make_own_environment

FEW_STEPS, STEPS = 30, 200
"""Random steps: what is wrong mostly shows in a few, in what comes back or in a constraint."""
LONGEST = 5.0
"""Seconds for one candidate."""
AGAIN = 0.5
"""Seconds after which it is told once more, for a candidate may catch anything."""
LONGEST_OF_ALL = 45.0
"""Seconds after which no further candidate is looked at."""
MOST_PROCESSES = 4
MOST_MEMORY = 2**29
"""Bytes that the candidates of one process may take."""

Report = dict[str, Any]


class _TooLong(BaseException):
    """No ``Exception``: the answers of a host would take it for one of the generated code."""


def main() -> None:
    """Look at all candidates in a process for each core; those that take too long are ended."""
    request = requests.ScreenRequest.read(Path(requests.SCREEN_REQUEST))
    checked = requests.CheckRequest.read(Path(requests.CHECK_REQUEST))
    numbers = range(len(request.candidates))
    count = min(len(os.sched_getaffinity(0)), MOST_PROCESSES, len(numbers))
    parts = [numbers[first::count] for first in range(count)]
    _wait_for([_start(request, checked, part, number) for number, part in enumerate(parts)])
    reports: list[Report | None] = [None for _ in numbers]
    for number, part in enumerate(parts):
        told = _place(number) / requests.SCREEN_RESULT
        found = json.loads(told.read_text()) if told.exists() else []
        for place, report in zip(part, found, strict=False):
            reports[place] = report
    Path(requests.SCREEN_RESULT).write_text(json.dumps({"reports": reports}))


def _place(number: int) -> Path:
    return Path(f"part-{number}")


def _start(
    request: requests.ScreenRequest,
    checked: requests.CheckRequest,
    part: Sequence[int],
    number: int,
) -> int:
    """A process that looks at the candidates of ``part``, in a folder of its own."""
    process = os.fork()
    if process:
        return process
    status = 1
    try:
        place = _place(number)
        place.mkdir()
        functions_text = Path("spec_functions.py").read_bytes()
        os.chdir(place)
        Path("spec_functions.py").write_bytes(functions_text)
        _bound_memory()
        Screen(request, checked).look_at([request.candidates[place] for place in part])
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)  # whatever a candidate did, this process must not go on as the other


def _bound_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MOST_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _wait_for(processes: list[int]) -> None:
    """Wait until all have ended, and end those that do not in time."""
    until = time.monotonic() + LONGEST_OF_ALL + 3 * LONGEST
    waiting = list(processes)
    while waiting:
        waiting = [process for process in waiting if os.waitpid(process, os.WNOHANG)[0] == 0]
        if waiting and time.monotonic() > until:
            for process in waiting:
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)
            return
        time.sleep(0.01)


class Screen:
    """Looks at candidates, and at what they leave as it was."""

    def __init__(self, request: requests.ScreenRequest, checked: requests.CheckRequest) -> None:
        warnings.simplefilter("ignore")
        signal.signal(signal.SIGALRM, _too_long)
        self._few = replace(checked, random_steps=FEW_STEPS)
        self._more = replace(checked, random_steps=STEPS)
        self._lasts = _lasts(checked, request.last)
        self._body, self._slow = request.body, False
        self._reads, self._writes = _ranges_of(checked, request.body)
        self._situations, self._before = self._faulty(request.faulty)

    def _faulty(self, source: str) -> tuple[list[Arguments], list[Returned]]:
        """In which situations the faulty function is, and what it returns there."""
        _become(source)
        if check_source(self._more):
            return [], []
        noting: Noting | None = None
        try:
            with _at_most(LONGEST):
                noting = Noting(getattr(_environment(), self._body), self._reads)
                setattr(_environment(), self._body, noting)
                up_to_the_first_finding(self._more, _subject(self._more), self._lasts[:1])
        except BaseException as error:  # it is slow, or ends this process, or cannot be imported
            _disarm()
            self._slow = isinstance(error, _TooLong)
        situations = [] if noting is None else list(noting.situations)
        return situations, [] if noting is None else self._returned(noting.function, situations)

    def _returned(self, function: Function, situations: list[Arguments]) -> list[Returned]:
        try:
            with _at_most(LONGEST):
                return returned(function, situations)
        except BaseException:  # as above
            _disarm()
            return [None for _ in situations]

    def look_at(self, sources: Sequence[str]) -> None:
        """Look at ``sources`` in their order; what was found is written after each."""
        reports: list[Report | None] = []
        started = time.monotonic()
        for source in sources:
            if time.monotonic() - started > LONGEST_OF_ALL:
                break
            reports.append(self._report(source))
            Path("told.json").write_text(json.dumps(reports))
            Path("told.json").replace(requests.SCREEN_RESULT)

    def _report(self, source: str) -> Report | None:
        """None where nothing can be told of candidates so shortly: the faulty one is slow too."""
        began, share = time.monotonic(), 0.0
        try:
            with _at_most(LONGEST):
                passed, findings = self._climbed(source)
        except BaseException as error:  # it takes too long, or ends this process
            _disarm()
            if isinstance(error, _TooLong) and self._slow:
                return None
            told = "it takes too long" if isinstance(error, _TooLong) else f"it raises {error!r}"
            passed, findings = [], [Finding("runs_within_its_limits", "coding", told)]
        if not findings:
            function = getattr(_environment(), self._body)
            now = self._returned(function, self._situations)
            share = alike(self._before, now, self._writes)
        return {
            "passed": passed,
            "findings": [finding.as_json() for finding in findings],
            "seconds": round(time.monotonic() - began, 3),
            "unchanged": share,
        }

    def _climbed(self, source: str) -> tuple[list[str], list[Finding]]:
        _become(source)
        few = self._lasts[:1]
        passed, findings = up_to_the_first_finding(self._few, _subject(self._few), few)
        if findings:
            return passed, findings
        return up_to_the_first_finding(self._more, _subject(self._more), self._lasts)


def _lasts(request: requests.CheckRequest, last: str) -> list[str]:
    """Checks after which none is asked: that of the constraints, and ``last`` or the one before.

    The standard checkers are not asked here, for they need seconds to be there at all.
    """
    names = [check.__name__ for check in checks_for(request)]
    asked = names[: names.index(standard_checkers.__name__)]
    if last == standard_checkers.__name__:
        last = asked[-1]
    return [constraints_hold.__name__, *([last] if last in asked else [])]


def _ranges_of(
    request: requests.CheckRequest, body: str
) -> tuple[list[requests.DeclaredRange | None], list[requests.DeclaredRange | None]]:
    """The declared ranges of what ``body`` reads and of what it returns; None where there is none.

    What it reads is what it was at the end of an earlier step.
    """
    declared = {limits.name: limits for limits in request.ranges}
    written = [each for each in request.written if each.body == body]
    reads = written[0].reads if written else []
    return (
        [declared.get(name.removeprefix("previous_")) for name in reads],
        [declared.get(each.name) for each in written],
    )


def _become(source: str) -> None:
    """Make ``source`` the environment."""
    Path("environment.py").write_text(source)
    sys.modules.pop("environment", None)
    linecache.clearcache()


def _environment() -> Any:
    return import_file("environment")


def _subject(request: requests.CheckRequest) -> Subject:
    host = EnvironmentHost(lambda: make_own_environment(request.gymnasium_id))
    return Subject(request, in_this_process(host.answers()), in_this_process(functions.ANSWERS))


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Raises ``_TooLong`` in what takes longer."""
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        _disarm()


def _disarm() -> None:
    signal.setitimer(signal.ITIMER_REAL, 0.0)


def _too_long(number: int, frame: FrameType | None) -> None:
    raise _TooLong


if __name__ == "__main__":
    main()
