from pathlib import Path

import pytest

from sandbox import Limits
from tests.contained import run_text

MEBIBYTE = 1 << 20
BOTH = pytest.mark.parametrize("unsafe", [False, True], ids=["contained", "unsafe"])


@BOTH
def test_an_endless_loop_ends_with_its_time(tmp_path: Path, unsafe: bool) -> None:
    limits = Limits(wall_seconds=0.5)
    outcome = run_text(tmp_path, "while True: pass", limits, unsafe_no_sandbox=unsafe)
    assert outcome.reason == "wall_time"
    assert 0.5 <= outcome.wall_seconds < 3
    assert outcome.cpu_seconds > 0


@BOTH
def test_processor_time_is_that_of_the_whole_tree(tmp_path: Path, unsafe: bool) -> None:
    limits = Limits(cpu_seconds=1, wall_seconds=20)
    outcome = run_text(
        tmp_path, "import os\nos.fork()\nwhile True: pass", limits, unsafe_no_sandbox=unsafe
    )
    assert outcome.reason == "cpu_time"
    assert 0.9 < outcome.cpu_seconds < 2.5


@BOTH
def test_memory_is_that_of_the_whole_tree(tmp_path: Path, unsafe: bool) -> None:
    outcome = run_text(
        tmp_path,
        """
        import os, time
        os.fork(), os.fork()
        held = []
        for _ in range(100):
            held.append(os.urandom(1 << 20))
        time.sleep(20)
        """,
        Limits(memory_bytes=200 * MEBIBYTE, wall_seconds=20),
        unsafe_no_sandbox=unsafe,
    )
    assert outcome.reason == "memory"
    assert 200 * MEBIBYTE < outcome.peak_memory_bytes < 450 * MEBIBYTE


def test_memory_shared_after_a_fork_is_not_counted_twice(tmp_path: Path) -> None:
    outcome = run_text(
        tmp_path,
        """
        import os, time
        held = os.urandom(1 << 20) * 60
        for _ in range(4):
            if os.fork() == 0:
                time.sleep(0.5)
                os._exit(0)
        time.sleep(0.6)
        """,
        Limits(memory_bytes=150 * MEBIBYTE, wall_seconds=20),
    )
    assert outcome.reason == "ok"
    assert outcome.peak_memory_bytes > 60 * MEBIBYTE


@BOTH
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_flood_of_output_is_cut(tmp_path: Path, stream: str, unsafe: bool) -> None:
    outcome = run_text(
        tmp_path,
        f"import sys\nwhile True: sys.{stream}.write('x' * 100_000)",
        Limits(output_bytes=50_000, wall_seconds=20),
        unsafe_no_sandbox=unsafe,
    )
    assert outcome.reason == "output"
    assert getattr(outcome, stream) == "x" * 50_000


def test_output_that_just_fits_is_kept_whole(tmp_path: Path) -> None:
    outcome = run_text(tmp_path, "print('x' * 999)", Limits(output_bytes=1000))
    assert (outcome.reason, len(outcome.stdout)) == ("ok", 1000)


def test_output_that_is_not_text_is_replaced(tmp_path: Path) -> None:
    outcome = run_text(tmp_path, r"import os; os.write(1, b'a\xffb')")
    assert outcome.stdout == "a\ufffdb"


def test_one_large_file_is_refused_by_the_kernel(tmp_path: Path) -> None:
    outcome = run_text(
        tmp_path,
        "open('big', 'wb').write(bytes(5_000_000))",
        Limits(file_bytes=1_000_000),
    )
    assert outcome.reason == "failed"
    assert "File too large" in outcome.stderr
    assert (tmp_path / "big").stat().st_size <= 1_000_000


def test_a_short_run_that_leaves_too_much_is_found_at_its_end(tmp_path: Path) -> None:
    outcome = run_text(
        tmp_path, "open('big', 'wb').truncate(2_000_000)", Limits(total_bytes=1_000_000)
    )
    assert outcome.reason == "disk"


@pytest.mark.parametrize("place", ["/tmp", "/dev/shm"])
def test_scratch_space_is_small(tmp_path: Path, place: str) -> None:
    outcome = run_text(
        tmp_path,
        f"open('{place}/big', 'wb').write(bytes(5 << 20))",
        Limits(scratch_bytes=2 * MEBIBYTE),
    )
    assert outcome.reason == "failed"
    assert "No space left on device" in outcome.stderr


def test_open_files_are_bounded(tmp_path: Path) -> None:
    outcome = run_text(
        tmp_path,
        "held = [open('/dev/null') for _ in range(100)]",
        Limits(open_files=64),
    )
    assert outcome.reason == "failed"
    assert "Too many open files" in outcome.stderr
