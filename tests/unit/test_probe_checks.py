"""Reward and objective rank simple policies and the rule of thumb alike, or an episode says so."""

from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.other.spelling import decision, generated, quantity, rule
from nodes.agent import prompt_templates
from nodes.check_request import check_request
from nodes.codegen.compile_spec import compile_spec
from nodes.codegen.heuristic_program import interface_of, render_heuristic
from nodes.codegen.render import render_environment, render_spec_functions
from nodes.ranking import ranking_of
from sandbox.programs.findings import CheckFailed, Finding
from sandbox.programs.probe_checks import reward_serves_the_objective
from sandbox.programs.probes import Probes
from sandbox.programs.subject import Subject
from state.findings import Finding as Told
from state.heuristic import Heuristic
from state.spec import Spec
from state.variables import Variable
from tests.specs import inventory
from tests.specs.tidying import SPILL_AND_PICK_UP, WORK, tidying
from tests.unit.hosted import hosts

CHECK = reward_serves_the_objective.__name__


@contextmanager
def built(spec: Spec, body: str = "return 0") -> Iterator[None]:
    """A folder of its own, since modules are known by their place, with the files of ``spec``."""
    program, problems = compile_spec(spec)
    assert program is not None, problems.findings
    answer = Heuristic(rule="r", source=f"def heuristic(seen):\n    {body}")
    with TemporaryDirectory() as place, chdir(place):
        Path("environment.py").write_text(render_environment(program, []))
        Path("spec_functions.py").write_text(render_spec_functions(program)[0])
        Path("heuristic.py").write_text(render_heuristic(spec, interface_of(spec), answer))
        yield


def found(spec: Spec, body: str = "", seed: int = 0) -> Finding | None:
    """What the check says about the environment of ``spec``, with a rule of thumb or without."""
    request = replace(check_request(spec, seed), random_steps=5)
    with built(spec, body or "return 0"):
        asked = hosts(flat=False)
        subject = Subject(
            request, asked["environment"], asked["functions"],
            ask_heuristic=asked["heuristic"] if body else None,
        )  # fmt: skip
        try:
            reward_serves_the_objective(subject)
        except CheckFailed as failed:
            return failed.finding(CHECK)
    return None


@pytest.mark.parametrize("seed", range(3))
def test_what_only_a_planned_policy_wins_is_found_by_the_rule_of_thumb(seed: int) -> None:
    assert found(tidying(paid=True), seed=seed) is None
    assert found(tidying(paid=True), WORK, seed=seed) is None
    finding = found(tidying(paid=True), SPILL_AND_PICK_UP, seed=seed)
    assert finding is not None
    assert (finding.owner, finding.place, finding.blocking) == ("sar", "reward", True)
    assert finding.message.startswith("the reward prefers the rule of thumb to ")


def test_evidence_is_an_episode_that_can_be_read() -> None:
    finding = found(tidying(paid=True), SPILL_AND_PICK_UP)
    assert finding is not None
    told = finding.as_json()
    heading, *steps, other = told["episode"]
    assert heading == "Under the rule of thumb:"
    assert steps == [
        "step 1: reward 3, so far 3; objective so far 0; task pick_up, worked 0, picked_up 1",
        "step 2: reward 0, so far 3; objective so far 0; task spill, worked 0, picked_up 0",
        "step 3: reward 3, so far 6; objective so far 0; task pick_up, worked 0, picked_up 1",
        "step 60: reward 0, so far 90; objective so far 0; task spill, worked 0, picked_up 0",
    ]
    assert "from the same beginning: 60 steps, in all reward 6" in other
    assert len(str(told)) < 1200
    remarks = [Told.model_validate(told)]
    shown = prompt_templates().get_template("remarks.md").render(remarks=remarks, previous="")
    assert f"  {steps[0]}\n  {steps[1]}\n" in shown


def test_the_sense_of_the_objective_counts() -> None:
    spec = tidying(paid=True, statement="Do as little as possible.")
    lazy = spec.model_copy(
        update={"objective": spec.objective.model_copy(update={"sense": "minimize"})}
    )
    finding = found(lazy)
    assert finding is not None
    assert finding.expected == "more reward for what makes less of the objective"


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("body", [SPILL_AND_PICK_UP, WORK, "return 2"])
def test_right_rewards_pass_whatever_the_rule(body: str, seed: int) -> None:
    assert found(tidying(paid=False), body, seed) is None


