"""First code inside the sandbox: bounds itself, drops to an unprivileged user, runs the program.

Run by file name, with the standard library alone and no other file of this project in reach. The
first argument is a JSON object, the rest belong to the program.
"""

import io
import json
import os
import resource
import runpy
import sys
from typing import Any

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
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
    _bound(plan["limits"])
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
