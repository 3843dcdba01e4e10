"""Running a program that nobody trusts: contained, bounded, and reported on."""

import importlib.util
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from sandbox import folder as run_folder
from sandbox.bubblewrap import Bubblewrap
from sandbox.containment import Isolation, is_spare_user, spare_user
from sandbox.isolation import UNSAFE, SandboxUnavailable, choose, same_user
from sandbox.jobs import Job
from sandbox.outcome import Limits, Outcome, Reason
from sandbox.process_group import process_group
from sandbox.sandlock_backend import reachable_by_all
from sandbox.start import release, start_contained, start_unsafe, why_not_started
from sandbox.watch import Capture, Watchdog, end_contained, end_group, supervise


def run(
    program: Path | str,
    folder: Path,
    limits: Limits | None = None,
    *,
    arguments: Sequence[str] = (),
    read_only: Sequence[Path] = (),
    unsafe_no_sandbox: bool = False,
    on_output: Callable[[str], None] | None = None,
    stop: threading.Event | None = None,
) -> Outcome:
    """Runs a Python file in a run folder and waits for its end.

    `program` is a file, relative to `folder` or absolute. It starts in the folder, which it may
    write and sees as /run-folder, first on its module path; it sees each of `read_only` (absolute
    files or folders) under the same path as outside; and the interpreter with its installed
    packages. It sees nothing else of this machine, no network and no variable of our environment.

    `on_output` gets each complete line of standard output as it comes, in the calling thread: it
    must return quickly, since nothing is watched meanwhile. Setting `stop` ends the run. The
    calling thread must not end before the run does, which cannot happen unless it is killed: then
    the run ends too.

    Raises SandboxUnavailable if this machine cannot contain it, unless `unsafe_no_sandbox`, and
    FileNotFoundError if a path given does not exist.
    """
    folder = _existing(folder, "run folder")
    path = _existing(folder / program, "program")
    job = Job(folder, path, None, {}, arguments, _all_existing(read_only))
    isolation = None if unsafe_no_sandbox else _isolation_for(job)
    return run_job(job, limits or Limits(), isolation, on_output, stop)


def run_module(
    module: str,
    folder: Path,
    limits: Limits | None = None,
    *,
    packages: Sequence[str] = (),
    arguments: Sequence[str] = (),
    read_only: Sequence[Path] = (),
    descriptors: Sequence[int] = (),
    unsafe_no_sandbox: bool = False,
    on_output: Callable[[str], None] | None = None,
    stop: threading.Event | None = None,
) -> Outcome:
    """Runs a module of ours, as `python -m` would, on what is in a run folder.

    As `run`, but the module's own package (`sandbox.programs` for `sandbox.programs.check`) and
    the dotted `packages` named can be imported too, first on the module path, and nothing else of
    the project; packages above them (`sandbox`) appear empty. The run folder comes last on the
    path, so that a file in it cannot stand in for a library. It gets our open `descriptors` under
    the same numbers; they stay open on our side.

    Raises ModuleNotFoundError if a package does not exist, else as `run`.
    """
    names = {module.rpartition(".")[0], *packages} - {""}
    job = Job(
        folder=_existing(folder, "run folder"),
        program=None,
        module=module,
        packages={name: _package_folder(name) for name in sorted(names)},
        arguments=arguments,
        read_only=_all_existing(read_only),
        descriptors=descriptors,
    )
    isolation = None if unsafe_no_sandbox else _isolation_for(job)
    return run_job(job, limits or Limits(), isolation, on_output, stop)


def _existing(path: Path, what: str) -> Path:
    if not path.exists():
        raise FileNotFoundError(f"the {what} {path} does not exist")
    return path.resolve()


def _all_existing(paths: Sequence[Path]) -> list[Path]:
    return [_existing(path, "read-only path") for path in paths]


def _package_folder(name: str) -> Path:
    specification = importlib.util.find_spec(name)
    if specification is None or not specification.submodule_search_locations:
        raise ModuleNotFoundError(f"there is no package {name!r} to run or to show", name=name)
    return Path(specification.submodule_search_locations[0]).resolve()


