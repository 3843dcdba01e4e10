"""Results cannot be forged by the code that they are about.

The honest environment pays what is decided, 0 or 1, in each of five steps. The policy always
decides 0, so that its return is 0 and always deciding 1 earns 5.
"""

import base64
import io
import json
import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nodes.evaluate import ask_evaluation
from nodes.executor import run_checks
from nodes.settings import RunSettings
from sandbox import Limits
from sandbox.programs.requests import EvaluateRequest
from sandbox.training.table_policy import TablePolicy
from state.training import Evaluation
from tests.adversarial.ways import WAYS
from tests.environments.scheduling_spec import scheduling_spec

SCHEDULING = Path(__file__).parents[1] / "environments" / "scheduling"
REQUEST = EvaluateRequest("", episodes=4, least_episodes=2, seconds=30)
QUICK = Limits(wall_seconds=20, memory_bytes=2 << 30)
MARK = "mark-of-a-forger"

# Most forgeries do not look at what contains them, and each takes seconds to refute.
ONE_WAY = pytest.mark.parametrize("way", WAYS[:1], indirect=True)

HONEST = """
import gymnasium, json, os, signal, socket, struct, sys, time
import numpy as np
from pathlib import Path
{at_import}

class Environment(gymnasium.Env):
    def __init__(self):
        self.action_space = gymnasium.spaces.Discrete(2)
        self.observation_space = gymnasium.spaces.Box(0, 9, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.time = 0
        return np.zeros(1, np.float32), {{}}

    def step(self, action):
        self.time += 1
        observation, reward, info = np.full(1, self.time, np.float32), float(action), {{}}
        ended = self.time == 5
        {in_step}
        return observation, reward, False, ended, info
"""


def evaluated(
    folder: Path, at_import: str = "", in_step: str = "pass", limits: Limits = QUICK
) -> Evaluation | str:
    if not (folder / "policy.zip").exists():
        always_zero = np.zeros((1, 1), np.uint16)
        TablePolicy(np.zeros((1, 1), np.float32), always_zero, np.array([0])).save(folder)
    text = HONEST.format(at_import=at_import, in_step=in_step)
    (folder / "environment.py").write_text(text, encoding="utf-8")
    return ask_evaluation(REQUEST, folder, limits, RunSettings())


def is_honest(found: Evaluation | str) -> bool:
    assert isinstance(found, Evaluation), found
    constant = found.baseline("constant")
    assert constant is not None
    assert found.trained.episodes == 4
    assert found.trained.mean_length == 5
    return (found.trained.mean, constant.mean, found.better_than_random) == (0, 5, False)


FAKE = """{"trained": {"policy": "trained", "mean": 9, "low": 9, "high": 9, "episodes": 4,
"mean_length": 5}, "better_than_random": true}"""

WITHOUT_EFFECT = {
    "a result printed": f"print('''{FAKE}''')",
    "a result written": f"""
for place in (Path.cwd(), *Path.cwd().parents, Path('/run-folder'), Path('/tmp')):
    for name in ('evaluate_result.json', 'evaluation.json', 'check_result.json'):
        try: (place / name).write_text('''{FAKE}''')
        except OSError: pass
""",
    "json replaced": "json.JSONEncoder.default = lambda self, value: 9; json.load = None",
    "the judge replaced": """
import types
for name in ('sandbox.programs.evaluate', 'sandbox.programs.episodes'):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].run_episodes = sys.modules[name].evaluate = lambda *a, **k: None
""",
    "gymnasium replaced": "gymnasium.spaces.Discrete.sample = lambda self, *a, **k: 1",
    "numpy replaced": "np.random.default_rng = None; np.mean = lambda *a, **k: 9.0",
    "the end of the program": f"""
import atexit
atexit.register(lambda: Path('evaluate_result.json').write_text('''{FAKE}'''))
""",
    "everything killed": """
try: os.kill(-1, signal.SIGKILL)
except OSError: pass
""",
    "signals to all": """
for number in (signal.SIGTERM, signal.SIGSTOP):
    for process in (os.getppid(), *[int(n) for n in os.listdir('/proc') if n.isdigit()]):
        if process != os.getpid():
            try: os.kill(process, number)
            except OSError: pass
""",
}


