"""A judge and its hosts: joined by sockets, ended together, and told apart by how they end."""

import time
from pathlib import Path

import pytest

from sandbox import Limits, Part, run_apart

LIMITS = Limits(wall_seconds=20)


@pytest.fixture(autouse=True)
def _package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "project" / "company"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "echo.py").write_text(
        "import os, sys\n"
        "while block := os.read(int(sys.argv[1]), 100): os.write(int(sys.argv[1]), block.upper())\n"
    )
    (package / "quits.py").write_text("raise SystemExit('no more')\n")
    (package / "sleeps.py").write_text("import time\ntime.sleep(60)\n")
    (package / "asks.py").write_text(
        "import os, sys\n"
        "for word in sys.argv[1:]:\n"
        "    name, _, end = word.partition('=')\n"
        "    os.write(int(end), name.encode())\n"
        "    said = os.read(int(end), 100).decode()\n"
        "    assert said, 'nobody there'\n"
        "    print(said)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path / "project"))


def part(tmp_path: Path, module: str, name: str, limits: Limits = LIMITS) -> Part:
    folder = tmp_path / name
    folder.mkdir()
    return Part(f"company.{module}", folder, limits)


@pytest.mark.parametrize("unsafe", [False, True], ids=["contained", "unsafe"])
def test_each_host_has_a_line_of_its_own(tmp_path: Path, unsafe: bool) -> None:
    hosts = {name: part(tmp_path, "echo", name) for name in ("one", "other")}
    outcomes = run_apart(part(tmp_path, "asks", "judge"), hosts, unsafe_no_sandbox=unsafe)
    assert outcomes.judge.stdout == "ONE\nOTHER\n", outcomes
    assert {outcome.reason for outcome in outcomes.hosts.values()} <= {"ok", "stopped"}
    assert outcomes.culprit()[0] == "judge"


def test_whoever_ended_first_explains_the_end(tmp_path: Path) -> None:
    hosts = {"one": part(tmp_path, "echo", "one"), "other": part(tmp_path, "quits", "other")}
    outcomes = run_apart(part(tmp_path, "asks", "judge"), hosts)
    assert not outcomes.judge.ok
    name, outcome = outcomes.culprit()
    assert (name, outcome.reason) == ("other", "failed")
    assert "no more" in outcome.stderr


def test_hosts_end_with_their_judge(tmp_path: Path) -> None:
    started = time.monotonic()
    judge = part(tmp_path, "sleeps", "judge", Limits(wall_seconds=1))
    outcomes = run_apart(judge, {"one": part(tmp_path, "sleeps", "one")})
    assert outcomes.judge.reason == "wall_time"
    assert outcomes.hosts["one"].reason == "stopped"
    assert time.monotonic() - started < 10


def test_a_judge_that_cannot_start_leaves_no_host(tmp_path: Path) -> None:
    hosts = {"one": part(tmp_path, "sleeps", "one")}
    with pytest.raises(ModuleNotFoundError):
        run_apart(Part("nowhere.judge", tmp_path / "one", LIMITS), hosts)
