"""Reading what is none of the program's business."""

import json
import os
import sys
from pathlib import Path

import pytest

import graph
import nodes.evaluate
import sandbox
from tests.adversarial.attacks import works_free_only
from tests.contained import run_text

READ = """
import sys
if open(sys.argv[1], "rb").read(1):
    print("attack succeeded")
"""
LIST = """
import os, sys
if os.listdir(sys.argv[1]):
    print("attack succeeded")
"""


def test_a_secret_beside_the_run_folder(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("key", encoding="utf-8")
    works_free_only(tmp_path / "run", READ, str(secret))


def test_another_run_s_folder(tmp_path: Path) -> None:
    other = tmp_path / "other-run"
    other.mkdir()
    (other / "spec.json").write_text("{}", encoding="utf-8")
    works_free_only(tmp_path / "run", LIST, "../other-run")


@pytest.mark.parametrize("way", ["symbolic link", "dots", "root of the process"])
def test_ways_around_to_a_secret(tmp_path: Path, way: str) -> None:
    (tmp_path / "secret").write_text("key", encoding="utf-8")
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path / "secret")
    path = {
        "symbolic link": "link",
        "dots": "../secret",
        "root of the process": f"/proc/self/root{tmp_path}/secret",
    }[way]
    works_free_only(folder, READ, path)


MACHINE_S_OWN = ["/etc/passwd", "/etc/group", "/etc/shadow", "/proc/1/cmdline"]
OUR_OWN = [sandbox.__file__, nodes.evaluate.__file__, graph.__file__]


@pytest.mark.parametrize("path", [*MACHINE_S_OWN, *map(str, OUR_OWN)])
def test_the_machine_s_own_files_and_our_source(tmp_path: Path, path: str) -> None:
    if not os.access(path, os.R_OK):
        pytest.skip(f"{path} cannot be read here anyway")
    content = Path(path).read_bytes()
    text = f"""
    import sys
    if open(sys.argv[1], "rb").read() == {content!r}:
        print("attack succeeded")
    """
    works_free_only(tmp_path / "run", text, path)


@pytest.mark.parametrize("name", [".ssh/id_ed25519", ".netrc", ".config/keys", ".aws/credentials"])
def test_keys_in_a_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    key = tmp_path / name
    key.parent.mkdir(exist_ok=True)
    key.write_text("key", encoding="utf-8")
    works_free_only(tmp_path / "run", READ, str(key))
    outcome = run_text(
        tmp_path / "run", f"import os\nprint(open(os.path.expanduser('~/{name}')).read())"
    )
    assert "FileNotFoundError" in outcome.stderr


def test_the_home_folder(tmp_path: Path) -> None:
    home = Path.home()
    (tmp_path / "run").mkdir()
    text = """
    import json, os, sys
    try:
        print(json.dumps(os.listdir(sys.argv[1])))
    except (FileNotFoundError, PermissionError):
        print("[]")
    """
    outcome = run_text(tmp_path / "run", text, arguments=[str(home)])
    assert outcome.reason == "ok"
    # Folders on the way to an interpreter in the home folder are there; they are empty of files.
    shown = set(json.loads(outcome.stdout))
    assert shown <= {
        Path(path).relative_to(home).parts[0]
        for path in (os.path.realpath(sys.executable), sys.prefix, sys.base_prefix)
        if Path(path).is_relative_to(home) and Path(path) != home
    }


def test_the_environment_of_the_caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "the-caller-s-key")
    text = """
    import glob, os
    found = [str(os.environ)]
    for name in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline"):
        try:
            found.append(open(name, errors="replace").read())
        except OSError as error:
            found.append(str(error))
    print(len(found), "the-caller-s-key" in " ".join(found))
    """
    outcome = run_text(tmp_path / "run", text)
    assert outcome.reason == "ok", outcome.stderr
    assert outcome.stdout.split()[1] == "False"


def test_other_processes_are_not_even_seen(tmp_path: Path) -> None:
    text = """
    import os
    print(sorted(int(name) for name in os.listdir("/proc") if name.isdigit()))
    """
    outcome = run_text(tmp_path / "run", text)
    seen = json.loads(outcome.stdout)
    assert 1 <= len(seen) <= 3
    assert os.getpid() not in seen


def test_file_names_found_by_number(tmp_path: Path) -> None:
    """Opening by handle finds files outside of every mount, given the right."""
    text = """
    import ctypes
    handle = (ctypes.c_char * 136)()
    ctypes.memmove(handle, (8).to_bytes(4, "little") + (1).to_bytes(4, "little"), 8)
    opened = ctypes.CDLL(None).open_by_handle_at(3, handle, 0)
    print("opened", opened)
    """
    assert run_text(tmp_path / "run", text).stdout == "opened -1\n"
