"""The ladder of checks: silent about a right environment, precise about broken ones."""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from sandbox.programs.check import check as check_apart
from sandbox.programs.findings import Finding
from sandbox.programs.requests import ActionSpace, CheckRequest, DeclaredRange
from tests.unit.hosted import hosts

ENVIRONMENTS = Path(__file__).parent.parent / "environments"
SCHEDULING = CheckRequest(
    gymnasium_id="",
    horizon=100,
    action_space=ActionSpace("discrete", [4]),
    observation_size=4,
    ranges=[DeclaredRange("gain", -130, -60), DeclaredRange("user", 0, 3)],
    code_bodies=["_draw"],
    has_chance=True,
    random_steps=400,
)
STOCK = CheckRequest(
    gymnasium_id="",
    horizon=100,
    action_space=ActionSpace("multi_discrete", [31] * 10),
    observation_size=10,
    ranges=[DeclaredRange("stock", 0, 40), DeclaredRange("order", 0, 30)],
    has_chance=True,
    random_steps=400,
)


def check(request: CheckRequest) -> tuple[list[str], list[Finding]]:
    asked = hosts(request.gymnasium_id, flat=False)
    return check_apart(request, asked["environment"], asked["functions"])


@dataclass(frozen=True)
class Mutant:
    """A right environment with one passage changed, and what must be said about it."""

    old: str
    new: str
    check: str
    owner: str
    said: str


MUTANTS = {
    "syntax": Mutant(
        "self.user = int(action)", "self.user = int(action", "parses", "coding", "line"
    ),
    "import": Mutant(
        "import numpy as np", "import numpy as np\nimport os", "only_gymnasium_and_numpy",
        "environment", "line 7, in the module: import os",
    ),
    "open": Mutant(
        "gain = self.mean_gain +", "open('x', 'w'); gain = self.mean_gain +",
        "only_gymnasium_and_numpy", "coding", "in _draw: open('x', 'w')",
    ),
    "numpy file": Mutant(
        "gain = self.mean_gain +", "gain = np.load('x') +", "only_gymnasium_and_numpy", "coding",
        ".load is not allowed",
    ),
    "dunder": Mutant(
        "self.user = int(action)", "self.user = int(action) * len(().__class__.__bases__)",
        "only_gymnasium_and_numpy", "environment", "__bases__",
    ),
    "global random": Mutant(
        "self.np_random.normal(0.0, 8.0, 4)", "np.random.normal(0.0, 8.0, 4)",
        "only_gymnasium_and_numpy", "coding", "self.np_random.normal",
    ),
    "constructor": Mutant(
        "self.horizon = 100", "self.horizon = 100 / 0", "constructs", "environment",
        "ZeroDivisionError",
    ),
    "action space": Mutant(
        "spaces.Discrete(4)", "spaces.Discrete(5)", "spaces_as_declared", "environment",
        "Discrete(4)",
    ),
    "observation size": Mutant(
        "return self.gain.astype(np.float32)", "return self.gain.astype(np.float64)",
        "observation_inside_its_space", "sar", "of float64",
    ),
    "body raises": Mutant(
        "gain = self.mean_gain +", "gain = self.mean_gain[:self.time_step + 3] +",
        "finite_numbers", "coding", "could not be broadcast",
    ),
    "state survives reset": Mutant(
        "self.user = 0\n",
        "self.user = 0\n        self.mean_gain = self.mean_gain + 0.1\n",
        "same_seed_same_trajectory", "environment", "all state set in reset",
    ),
    "no chance": Mutant(
        "self.np_random.normal(0.0, 8.0, 4)", "0.0", "other_seed_other_trajectory", "environment",
        "six different seeds",
    ),
    "not a number": Mutant(
        "np.log2(1 + 10 ** ((seen[self.user] + 100) / 10))", "np.log2(seen[self.user] + 105)",
        "finite_numbers", "sar", "reward term rate",
    ),
    "too long": Mutant(
        "self.time_step >= self.horizon", "self.time_step > self.horizon", "ends_by_the_horizon",
        "environment", "exactly 100 steps",
    ),
    "too short": Mutant(
        "self.time_step >= self.horizon", "self.time_step >= 99", "ends_by_the_horizon",
        "environment", "after 99 steps",
    ),
    "range": Mutant(
        "np.clip(gain, -130.0, -60.0)", "np.minimum(gain - 30.0, -60.0)", "ranges_hold",
        "environment", "from -130 to -60",
    ),
    "observation": Mutant(
        "return self.gain.astype(np.float32)", "return (self.gain * 1.3).astype(np.float32)",
        "observation_inside_its_space", "sar", "outside -130 to -60",
    ),
    "reward and terms": Mutant(
        "float(sum(terms.values()))", "float(sum(terms.values())) - 1.0",
        "reward_is_the_sum_of_its_terms", "environment", "the sum of {'rate'",
    ),
    "reward and spec": Mutant(
        "(seen[self.user] + 100)", "(seen[self.user] + 97)",
        "reward_is_the_sum_of_its_terms", "environment", "reward term rate",
    ),
    "constraint": Mutant(
        '"user": self.user,', '"user": self.user + (self.time_step == 7) * 4,',
        "constraints_hold", "environment", "one_of_four",
    ),
    "copies": Mutant(
        "self._draw()\n        terms", "STEPS.append(1)\n        self.gain = self.gain + 0.01 * "
        "len(STEPS)\n        terms", "copies_step_alike", "environment", "plain attributes",
    ),
    "render modes": Mutant(
        'metadata: ClassVar = {"render_modes": []}', 'metadata = {}\n\n    def seed(self):'
        "\n        return 0\n", "standard_checkers", "environment", "seed",
    ),
    "no matter": Mutant(
        "self.user = int(action)", "self.user = 2", "actions_matter", "environment",
        "no action makes any difference",
    ),
}  # fmt: skip