@pytest.mark.parametrize("how", WITHOUT_EFFECT)
def test_what_generated_code_does_in_its_own_process_changes_no_result(
    tmp_path: Path, how: str
) -> None:
    if how in ("signals to all", "everything killed"):
        # It may stop its own sandbox, never another.
        found = evaluated(tmp_path, WITHOUT_EFFECT[how], limits=Limits(wall_seconds=6))
        assert isinstance(found, str) or is_honest(found)
        return
    assert is_honest(evaluated(tmp_path, WITHOUT_EFFECT[how]))
    assert {path.name for path in tmp_path.iterdir()} == {
        *("environment.py", "policy.zip", "policy_setup.json", "evaluation_episodes.json")
    }


ANSWERS = {
    "not a number": ("reward = float('nan')", "rewards are not finite numbers"),
    "infinity": ("reward = np.float64('inf')", "rewards are not finite numbers"),
    "numbers too large to add": ("reward = 1e308", "do not add up to a finite number"),
    "an object": (
        "reward = type('R', (), {'__float__': lambda self: 0 / 0})()",
        "ZeroDivisionError",
    ),
    "no text": ("reward = 'much'", "could not convert"),
    "other shapes": ("observation = np.zeros((3, 3, 3))", "no rows of numbers"),
    "an endless row": ("observation = np.zeros(10_000_000)", "no sensible length"),
    "a nest": (
        "info['quantities'] = nest = {}\n        for _ in range(100_000): nest['a'] = nest = {}",
        "RecursionError",
    ),
    "the end of the process": ("os._exit(0)", "environment ended before its time"),
    "an exit": ("raise SystemExit(0)", "environment ended before its time"),
    "a crash": ("os.abort()", "killed by the operating system"),
    "no end": ("ended = False", "longer than 4 s"),
    "no answer": ("time.sleep(60)", "longer than 4 s"),
    "a loop in C": ("np.broadcast_to(1.0, (10**13,)).sum()", "longer than 4 s"),
    "garbage": (
        "[os.write(n, b'x' * 64) for n in range(3, 40) if is_socket(n)]",
        "",
    ),
    "a flood": ("print('x' * 10_000_000)", "printed without end"),
    "memory": ("self.held = bytearray(b'x') * 2**31", "GiB of memory"),
}
IS_SOCKET = """
def is_socket(number):
    import stat
    try: return stat.S_ISSOCK(os.fstat(number).st_mode)
    except OSError: return False
"""


@ONE_WAY
@pytest.mark.parametrize("how", ANSWERS)
def test_answers_that_are_none_end_in_one_phrase(tmp_path: Path, how: str) -> None:
    attack, said = ANSWERS[how]
    limits = Limits(wall_seconds=4 if "longer than 4 s" in said else 15, memory_bytes=1 << 30)
    found = evaluated(tmp_path, IS_SOCKET, attack, limits)
    assert isinstance(found, str), found
    assert said in found
    assert "\n" not in found
    assert not (tmp_path / "evaluation_episodes.json").exists()


TREACHEROUS = """
class Treacherous:
    def __reduce__(self): return (os.system, ('touch {mark}',))
    def __eq__(self, other): return True
    def __hash__(self): return 0
    def __bool__(self): return True
    def __array__(self, dtype=None, copy=None): return np.full(1, 3.0, np.float32)
    def __repr__(self): return open('{mark}', 'w').name
    def __float__(self): return 0.0
"""


@ONE_WAY
def test_objects_that_act_when_they_are_looked_at_act_where_they_live(tmp_path: Path) -> None:
    mark = tmp_path.parent / MARK
    in_step = "observation = Treacherous(); info['quantities'] = {'a': Treacherous()}"
    found = evaluated(tmp_path, TREACHEROUS.format(mark=mark), in_step)
    assert is_honest(found)
    assert not mark.exists()
    (episode, *_) = json.loads((tmp_path / "evaluation_episodes.json").read_text())
    assert "raises" in episode["last"]["a"]


def test_environment_and_policy_see_neither_each_other_nor_the_judge(tmp_path: Path) -> None:
    for name in ("spec.json", "evaluation.json", "heuristic.py"):
        (tmp_path / name).write_text("{}", encoding="utf-8")
    above = """
above = []
for place in ('..', '../judge', '../policy'):
    try: above += os.listdir(place)
    except OSError: pass
"""
    found = evaluated(tmp_path, above, "raise KeyError(sorted(os.listdir()), above)")
    assert isinstance(found, str)
    assert "['environment.py']" in found
    for name in ("policy.zip", "spec.json", "evaluate_request.json", "judge"):
        assert name not in found


