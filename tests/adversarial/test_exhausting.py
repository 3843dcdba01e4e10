"""Using up time, memory, disk and patience; each run is ended, and soon."""

import resource
from pathlib import Path

import pytest

from sandbox import Limits
from tests.adversarial.ways import SANDLOCK
from tests.contained import run_text

FILLERS = {
    "many files": "open(f'file-{n}', 'wb').write(bytes(1_000_000))",
    "sparse files": "open(f'file-{n}', 'wb').truncate(1_000_000)",
    "many names": "open(f'file-{n}', 'wb')",
    "nameless files": """
    held.append(open('file', 'wb'))
    held[-1].write(bytes(1_000_000))
    os.unlink('file')
    """,
    "hidden folders": """
    os.makedirs('inner', exist_ok=True)
    open(f'inner/file-{n}', 'wb').write(bytes(1_000_000))
    os.chmod('inner', 0o300)
    """,
    "deep folders": "os.mkdir('inner'); os.chdir('inner')",
}


@pytest.mark.parametrize("how", FILLERS)
def test_filling_the_folder_ends_the_run(tmp_path: Path, how: str, way: str) -> None:
    text = (
        "import itertools, os, time\nheld = []\nfor n in itertools.count():\n"
        "    if n == 100:\n        time.sleep(20)\n    " + FILLERS[how].strip()
    )
    outcome = run_text(
        tmp_path / "run", text, Limits(total_bytes=20_000_000, total_files=50, wall_seconds=10)
    )
    # There the mode of a folder cannot even be changed.
    refused = how == "hidden folders" and way == SANDLOCK
    assert outcome.reason == ("failed" if refused else "disk")
    assert outcome.wall_seconds < 9


LOOPS = {
    "in Python": "while True: pass",
    "in C": "import numpy\nnumpy.broadcast_to(1.0, (10**13,)).sum()",
    "in a regular expression": "import re\nre.match('(a+)+$', 'a' * 99 + 'b')",
    "asleep": "import time\ntime.sleep(3600)",
    "asleep, whatever comes": "import signal, time\n"
    "for n in set(signal.Signals) - {9, 19}: signal.signal(n, signal.SIG_IGN)\n"
    "while True: time.sleep(1)",
    "waiting for input": "import sys\nsys.stdin.read()\nimport threading\nthreading.Event().wait()",
    "in many threads": "import threading\n"
    "def spin():\n    while True: pass\n"
    "for _ in range(20): threading.Thread(target=spin).start()",
}


@pytest.mark.parametrize("how", LOOPS)
def test_what_has_no_end_is_ended(tmp_path: Path, how: str) -> None:
    outcome = run_text(tmp_path / "run", LOOPS[how], Limits(wall_seconds=1.5))
    assert outcome.reason == "wall_time"
    assert outcome.wall_seconds < 6


def test_ten_gigabytes_of_output_are_neither_kept_nor_waited_for(tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    text = "import os\nblock = b'x' * (1 << 20)\nfor _ in range(10 << 10): os.write(1, block)"
    outcome = run_text(tmp_path / "run", text, Limits(output_bytes=1 << 20, wall_seconds=15))
    assert outcome.reason == "output"
    assert len(outcome.stdout) == 1 << 20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10


def test_tensors_are_memory_like_any_other(tmp_path: Path) -> None:
    text = """
    import torch
    held = []
    while True:
        held.append(torch.ones(1 << 22))
    """
    outcome = run_text(tmp_path / "run", text, Limits(memory_bytes=600 << 20, wall_seconds=60))
    assert outcome.reason in ("memory", "failed"), outcome
    assert 300 << 20 < outcome.peak_memory_bytes < 1200 << 20


@pytest.mark.parametrize("place", ["tempfile.gettempdir()", "'/dev/shm'"])
def test_scratch_space_is_small(tmp_path: Path, place: str) -> None:
    text = f"""
    import tempfile, time
    for n in range(64):
        open(f"{{{place}}}/big-{{n}}", "wb").write(bytes(1 << 20))
    time.sleep(9)
    """
    limits = Limits(scratch_bytes=4 << 20, wall_seconds=8)
    outcome = run_text(tmp_path / "run", text, limits)
    assert outcome.reason in ("failed", "disk"), outcome


def test_one_large_file_is_refused_by_the_kernel(tmp_path: Path) -> None:
    outcome = run_text(
        tmp_path / "run",
        "open('big', 'wb').write(bytes(5_000_000))",
        Limits(file_bytes=1_000_000),
    )
    assert outcome.reason == "failed"
    assert "File too large" in outcome.stderr
    assert (tmp_path / "run" / "big").stat().st_size <= 1_000_000