@pytest.fixture(name="folder")
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fill(folder: Path, name: str, mutant: Mutant | None = None) -> None:
    for file in (ENVIRONMENTS / name).iterdir():
        if file.suffix == ".py":
            shutil.copy(file, folder)
    if mutant is not None:
        source = (folder / "environment.py").read_text()
        assert mutant.old in source
        changed = source.replace(mutant.old, mutant.new)
        changed = changed.replace("\n\nclass Env", "\nSTEPS = []\n\n\nclass Env")
        (folder / "environment.py").write_text(changed)


@pytest.mark.parametrize(("name", "request_"), [("scheduling", SCHEDULING), ("stock", STOCK)])
def test_right_environment_passes_every_check(
    name: str, request_: CheckRequest, folder: Path
) -> None:
    fill(folder, name)
    passed, findings = check(request_)
    assert findings == []
    assert len(passed) == 25


@pytest.mark.filterwarnings("ignore:divide by zero encountered")
def test_what_numpy_says_of_what_is_not_used_is_no_warning_of_a_checker(folder: Path) -> None:
    within = "np.clip(gain, -130.0, -60.0)"
    both = Mutant(within, f"np.where(gain < 0, {within}, 1 / np.zeros(4))", "", "", "")
    fill(folder, "scheduling", both)
    assert check(SCHEDULING)[1] == []


@pytest.mark.filterwarnings("ignore:invalid value encountered in log2")
@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=MUTANTS)
def test_broken_environment_is_found_out(mutant: Mutant, folder: Path) -> None:
    fill(folder, "scheduling", mutant)
    _, findings = check(SCHEDULING)
    by_check = {finding.check: finding for finding in findings}
    assert mutant.check in by_check, findings
    finding = by_check[mutant.check]
    text = str(finding.as_json())
    assert finding.owner == mutant.owner, finding
    assert mutant.said in text.replace('"', "'"), finding
    assert finding.blocking
    assert len(text) < 1200


def test_quantities_may_bear_the_names_of_functions(folder: Path) -> None:
    fill(folder, "scheduling")
    path = folder / "environment.py"
    body = "def opened(np_random, open, load):\n    return open + load\n\n\nclass Env"
    source = path.read_text().replace("class Env", body, 1)
    use = "self.load = 1\n        self.user = opened(None, int(action), self.load) - self.load"
    path.write_text(source.replace("self.user = int(action)", use))
    assert check(SCHEDULING)[1] == []


def test_one_broken_line_is_said_once(folder: Path) -> None:
    fill(folder, "scheduling", MUTANTS["body raises"])
    _, findings = check(SCHEDULING)
    assert [finding.check for finding in findings] == ["finite_numbers"]
    assert "environment.py, line 4" in findings[0].place


def test_body_is_blamed_for_what_it_calls(folder: Path) -> None:
    body = 'broken = None\n        raise KeyError("x" * 5000)\n        gain ='
    fill(folder, "scheduling", Mutant("gain = self.mean_gain", body, "", "", ""))
    _, findings = check(SCHEDULING)
    assert findings[0].owner == "coding"
    assert "in _draw: raise KeyError" in findings[0].place
    assert len(str(findings[0].as_json())) < 1200


def test_standard_environment_is_held_against_the_spec() -> None:
    request = CheckRequest("CartPole-v1", 500, ActionSpace("discrete", [2]), 4)
    assert check(request)[1] == []
    wrong = check(replace(request, action_space=ActionSpace("discrete", [3])))[1]
    assert [finding.check for finding in wrong] == ["spaces_as_declared"]
    unknown = check(replace(request, gymnasium_id="NoSuchThing-v0"))[1]
    assert "NoSuchThing" in unknown[0].found
    assert unknown[0].check == "constructs"


def test_request_survives_its_file(tmp_path: Path) -> None:
    (tmp_path / "request.json").write_text(STOCK.to_json())
    assert CheckRequest.read(tmp_path / "request.json") == STOCK