class Evil:
    """Runs a command when it is unpickled."""

    def __init__(self, command: str) -> None:
        self.command = command

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (self.command,)


def evil_policy(folder: Path, command: str) -> None:
    """A Stable-Baselines3 file whose settings hold a pickle that runs a command."""
    pickled = base64.b64encode(pickle.dumps(Evil(command))).decode()
    data = {"policy_class": {":type:": "x", ":serialized:": pickled}}
    with zipfile.ZipFile(folder / "policy.zip", "w") as archive:
        archive.writestr("data", json.dumps(data))
    setup = {"kind": "stable_baselines3", "algorithm": "PPO", "deterministic": True, "features": {}}
    (folder / "policy_setup.json").write_text(json.dumps(setup), encoding="utf-8")


def test_a_policy_that_runs_code_runs_it_alone(tmp_path: Path) -> None:
    mark = tmp_path.parent / MARK
    evil_policy(tmp_path, f"touch {mark} {tmp_path}/evaluation.json; kill -9 -1")
    found = evaluated(tmp_path)
    assert isinstance(found, str)
    assert not mark.exists()
    assert not (tmp_path / "evaluation.json").exists()


@ONE_WAY
def test_a_zip_bomb_for_a_policy_bursts_inside(tmp_path: Path) -> None:
    zeros = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        zeros, {"descr": "<f4", "fortran_order": False, "shape": (40 * 2**22, 1)}
    )
    with (
        zipfile.ZipFile(tmp_path / "policy.zip", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("observations.npy", "w") as member,
    ):
        member.write(zeros.getvalue())
        for _ in range(40):
            member.write(bytes(2**24))
    (tmp_path / "policy_setup.json").write_text('{"kind": "table"}', encoding="utf-8")
    assert (tmp_path / "policy.zip").stat().st_size < 10 << 20
    found = evaluated(tmp_path, limits=Limits(wall_seconds=20, memory_bytes=300 << 20))
    assert isinstance(found, str)
    assert "memory" in found.lower()


GET_OUT = "sys = gymnasium.logger.warnings.sys\nos = sys.modules['os']\n"
FALSE_REWARD = "(seen[self.user] + 97)"
FALSE_CHECKS = {
    "a report written": "sys.modules['pathlib'].Path('check_result.json').write_text('{}')",
    "the checks replaced": "sys.modules.update({'sandbox.programs.step_checks': None})",
    "the functions replaced": """
sys.modules['spec_functions'] = sys.modules['types'].SimpleNamespace(**{
    '__file__': os.path.realpath('spec_functions.py'),
    'reward_terms': lambda quantities: dict(rate=0.0), 'constraints': lambda quantities: dict(),
})
""",
    "comparison replaced": "sys.modules['math'].isclose = lambda *a, **k: True",
}


@ONE_WAY
@pytest.mark.parametrize("how", FALSE_CHECKS)
def test_checks_find_a_false_reward_whatever_the_code_does(tmp_path: Path, how: str) -> None:
    for name in ("environment.py", "spec_functions.py"):
        text = (SCHEDULING / name).read_text(encoding="utf-8")
        text = text.replace("(seen[self.user] + 100)", FALSE_REWARD)
        if name == "environment.py":
            text = text.replace("\n\nclass Env", f"\n{GET_OUT}{FALSE_CHECKS[how]}\n\nclass Env", 1)
        else:
            text = (SCHEDULING / name).read_text(encoding="utf-8")
        (tmp_path / name).write_text(text, encoding="utf-8")
    report, _ = run_checks(scheduling_spec(), tmp_path, RunSettings())
    found = {finding.check for finding in report.findings}
    assert "reward_is_the_sum_of_its_terms" in found, report.findings


@ONE_WAY
@pytest.mark.parametrize("attack", ["os._exit(0)", "os.kill(os.getpid(), 9)"])
def test_ending_early_passes_no_check(tmp_path: Path, attack: str) -> None:
    for name in ("environment.py", "spec_functions.py"):
        text = (SCHEDULING / name).read_text(encoding="utf-8")
        text = text.replace("\n\nclass Env", f"\n{GET_OUT}{attack}\n\nclass Env", 1)
        (tmp_path / name).write_text(text, encoding="utf-8")
    report, _ = run_checks(scheduling_spec(), tmp_path, RunSettings())
    assert not report.clean
    assert "constructs" not in report.passed
