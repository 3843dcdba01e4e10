"""Starting a program inside sandlock."""

import os
import socket
import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path

from sandbox import interpreter, sandlock_backend
from sandbox.containment import LAUNCHER, Isolation, launcher_plan
from sandbox.folder import give_to, remove_tree
from sandbox.jobs import Job, Started, resource_limits
from sandbox.outcome import Limits


def start_in_sandlock(
    job: Job, limits: Limits, isolation: Isolation, user: int | None, stack: ExitStack
) -> Started:
    """Starts a job inside sandlock; what it takes of ours is given up with `stack`."""
    own = Path(tempfile.mkdtemp(prefix=f"a-lamp-{os.getpid()}-"))
    stack.callback(remove_tree, own)
    stage, scratch = own / "packages", own / "scratch"
    for folder in (stage, scratch):
        folder.mkdir()
    own.chmod(0o755)
    sandlock_backend.lay_out_packages(stage, job.packages)
    if user is not None:
        give_to(own, user, user)
    status, status_for_supervisor = os.pipe()
    stack.callback(os.close, status)
    # The supervisor passes on nothing but the three standard streams.
    ours, theirs = socket.socketpair()
    with ours, theirs:
        if job.descriptors:
            socket.send_fds(ours, [b"x"], list(job.descriptors))
        plan = launcher_plan(
            str(job.folder),
            program=None if job.program is None else str(job.program),
            module=job.module,
            limits={**resource_limits(limits), **_process_limit(limits, user)},
            path_first=[str(job.folder)] if job.module is None else [str(stage)],
            path_last=[] if job.module is None else [str(job.folder)],
            descriptors=list(job.descriptors),
            seccomp_filter=isolation.seccomp_filter,
        )
        mounts = interpreter.read_only_mounts()
        supervisor = sandlock_backend.supervisor_plan(
            folder=job.folder,
            own=own,
            scratch=scratch,
            readable=[LAUNCHER, stage, *job.shown, *(Path(mount.place) for mount in mounts)],
            environment=interpreter.environment(),
            processes=limits.processes,
            user=user,
            status_descriptor=status_for_supervisor,
        )
        words = [*interpreter.COMMAND, str(sandlock_backend.SUPERVISOR), supervisor]
        try:
            process = subprocess.Popen(
                [*words, *interpreter.COMMAND, str(LAUNCHER), plan, *job.arguments],
                env=interpreter.environment(),
                pass_fds=[status_for_supervisor],
                stdin=theirs.fileno(),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        finally:
            os.close(status_for_supervisor)
    return Started(process, status, scratch=scratch)


def _process_limit(limits: Limits, user: int | None) -> dict[str, int]:
    """For a user of its own only: the kernel counts all that a user runs."""
    return {} if user is None else {"RLIMIT_NPROC": limits.processes}
