"""First code inside the sandbox: bounds itself, drops to an unprivileged user, runs the program.

Run by file name, with the standard library alone and no other file of this project in reach. The
first argument is a JSON object, the rest belong to the program.
"""

import fcntl
import io
import json
import os
import resource
import runpy
import sys
from typing import Any

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_SECCOMP = 22
_SECCOMP_MODE_FILTER = 2
_SIGKILL = 9


def _bound(limits: dict[str, int]) -> None:
    for name, value in limits.items():
        which = getattr(resource, name)
        _, hard = resource.getrlimit(which)
        ceiling = value if hard == resource.RLIM_INFINITY else min(value, hard)
        # The soft processor limit comes first, so that its signal tells the reason.
        above = ceiling + 1 if name == "RLIMIT_CPU" and hard == resource.RLIM_INFINITY else ceiling
        resource.setrlimit(which, (ceiling, above))


def _prctl(option: int, value: int) -> None:
    import ctypes

    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl failed")


def _take_descriptors(numbers: list[int]) -> None:
    """Takes open files out of standard input, which is a socket, and closes that."""
    if numbers:
        import socket

        with socket.socket(fileno=os.dup(0)) as given:
            _, taken, _, _ = socket.recv_fds(given, 1, len(numbers))
        # First out of each other's way.
        lifted = [fcntl.fcntl(one, fcntl.F_DUPFD, max(numbers) + 1) for one in taken]
        for one, number in zip(lifted, numbers, strict=True):
            os.dup2(one, number, inheritable=False)
        for one in {*taken, *lifted} - set(numbers):
            os.close(one)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)


def _filter_calls(program: bytes) -> None:
    import ctypes
    import struct

    kept = ctypes.create_string_buffer(program, len(program))
    # struct sock_fprog: the number of instructions of 8 bytes, and where they are
    filter_program = struct.pack("HP", len(program) // 8, ctypes.addressof(kept))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, filter_program, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "the system call filter was refused")


def _become(user: int) -> None:
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
    # Changing user hides the process's own /proc files from it; torch and multiprocessing read
    # them.
    _prctl(_PR_SET_DUMPABLE, 1)


def _main() -> None:
    plan: dict[str, Any] = json.loads(sys.argv[1])
    if plan["die_with_parent"]:
        _prctl(_PR_SET_PDEATHSIG, _SIGKILL)
    if plan["user"] is not None:
        _become(plan["user"])
    # Only now: the folder may be closed to whom the program was started as.
    os.chdir(plan["folder"])
    if plan["descriptors"] is not None:
        _take_descriptors(plan["descriptors"])
    _bound(plan["limits"])
    if plan["seccomp_filter"] is not None:
        _filter_calls(bytes.fromhex(plan["seccomp_filter"]))
    # Lines are to be seen as they come, also through a pipe.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)
    sys.path[:0] = plan["path_first"]
    sys.path += plan["path_last"]
    if plan["module"] is not None:
        sys.argv = [plan["module"], *sys.argv[2:]]
        runpy.run_module(plan["module"], run_name="__main__", alter_sys=True)
    else:
        sys.argv = [plan["program"], *sys.argv[2:]]
        runpy.run_path(plan["program"], run_name="__main__")


if __name__ == "__main__":
    _main()
