"""Writing outside the run folder; each test looks at the effect."""

from pathlib import Path

import pytest

from sandbox import ResultInvalid, check_files
from tests.adversarial.ways import SANDLOCK
from tests.contained import run_text

OPEN_FOR_WRITING = """
import os, sys
for attempt in (
    # Does no harm where it succeeds: nothing is written or cut.
    lambda: os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT),
    lambda: os.open(os.path.dirname(sys.argv[1]), os.O_TMPFILE | os.O_WRONLY),
):
    try:
        attempt()
    except OSError:
        continue
    print("attack succeeded")
"""


@pytest.mark.parametrize(
    "place",
    [
        *("/mark", "/dev/mark", "/proc/mark", "/sys/mark", "/etc/mark", "/usr/mark", "/root/mark"),
        *("/usr/lib/mark", "/lib64/mark", "/packages/mark", "/launch.py", "/home/mark"),
        *(
            "/proc/sys/kernel/core_pattern",
            "/proc/sys/vm/overcommit_memory",
            "/proc/sysrq-trigger",
            "/proc/self/oom_score_adj",
            "/proc/1/mem",
            "/sys/devices/system/cpu/mark",
        ),
    ],
)
def test_no_place_of_the_machine_can_be_written(tmp_path: Path, place: str) -> None:
    outcome = run_text(tmp_path / "run", OPEN_FOR_WRITING, arguments=[place])
    assert outcome.reason == "ok", outcome.stderr
    assert outcome.stdout == ""


@pytest.mark.parametrize("way", ["plain", "dots", "link", "rename", "hard link"])
def test_nothing_appears_beside_the_run_folder(tmp_path: Path, way: str) -> None:
    target = tmp_path / "mark"
    text = {
        "plain": "open(sys.argv[1], 'w').write('x')",
        "dots": "open('../mark', 'w').write('x')",
        "link": "os.symlink(sys.argv[1], 'link'); open('link', 'w').write('x')",
        "rename": "open('new', 'w').write('x'); os.rename('new', '../mark')",
        "hard link": "open('new', 'w').write('x'); os.link('new', '../mark')",
    }[way]
    outcome = run_text(tmp_path / "run", f"import os, sys\n{text}", arguments=[str(target)])
    assert outcome.reason == "failed"
    assert not target.exists()


def test_scratch_files_stay_inside(tmp_path: Path, way: str) -> None:
    mark = "mark-of-a-contained-program"
    text = f"""
    import tempfile
    for folder in ("/tmp", "/dev/shm", tempfile.gettempdir()):
        try:
            open(f"{{folder}}/{mark}", "w").write("x")
        except PermissionError:
            print(folder)
    """
    outcome = run_text(tmp_path / "run", text)
    assert outcome.reason == "ok"
    # Where there is no such folder of its own, a program may not write there at all.
    assert outcome.stdout == ("/tmp\n/dev/shm\n" if way == SANDLOCK else "")
    assert not Path("/tmp", mark).exists()
    assert not Path("/dev/shm", mark).exists()


def test_the_libraries_and_the_interpreter_stay_as_they_are(tmp_path: Path) -> None:
    import json

    source = Path(json.__file__)
    before = source.read_bytes()
    text = """
    import json, os, sys
    for path in (json.__file__, os.path.realpath(sys.executable)):
        for attempt in (lambda: open(path, "r+b"), lambda: os.unlink(path),
                        lambda: os.chmod(path, 0o777), lambda: os.utime(path)):
            try:
                attempt()
            except OSError:
                continue
            print("changed", path)
    """
    outcome = run_text(tmp_path / "run", text)
    assert (outcome.reason, outcome.stdout) == ("ok", "")
    assert source.read_bytes() == before


@pytest.mark.parametrize(
    "left",
    [
        "os.symlink('/etc/passwd', 'result.json')",
        "os.mkfifo('result.json')",
        "socket.socket(socket.AF_UNIX).bind('result.json')",
        "open('a', 'w'); os.link('a', 'result.json')",
    ],
)
def test_what_is_left_behind_is_not_taken_for_a_result(tmp_path: Path, left: str) -> None:
    outcome = run_text(tmp_path / "run", f"import os, socket\n{left}")
    assert outcome.reason == "ok", outcome.stderr
    with pytest.raises(ResultInvalid):
        check_files(tmp_path / "run")


def test_a_device_cannot_be_made(tmp_path: Path) -> None:
    outcome = run_text(
        tmp_path / "run", "import os, stat\nos.mknod('disk', 0o666 | stat.S_IFBLK, 0x0800)"
    )
    assert "PermissionError" in outcome.stderr
    assert not (tmp_path / "run" / "disk").exists()


def test_deleting_its_own_folder_harms_only_itself(tmp_path: Path) -> None:
    (tmp_path / "beside").touch()
    text = """
    import os, shutil
    for place in (os.getcwd(), "/dev", "/etc", "/tmp", "/root"):
        shutil.rmtree(place, ignore_errors=True)
    for place in ("/launch.py", "/etc/ld.so.cache"):
        try:
            os.unlink(place)
        except OSError as error:
            print(type(error).__name__)
    """
    outcome = run_text(tmp_path / "run", text)
    assert outcome.reason == "ok"
    assert (tmp_path / "beside").exists()
    assert (tmp_path / "run").is_dir()
    assert list((tmp_path / "run").iterdir()) == []
