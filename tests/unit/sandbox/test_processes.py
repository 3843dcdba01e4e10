import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from sandbox.processes import children, exact_memory_bytes, tree, tree_usage, unlinked_bytes

GROWN = """
import os, sys, tempfile, time
held = bytearray(os.urandom(1)) * 50_000_000
file = tempfile.TemporaryFile()
file.write(b"x" * 1_000_000)
file.flush()
while time.process_time() < 0.2:
    pass
if os.fork() == 0:
    time.sleep(60)
print("ready", flush=True)
time.sleep(60)
"""


@pytest.fixture(scope="module")
def grown() -> Iterator[int]:
    with subprocess.Popen([sys.executable, "-c", GROWN], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield process.pid
        for descendant in reversed(tree(process.pid)):
            os.kill(descendant, 9)


def test_the_tree_has_the_child(grown: int) -> None:
    assert tree(grown) == [grown, *children(grown)]
    assert len(children(grown)) == 1


def test_memory_shared_by_a_fork_counts_once_where_it_matters(grown: int) -> None:
    assert tree_usage(grown).memory_bytes > 100_000_000
    assert 50_000_000 < exact_memory_bytes(grown) < 75_000_000


def test_time_tasks_and_nameless_files(grown: int) -> None:
    assert 0.15 < tree_usage(grown).cpu_seconds < 5
    assert tree_usage(grown).tasks == 2
    assert unlinked_bytes(grown) >= 1_000_000


def test_a_process_that_is_gone_uses_nothing() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    assert tree(process.pid) == [process.pid]
    assert tree_usage(process.pid) == (0, 0.0, 0)
    assert exact_memory_bytes(process.pid) == 0
