"""A thread is run by one process at a time, and a dead process does not keep it."""

import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest

from graph.sqlite_store import thread_lock
from graph.store import ThreadBusy

HOLDER = """
import sys
from pathlib import Path
from graph.sqlite_store import thread_lock
with thread_lock(Path(sys.argv[1]), sys.argv[2]):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_the_second_process_is_told_and_a_killed_one_lets_go(tmp_path: Path) -> None:
    file, thread_id = tmp_path / "checkpoints.sqlite", str(uuid4())
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(file), thread_id],
        cwd=Path(__file__).parents[3],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(ThreadBusy, match="another process"), thread_lock(file, thread_id):
            pass
        with thread_lock(file, str(uuid4())):
            holder.kill()
    with thread_lock(file, thread_id):
        assert (tmp_path / "checkpoints.sqlite.lock").exists()