def run_job(
    job: Job,
    limits: Limits,
    isolation: Isolation | None,
    on_output: Callable[[str], None] | None = None,
    stop: threading.Event | None = None,
) -> Outcome:
    """Runs a job in a way that was chosen for it, without protection if that is none.

    Raises SandboxUnavailable if that way does not work.
    """
    before = run_folder.snapshot(job.folder)
    counted = isolation is not None and (isolation.drops_user or os.geteuid() != 0)
    with _owned_folder(job.folder, isolation) as user, ExitStack() as stack:
        started_at = time.monotonic()
        started = (
            start_unsafe(job, limits)
            if isolation is None
            else start_contained(job, limits, isolation, user, stack)
        )
        process = stack.enter_context(started.process)
        assert process.stdout is not None
        assert process.stderr is not None
        captures = [
            Capture(process.stdout, limits.output_bytes, on_output),
            Capture(process.stderr, limits.output_bytes, None),
        ]
        first: int | None = None
        # Both are left only after the program has been ended.
        most = limits.processes + _tasks_around(isolation)
        group = None if counted else stack.enter_context(process_group(most))
        if not counted and group is None:
            stack.enter_context(_ahead_of_the_program())
        try:
            first = release(started, group, stack)
            watchdog = Watchdog(
                process.pid, job.folder, limits, scratch=started.scratch,
                supervised=started.scratch is not None,
            )  # fmt: skip
            reason = supervise(process, watchdog, captures, limits, stop)
        finally:
            if isolation is not None and isinstance(isolation.tool, Bubblewrap):
                end_contained(process, first)
            else:
                end_group(process)
            cpu_seconds = _reap(process)
        wall_seconds = time.monotonic() - started_at
        for capture in captures:
            while not capture.exceeded and capture.read():
                pass
        if reason is None and any(capture.exceeded for capture in captures):
            reason = "output"
        if reason is None and isolation is not None:
            why = why_not_started(isolation, started, process.returncode, captures[1].text())
            if why is not None:
                raise SandboxUnavailable(
                    f"the program could not be started in its sandbox ({why}): check that the run"
                    " folder and the read-only paths can be read, or pass --unsafe-no-sandbox to"
                    " run without protection",
                    why,
                )
    cpu_seconds = max(cpu_seconds, watchdog.cpu_seconds)
    exit_code: int | None = None
    if reason is None:
        exit_code = _exit_code(process.returncode, contained=isolation is not None)
        reason = watchdog.disk_violation() or _own_reason(exit_code, cpu_seconds, limits)
    return Outcome(
        reason=reason,
        exit_code=exit_code,
        wall_seconds=wall_seconds,
        cpu_seconds=cpu_seconds,
        peak_memory_bytes=watchdog.peak_memory_bytes,
        stdout=captures[0].text(),
        stderr=captures[1].text(),
        files=_produced(job.folder, before),
        isolation=UNSAFE if isolation is None else isolation.description,
    )


def _isolation_for(job: Job) -> Isolation:
    """The isolation in use; as a user of its own only if that user can read what it must."""
    isolation = choose()
    if not isolation.drops_user:
        return isolation
    readable = all(map(run_folder.open_to_all, job.shown))
    if not isinstance(isolation.tool, Bubblewrap):
        # Nothing is shown at another place, so the folders above count too.
        readable = readable and reachable_by_all([job.folder, *job.shown])
    return isolation if readable else same_user(isolation)


@contextmanager
def _owned_folder(folder: Path, isolation: Isolation | None) -> Iterator[int | None]:
    """Lends the folder to the user that the program will be, if that is not ours."""
    if isolation is None or not isolation.drops_user:
        yield None
        return
    user, owner = spare_user(), _owner_of(folder)
    run_folder.give_to(folder, user, user)
    try:
        yield user
    finally:
        # What cannot be walked is left as it is; the outcome says so.
        with suppress(run_folder.UnmeasurableFolder):
            run_folder.give_to(folder, *owner)


def _owner_of(folder: Path) -> tuple[int, int]:
    """To whom a folder is given back: us, if a run that was killed has not done so."""
    status = folder.stat()
    if is_spare_user(status.st_uid):
        return os.geteuid(), os.getegid()
    return status.st_uid, status.st_gid


def _tasks_around(isolation: Isolation | None) -> int:
    """Processes and threads of what contains a program, which are in its group."""
    if isolation is None:
        return 0
    return 2 if isinstance(isolation.tool, Bubblewrap) else 32


@contextmanager
def _ahead_of_the_program() -> Iterator[None]:
    """Lets this thread run before all others where only it bounds the number of processes.

    A program could multiply until the watchdog gets no more time to end it.
    """
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    with suppress(OSError):  # an ordinary user may not; the watchdog works all the same
        first = os.sched_param(os.sched_get_priority_min(os.SCHED_RR))
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, first)
    try:
        yield
    finally:
        if os.sched_getscheduler(0) != before[0]:
            os.sched_setscheduler(0, *before)


def _reap(process: subprocess.Popen[bytes]) -> float:
    """Waits for an ended process; returns the processor seconds of it and all it waited for."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def _exit_code(return_code: int, contained: bool) -> int:
    # What contains it reports a signal as a shell does.
    return 128 - return_code if contained and return_code > 128 else return_code


def _own_reason(exit_code: int, cpu_seconds: float, limits: Limits) -> Reason:
    if exit_code >= 0:
        return "ok" if exit_code == 0 else "failed"
    spent = exit_code == -signal.SIGKILL and cpu_seconds >= limits.cpu_seconds
    return "cpu_time" if exit_code == -signal.SIGXCPU or spent else "killed"


def _produced(folder: Path, before: dict[str, tuple[int, int, int]]) -> list[str]:
    try:
        after = run_folder.snapshot(folder)
    except (run_folder.UnmeasurableFolder, FileNotFoundError):
        return []
    return sorted(path for path, mark in after.items() if before.get(path) != mark)