@pytest.mark.parametrize("seed", range(2))
def test_vectors_of_decisions_pass(seed: int) -> None:
    assert found(inventory(), "return np.maximum(9 - seen['stock'], 0)", seed) is None


@pytest.mark.parametrize("body", ["return seen['dirt']", "return [1, 2]", "return None"])
def test_a_rule_that_cannot_be_followed_is_a_remark(body: str) -> None:
    finding = found(tidying(paid=False), body)
    assert finding is not None
    assert not finding.blocking
    assert finding.place == "heuristic.py"
    assert finding.found


def charging(low: float, high: float, **more: object) -> Spec:
    """Whoever does nothing at all is paid the most, and the objective is to do something."""
    spec = generated(
        "Charging",
        "Move as much as possible.",
        parameters={},
        variables=[
            Variable.model_validate(
                {"name": "flow", "role": "decision", "definition": "what flows", "dtype": "real",
                 "low": low, "high": high, **more}
            ),
            quantity("moved", "what is moved", 0, None, dtype="real"),
            quantity("hour", "hour", 0, 3),
        ],
        observation=["hour"],
        rewards={"moved": "where(moved == 0, 500, moved)"},
        rules=[
            rule("moved", "computed", "sum(abs(flow))" if "shape" in more else "abs(flow)"),
            rule("hour", "known_before_decision", "uniform_integer(0, 3)"),
        ],
        horizon=20,
    )  # fmt: skip
    return spec.model_copy(
        update={"model": spec.model.model_copy(update={"step_measure": "moved"})}
    )


@pytest.mark.parametrize(
    "spec",
    [
        charging(-3, 5),
        charging(-3, 5, shape=[2]),
        charging(-20, 30, dtype="integer"),
        charging(-3, 5, dtype="integer", shape=[2]),
    ],
)
def test_doing_nothing_is_one_of_the_policies(spec: Spec) -> None:
    finding = found(spec)
    assert finding is not None
    assert finding.message.startswith("the reward prefers always deciding zero to ")
    assert "step 1: reward 500, so far 500; objective so far 0; flow " in finding.episode[1]


def idle_of(*decisions: Variable) -> tuple[list[float], str]:
    spec = generated(
        "t", "s", parameters={}, observation=["q"], horizon=3, rewards={"r": "q"},
        variables=[*decisions, quantity("q", "q", 0, 1)],
        rules=[rule("q", "updated", "1 - q", "0")],
    )  # fmt: skip
    ranking = ranking_of(spec)
    return ranking.idle, ranking.idle_name


def test_nothing_is_zero_or_the_option_that_says_so() -> None:
    moves = decision("move", "m", 0, 2, labels=["left", "Stay_here", "right"])
    assert idle_of(moves) == ([1.0], "doing nothing")
    assert idle_of(decision("order", "o", -2, 2)) == ([2.0], "always deciding zero")
    assert idle_of(moves, decision("order", "o", -2, 2, shape=[2])) == ([1, 2, 2], "doing nothing")
    assert idle_of(decision("flow", "f", -1.5, 2, dtype="real"))[0] == [0.0]


def test_there_may_be_no_doing_nothing() -> None:
    assert idle_of(decision("move", "m", 0, 1, labels=["left", "right"])) == ([], "")
    assert idle_of(decision("speed", "s", 1, 5)) == ([], "")


def test_policies_meet_the_same_seeds_each_time() -> None:
    ranking = ranking_of(tidying(paid=True))
    with built(tidying(paid=True)):
        first, second = (Probes(hosts()["environment"], ranking, 3).simple() for _ in range(2))
    assert first == second
    names = [probe.name for probe in first]
    assert names == [
        "random decisions", "always 0", "always 1", "always 2", "one-step greedy decisions"
    ]  # fmt: skip


@given(
    texts=st.tuples(*[st.text(max_size=900)] * 4),
    episode=st.lists(st.text(max_size=400), max_size=7),
)
def test_no_message_is_longer_than_a_model_reads(
    texts: tuple[str, str, str, str], episode: list[str]
) -> None:
    message, place, expected, said = texts
    told = Finding("c", "sar", message, place, expected, said, episode=episode).as_json()
    assert sum(len(told[name]) for name in ("message", "place", "expected", "found")) <= 1100
    whole = sum(len(line) + 4 for line in told["episode"])
    assert not told["episode"] or whole + len(told["message"]) + len(told["found"]) <= 1000
