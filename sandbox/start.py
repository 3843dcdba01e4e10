"""Starting a program: contained, or, where that was asked for, without protection."""

import json
import os
import subprocess
from contextlib import ExitStack, suppress
from pathlib import Path

from sandbox import interpreter, processes
from sandbox.bubblewrap import RUN_FOLDER, Bubblewrap, Mount, command
from sandbox.containment import (
    LAUNCHER,
    LAUNCHER_PLACE,
    Isolation,
    descriptor_of,
    launcher_plan,
    view,
)
from sandbox.jobs import Job, Started, resource_limits
from sandbox.outcome import Limits
from sandbox.process_group import ProcessGroup
from sandbox.start_sandlock import start_in_sandlock

_PACKAGES_PLACE = "/packages"
_PROGRAM_PLACE = "/program"


def start_contained(
    job: Job, limits: Limits, isolation: Isolation, user: int | None, stack: ExitStack
) -> Started:
    """Starts a job inside what contains it here; what it takes of ours is given up with `stack`.

    `user` is whom the program becomes, if it is not to stay who we are.
    """
    if isinstance(isolation.tool, Bubblewrap):
        return _start_in_bubblewrap(isolation.tool, job, limits, isolation, user, stack)
    return start_in_sandlock(job, limits, isolation, user, stack)


def _start_in_bubblewrap(
    bubblewrap: Bubblewrap,
    job: Job,
    limits: Limits,
    isolation: Isolation,
    user: int | None,
    stack: ExitStack,
) -> Started:
    status, status_for_bubblewrap = os.pipe()
    stack.callback(os.close, status)
    go_for_bubblewrap, go = os.pipe()
    stack.callback(os.close, go)
    passed = [status_for_bubblewrap, go_for_bubblewrap]
    try:
        seccomp = None
        if isolation.seccomp_filter is not None:
            seccomp = descriptor_of(isolation.seccomp_filter)
            passed.append(seccomp)
        empty_files: list[tuple[int, str]] = []
        for place in _empty_packages(job.packages):
            passed.append(descriptor_of(b""))
            empty_files.append((passed[-1], place))
        words = command(
            bubblewrap,
            folder=job.folder,
            view=view(_mounts(job), empty_files),
            environment=interpreter.environment(),
            scratch_bytes=limits.scratch_bytes,
            drops_user=isolation.drops_user,
            seccomp_descriptor=seccomp,
            status_descriptor=status_for_bubblewrap,
            go_descriptor=go_for_bubblewrap,
        )
        plan = launcher_plan(
            RUN_FOLDER,
            program=_program_place(job),
            module=job.module,
            user=user,
            limits={**resource_limits(limits), "RLIMIT_NPROC": limits.processes},
            path_first=[RUN_FOLDER] if job.module is None else [_PACKAGES_PLACE],
            path_last=[] if job.module is None else [RUN_FOLDER],
        )
        process = subprocess.Popen(
            [*words, *interpreter.COMMAND, LAUNCHER_PLACE, plan, *job.arguments],
            env={},  # bubblewrap's own environment can be read inside, in /proc/1/environ
            pass_fds=[*passed, *job.descriptors],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    finally:
        for descriptor in passed:
            os.close(descriptor)
    return Started(process, status, go)


def release(started: Started, group: ProcessGroup | None, stack: ExitStack) -> int | None:
    """Lets a program start in its group; returns a handle on the first process of its namespace.

    The kernel ends all others with that one. None if bubblewrap ended before, or if nothing is
    contained. The handle, a pidfd, is closed with `stack`.
    """
    if group is not None:
        group.add(started.process.pid)
    if started.status is None or started.go is None:
        return None
    report = b""
    while not report.endswith(b"\n"):
        block = os.read(started.status, 1)
        if not block:
            return None
        report += block
    first: int = json.loads(report)["child-pid"]
    with suppress(OSError):  # it may be gone, or be hidden from us
        # The kernel's choice of what to end when memory runs out falls on this first.
        Path(f"/proc/{first}/oom_score_adj").write_text("1000", encoding="ascii")
    try:
        handle = os.pidfd_open(first)
    except ProcessLookupError:
        return None
    stack.callback(os.close, handle)
    if first not in processes.children(started.process.pid):
        return None
    if group is not None:
        group.add(first)
    with suppress(BrokenPipeError):
        os.write(started.go, b"go")
    return handle


def why_not_started(
    isolation: Isolation, started: Started, return_code: int, stderr: str
) -> str | None:
    """What kept an ended process from ever holding the program; None if it did hold it."""
    if started.status is None or return_code == 0:
        return None
    os.set_blocking(started.status, False)
    try:
        report = os.read(started.status, 1 << 16).decode()
    except BlockingIOError:
        report = ""
    if isinstance(isolation.tool, Bubblewrap):
        reports = report.splitlines()
        if any("exit-code" in json.loads(line) for line in reports) or return_code < 0:
            return None
    elif report:
        return None
    said = stderr.strip().splitlines() or [f"exit status {return_code}"]
    return said[-1]


def start_unsafe(job: Job, limits: Limits) -> Started:
    """Starts a job as an ordinary process, bounded but not contained."""
    roots = sorted({str(path.parents[name.count(".")]) for name, path in job.packages.items()})
    plan = launcher_plan(
        str(job.folder),
        program=None if job.program is None else str(job.program),
        module=job.module,
        # No bound on processes: the kernel would count all that this user runs.
        limits=resource_limits(limits),
        path_first=[str(job.folder)] if job.module is None else roots,
        path_last=[] if job.module is None else [str(job.folder)],
        die_with_parent=True,
    )
    process = subprocess.Popen(
        [*interpreter.COMMAND, str(LAUNCHER), plan, *job.arguments],
        env=interpreter.environment(),
        pass_fds=job.descriptors,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    return Started(process)


def _program_place(job: Job) -> str | None:
    if job.program is None:
        return None
    if job.program.is_relative_to(job.folder):
        return f"{RUN_FOLDER}/{job.program.relative_to(job.folder)}"
    return f"{_PROGRAM_PLACE}/{job.program.name}"


def _mounts(job: Job) -> list[Mount]:
    mounts = [Mount(path, str(path)) for path in job.read_only]
    for name, path in job.packages.items():
        mounts.append(Mount(path, f"{_PACKAGES_PLACE}/{name.replace('.', '/')}"))
    if job.program is not None and not job.program.is_relative_to(job.folder):
        mounts.append(Mount(job.program, f"{_PROGRAM_PLACE}/{job.program.name}"))
    return mounts


def _empty_packages(packages: dict[str, Path]) -> list[str]:
    """Places of the `__init__.py` of packages above those shown, which are not shown."""
    parents = {
        name[:position]
        for name in packages
        for position, letter in enumerate(name)
        if letter == "."
    } - set(packages)
    return [f"{_PACKAGES_PLACE}/{name.replace('.', '/')}/__init__.py" for name in sorted(parents)]
