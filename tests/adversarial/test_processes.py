"""Taking over, taking too much, and living on."""

import os
import re
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from sandbox import Limits, process_group
from tests.adversarial.ways import SANDLOCK
from tests.contained import run_text
from tests.living import processes_with

ROOT = Path(__file__).parents[2]


@pytest.fixture
def mark() -> str:
    return f"mark-{uuid.uuid4().hex}"


BOMBS = {
    "processes": "os.fork()",
    "threads": "threading.Thread(target=time.sleep, args=(9,), daemon=True).start()",
    "programs": "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(9)'])",
}


@pytest.mark.parametrize("kind", BOMBS)
def test_a_bomb_is_bounded(tmp_path: Path, mark: str, kind: str, way: str) -> None:
    text = f"""
    import os, subprocess, sys, threading, time
    refused = 0
    while refused < 20:
        try:
            {BOMBS[kind]}
        except (OSError, RuntimeError):
            refused += 1
            time.sleep(0.01)
    print("refused")
    """
    outcome = run_text(
        tmp_path / "run", text, Limits(processes=30, wall_seconds=5), arguments=[mark]
    )
    assert outcome.reason in ("ok", "failed", "processes", "wall_time")
    grouped = way == "in a user namespace" and process_group.describe() == "can be made"
    if way in ("as a user of its own", "not as root") or grouped:  # else the watchdog ends it
        assert "refused" in outcome.stdout, outcome
    assert outcome.wall_seconds < 8
    assert processes_with(mark) == []


@pytest.mark.parametrize(
    "how",
    [
        "held = bytearray(1) * (10 << 30)",
        "held = []\nwhile True: held.append(os.urandom(1 << 20))",
        "held = mmap.mmap(-1, 1 << 30)\nfor n in range(0, 1 << 30, 4096): held[n] = 1",
        "held = shared_memory.SharedMemory(create=True, size=1 << 30)\n"
        "for n in range(0, 1 << 30, 4096): held.buf[n] = 1",
    ],
    ids=["one block", "many blocks", "mapped", "shared"],
)
def test_a_memory_bomb_is_ended(tmp_path: Path, how: str) -> None:
    text = f"import mmap, os, time\nfrom multiprocessing import shared_memory\n{how}\ntime.sleep(9)"
    limits = Limits(memory_bytes=200 << 20, scratch_bytes=64 << 20, wall_seconds=10)
    outcome = run_text(tmp_path / "run", text, limits)
    assert outcome.reason in ("memory", "failed", "killed")
    assert outcome.peak_memory_bytes < 600 << 20
    assert outcome.wall_seconds < 8


@pytest.mark.parametrize(
    "how",
    [
        "signals",
        "double fork",
        "new session",
        "closed streams",
        "many",
    ],
)
def test_nothing_lives_on(tmp_path: Path, mark: str, how: str) -> None:
    text = {
        "signals": "for n in range(1, 32):\n"
        "    if n not in (9, 19): signal.signal(n, signal.SIG_IGN)",
        "double fork": "if os.fork() == 0:\n    os.setsid()\n    if os.fork(): os._exit(0)",
        "new session": "if os.fork(): os._exit(0)\nos.setsid()",
        "closed streams": "for n in range(3): os.close(n)",
        "many": "for _ in range(4): os.fork()",
    }[how]
    outcome = run_text(
        tmp_path / "run",
        f"import os, signal, time\n{text}\nwhile True: time.sleep(1)",
        Limits(wall_seconds=0.5),
        arguments=[mark],
    )
    assert outcome.reason in ("wall_time", "ok")
    assert outcome.wall_seconds < 5
    assert processes_with(mark) == []


@pytest.mark.parametrize("unsafe", [False, True], ids=["contained", "unsafe"])
def test_the_death_of_the_caller_ends_the_run(tmp_path: Path, mark: str, unsafe: bool) -> None:
    (tmp_path / "program.py").write_text(
        "import signal, time\nsignal.signal(15, signal.SIG_IGN)\n"
        "print('ready')\nwhile True: time.sleep(1)",
        encoding="utf-8",
    )
    caller = (
        "import sys\nfrom pathlib import Path\nfrom sandbox import run\n"
        "run('program.py', Path(sys.argv[1]), arguments=[sys.argv[2]],"
        f" on_output=lambda line: print(line, flush=True), unsafe_no_sandbox={unsafe})"
    )
    with subprocess.Popen(
        [sys.executable, "-c", caller, str(tmp_path), mark], cwd=ROOT, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        assert len(processes_with(mark)) >= 2
        os.kill(process.pid, signal.SIGKILL)
    deadline = time.monotonic() + 5
    while processes_with(mark) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert processes_with(mark) == []


def test_the_caller_cannot_be_killed_or_traced(tmp_path: Path) -> None:
    text = """
    import ctypes, os
    libc = ctypes.CDLL(None, use_errno=True)
    for process in (os.getppid(), 1, -1, int(os.sys.argv[1])):
        try:
            os.kill(process, 9)
        except OSError as error:
            print(type(error).__name__)
        print(libc.ptrace(16, process, 0, 0), ctypes.get_errno())
    print("still here")
    """
    outcome = run_text(tmp_path / "run", text, arguments=[str(os.getpid())])
    # The first process of a namespace cannot be killed from inside it.
    assert outcome.reason == "ok", outcome
    assert outcome.stdout.count("-1 1\n") == 4
    assert "still here" in outcome.stdout


NEW_RIGHTS = {
    "user namespace": "call(272, 0x10000000)",
    "mount namespace": "call(272, 0x00020000)",
    "clone": "call(56, 0x10000011, 0, 0, 0, 0)",
    "mount": "libc.mount(b'none', b'/tmp', b'tmpfs', 0, None)",
    "root": "os.setuid(0) or 0",
    "ptrace": "libc.ptrace(0, 0, 0, 0)",
    "io_uring": "call(425, 4, bytes(120))",
    "bpf": "call(321, 0, bytes(120), 120)",
    "keyring": "call(250, 0, -3, 1)",
    "userfaultfd": "call(323, 0)",
    "perf": "call(298, bytes(120), 0, -1, -1, 0)",
    "shared memory": "call(29, 0, 4096, 0o1600)",
    "memory file": "call(319, b'x', 0)",
}


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="call numbers are those of x86_64")
@pytest.mark.parametrize("what", NEW_RIGHTS)
def test_new_rights_cannot_be_had(tmp_path: Path, what: str, way: str) -> None:
    text = f"""
    import ctypes, os
    libc = ctypes.CDLL(None, use_errno=True)
    call = libc.syscall
    print({NEW_RIGHTS[what]}, ctypes.get_errno())
    """
    outcome = run_text(tmp_path / "run", text)
    if what == "root" and way == SANDLOCK and os.geteuid() == 0:
        status = run_text(tmp_path / "run", "print(open('/proc/self/status').read())").stdout
        assert re.search("CapEff:\\t0+\n", status), status
    elif what == "root":
        assert "PermissionError" in outcome.stderr or "OSError" in outcome.stderr
    else:
        assert outcome.stdout in ("-1 1\n", "-1 38\n"), outcome
