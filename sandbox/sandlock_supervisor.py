"""Starts a program under sandlock, and sees to it that nothing of it lives on.

Run by file name. The first argument is a JSON object, the rest is the program's command. The
program may leave its parent, but not this process, which adopts whatever does: when the program
has ended, or when this process's own parent has, everything below is killed.

Source: sandlock 0.9, prctl(2), capabilities(7).
"""

import ctypes
import json
import os
import shutil
import signal
import sys
import threading
from contextlib import suppress
from types import FrameType
from typing import Any, NoReturn

import sandlock

_PR_SET_PDEATHSIG = 1
_PR_CAPBSET_DROP = 24
_PR_SET_CHILD_SUBREAPER = 36
_LAST_CAPABILITY = 63
_CAPABILITY_VERSION = 0x20080522
FAILED = 125
"""Exit status where the program could not be started."""


def _prctl(option: int, value: int) -> int:
    return int(ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0))


def _give_up_rights(user: int | None) -> None:
    """Become another user, or, as root that stays root, one without any capability."""
    if os.geteuid() != 0:
        return
    for capability in range(_LAST_CAPABILITY + 1):
        _prctl(_PR_CAPBSET_DROP, capability)  # refused for those that this kernel does not know
    if user is not None:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
        return
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    none = (ctypes.c_uint32 * 6)()
    if ctypes.CDLL(None, use_errno=True).capset(header, none) != 0:
        raise OSError(ctypes.get_errno(), "capset failed")


def _children() -> list[int]:
    found: list[int] = []
    for task in os.listdir("/proc/self/task"):
        with suppress(FileNotFoundError), open(f"/proc/self/task/{task}/children") as file:
            found += map(int, file.read().split())
    return found


def _end_all() -> None:
    """Kill what is below until there is nothing; the orphans of what is killed become ours."""
    while children := _children():
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _run(plan: dict[str, Any], command: list[str], ended: list[int]) -> None:
    contained = sandlock.Sandbox(
        fs_readable=plan["readable"],
        fs_writable=plan["writable"],
        cwd=plan["cwd"],
        clean_env=True,
        env=plan["environment"],
        max_processes=plan["processes"],
    )
    process = contained.popen(command)
    os.write(plan["status"], b"started\n")
    result = process.wait()
    ended.append(128 + result.signal if result.signal > 0 else result.exit_code)


def _main() -> None:
    plan: dict[str, Any] = json.loads(sys.argv[1])

    def parent_ended(number: int, frame: FrameType | None) -> NoReturn:
        _end_all()
        shutil.rmtree(plan["own"], ignore_errors=True)
        os._exit(FAILED)

    signal.signal(signal.SIGTERM, parent_ended)
    _give_up_rights(plan["user"])
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != plan["parent"]:
        os._exit(FAILED)
    # Waited for in another thread, so that this one can be told of the parent's end.
    ended: list[int] = []
    waiting = threading.Thread(target=_run, args=(plan, sys.argv[2:], ended))
    waiting.start()
    waiting.join()
    _end_all()
    os._exit(ended[0] if ended else FAILED)


if __name__ == "__main__":
    _main()
