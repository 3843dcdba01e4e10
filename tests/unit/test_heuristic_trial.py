"""What a trial of heuristic.py finds, on environments small enough to follow by hand."""

import shutil
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from nodes.codegen.compile_spec import compile_spec
from nodes.codegen.heuristic_program import interface_of, render_heuristic
from nodes.codegen.render import render_environment
from nodes.heuristic import compared, complaints_of
from nodes.ranking import ranking_of
from sandbox.programs import evaluate as evaluation
from sandbox.programs.check_heuristic import try_heuristic
from sandbox.programs.policies import ConstantPolicy
from sandbox.programs.requests import EvaluateRequest, HeuristicRequest
from state.heuristic import Heuristic, HeuristicTrial
from state.spec import Spec
from state.training import Evaluation
from tests.environments.scheduling_spec import scheduling_spec
from tests.specs.tidying import SPILL_AND_PICK_UP, WORK, tidying
from tests.unit.hosted import hosts

SCHEDULING = Path(__file__).parent.parent / "environments" / "scheduling"
REQUEST = HeuristicRequest("", observation_size=4, episodes=4)
BEST = "return int(np.argmax(seen['gain']))"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(SCHEDULING / "environment.py", tmp_path)
    monkeypatch.chdir(tmp_path)


def tried(request: HeuristicRequest) -> HeuristicTrial:
    asked = hosts()
    found = try_heuristic(request, asked["environment"], asked["heuristic"])
    return HeuristicTrial.model_validate(found)


def trial(body: str, request: HeuristicRequest = REQUEST) -> HeuristicTrial:
    spec = scheduling_spec()
    answer = Heuristic(rule="r", source=f"def heuristic(seen):\n    {body}")
    Path("heuristic.py").write_text(render_heuristic(spec, interface_of(spec), answer))
    return tried(request)


def test_good_rule_is_compared_with_random_decisions() -> None:
    found = trial(BEST)
    assert complaints_of(found) == []
    assert found.episodes == 4
    assert found.mean_return is not None
    assert found.random_return is not None
    assert found.mean_return > 2 * found.random_return
    assert 0 < found.milliseconds < 5
    assert "over 4 episodes, random decisions" in compared(found)


def test_rule_that_is_no_better_than_random_is_told() -> None:
    (complaint,) = complaints_of(trial("return int(np.argmin(seen['gain']))"))
    assert complaint.startswith("it is not better than random decisions: mean return ")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return seen['gains']", "in heuristic, `return seen['gains']`: KeyError: 'gains'; seen"),
        ("return [1, 2]", "heuristic returned is no decision (ValueError: user takes 1 numbers"),
        ("return None", "what heuristic returned is no decision"),
        ("seen['gain'] += 1; heuristic.n = getattr(heuristic, 'n', 0) + 1; return heuristic.n % 4",
         "for the same situation"),
        ("return [k for k in range(3_000_000)][2]", "ms on average, 5 ms are allowed"),
    ],
)  # fmt: skip
def test_faults_are_told_so_that_they_can_be_mended(body: str, said: str) -> None:
    found = trial(body)
    assert len(found.faults) == 1
    assert said in found.faults[0]
    assert complaints_of(found) == found.faults


def test_line_that_breaks_the_file_is_told() -> None:
    Path("heuristic.py").write_text("import nothing_such\n")
    (fault,) = tried(REQUEST).faults
    assert "No module named 'nothing_such'" in fault


def test_other_observation_than_specified_cannot_be_read() -> None:
    found = trial(BEST, replace(REQUEST, observation_size=3))
    assert "shape (4,), and the specification names 3 numbers" in found.unfit


def test_time_and_steps_are_bounded() -> None:
    found = trial(BEST, replace(REQUEST, seconds=0, least_episodes=2, steps=10))
    whole = trial(BEST)
    assert found.episodes == 2
    assert found.mean_return is not None
    assert whole.mean_return is not None
    assert found.mean_return < 0.2 * whole.mean_return


@pytest.mark.parametrize("seed", range(3))
def test_rule_that_wins_reward_without_serving_the_objective_tells_against_the_spec(
    seed: int,
) -> None:
    (finding,) = trial_of(tidying(paid=True), SPILL_AND_PICK_UP, seed).findings
    assert (finding.check, finding.owner) == ("reward_serves_the_objective", "sar")
    assert finding.blocking
    assert finding.episode[0] == "Under the rule of thumb (Spill dust and pick it up.):"
    assert finding.episode[1].startswith("step 1: reward 3, so far 3; objective so far 0; task ")
    assert len(str(finding.model_dump())) < 1200


@pytest.mark.parametrize("seed", range(3))
def test_rule_that_reward_and_objective_rank_alike_tells_nothing(seed: int) -> None:
    assert trial_of(tidying(paid=True), WORK, seed).findings == []
    assert trial_of(tidying(paid=False), SPILL_AND_PICK_UP, seed).findings == []
    assert trial_of(tidying(paid=False), WORK, seed).findings == []


def trial_of(spec: Spec, body: str, seed: int) -> HeuristicTrial:
    answer = Heuristic(
        rule="Spill dust and pick it up.", source=f"def heuristic(seen):\n    {body}"
    )
    interface = interface_of(spec)
    request = HeuristicRequest(
        "", interface.observation_size, rule=answer.rule, ranking=ranking_of(spec), seed=seed,
        episodes=2,
    )  # fmt: skip
    program, _ = compile_spec(spec)
    assert program is not None
    with TemporaryDirectory() as place, chdir(place):
        Path("environment.py").write_text(render_environment(program, []))
        Path("heuristic.py").write_text(render_heuristic(spec, interface, answer))
        Path("request.json").write_text(request.to_json())
        return tried(HeuristicRequest.read(Path("request.json")))


def test_trial_without_numbers_is_not_taken() -> None:
    assert complaints_of(HeuristicTrial()) == ["it could not be compared with random decisions"]


def evaluated(monkeypatch: pytest.MonkeyPatch) -> Evaluation:
    """The comparisons, with a policy that always serves link 1 as the trained one."""
    monkeypatch.setattr(evaluation, "TrainedPolicy", lambda ask, space: ConstantPolicy(1))
    request = EvaluateRequest("", episodes=4, least_episodes=2, seconds=1, heuristic=True)
    asked = {**hosts(), "policy": hosts()["environment"]}
    return Evaluation.model_validate(evaluation.evaluate(request, asked)[0])


def test_heuristic_is_one_of_the_comparisons(monkeypatch: pytest.MonkeyPatch) -> None:
    trial(BEST)
    found = evaluated(monkeypatch)
    heuristic = found.baseline("heuristic")
    assert heuristic is not None
    assert heuristic.mean > found.trained.mean
    assert any("deciding by the heuristic does better" in note for note in found.notes)


def test_heuristic_that_breaks_off_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    trial("return seen['gains']")
    found = evaluated(monkeypatch)
    assert found.baseline("heuristic") is None
    assert found.baseline("random") is not None
    assert "it broke off (KeyError: 'gains')" in found.notes[0]
