"""Which attempts are made first, and which after which symptom."""

from dataclasses import replace
from typing import Any

import pytest
from gymnasium import spaces

from sandbox.training.actions import ActionCoding
from sandbox.training.choices import first_attempts, next_attempt
from sandbox.training.problem import Problem
from sandbox.training.request import Attempt, Circumstances, Wishes

PROBLEM = Problem(horizon=100, discount=0.95)
FEW, MANY = spaces.Discrete(5), spaces.MultiDiscrete([9] * 4)
REAL = spaces.Box(-1, 1, (2,))


def first(
    space: spaces.Space[Any],
    wishes: Wishes | None = None,
    circumstances: Circumstances | None = None,
    seconds_of_an_example: float = 0.0,
    problem: Problem = PROBLEM,
) -> list[Attempt]:
    return first_attempts(
        problem,
        ActionCoding(space),
        wishes or Wishes(),
        circumstances or Circumstances(),
        seconds_of_an_example,
    )


@pytest.mark.parametrize(
    ("space", "methods"),
    [
        (FEW, ["exact", "dqn", "ppo"]),
        (spaces.MultiDiscrete([2, 3]), ["exact", "dqn", "ppo"]),
        (MANY, ["exact", "additive", "ppo"]),
        (REAL, ["sac", "ppo"]),
    ],
)
def test_the_form_of_the_decision_chooses(space: spaces.Space[Any], methods: list[str]) -> None:
    attempts = first(space, Wishes(seed=7))
    assert [a.method for a in attempts] == methods
    assert [a.name for a in attempts] == [f"{k + 1}-{m}" for k, m in enumerate(methods)]
    assert all(a.reasons and a.seed == 7 for a in attempts)


def test_a_heuristic_is_imitated_before_anything_is_learned() -> None:
    attempts = first(MANY, None, Circumstances(batched=True, heuristic=True))
    assert [a.method for a in attempts] == ["exact", "imitation", "factored", "additive", "ppo"]
    assert all(a.batched for a in attempts)


def test_where_ways_can_be_tried_out_fast_a_planner_teaches() -> None:
    batched = Circumstances(batched=True)
    assert [a.method for a in first(FEW, None, batched)] == ["exact", "planning", "dqn", "ppo"]
    ruled = Circumstances(batched=True, heuristic=True)
    methods = [a.method for a in first(FEW, None, ruled)]
    assert methods == ["exact", "imitation", "planning", "dqn", "ppo"]
    without = first(FEW, Wishes(without=("planning",)), batched)
    assert [a.method for a in without] == ["exact", "dqn", "ppo"]


def test_many_components_are_tried_one_by_one() -> None:
    methods = [a.method for a in first(MANY, None, Circumstances(batched=True))]
    assert methods == ["exact", "factored", "additive", "ppo"]
    assert "factored" not in [a.method for a in first(MANY)]


@pytest.mark.parametrize(
    ("space", "problem"),
    [(MANY, PROBLEM), (REAL, PROBLEM), (FEW, replace(PROBLEM, shapes_future=False))],
)
def test_where_no_way_can_be_planned_nobody_tries(
    space: spaces.Space[Any], problem: Problem
) -> None:
    attempts = first(space, None, Circumstances(batched=True), problem=problem)
    assert "planning" not in [a.method for a in attempts]


@pytest.mark.parametrize(("seconds", "examples"), [(0, 1_000_000), (1e-3, 50_000), (1, 20_000)])
def test_a_slow_heuristic_is_asked_less(seconds: float, examples: int) -> None:
    attempts = first(FEW, None, Circumstances(heuristic=True), seconds)
    assert attempts[1].total_timesteps == examples


def test_wishes_are_followed() -> None:
    assert [a.method for a in first(FEW, Wishes("ppo"))] == ["ppo"]
    assert {a.total_timesteps for a in first(FEW, Wishes(steps=123))} == {123}
    attempts = first(FEW, Wishes(without=("dqn", "scaled rewards")))
    assert [a.method for a in attempts] == ["exact", "ppo"]
    assert attempts[1].remedies == ["scaled observations", "persistent exploration"]


def test_choices_without_consequences_need_no_discount_and_less_time() -> None:
    now = first(FEW, problem=replace(PROBLEM, shapes_future=False))[1]
    later = first(FEW)[1]
    assert now.discount == 0
    assert later.discount == 0.99
    assert now.total_timesteps < later.total_timesteps


def after(symptom: str, attempt: Attempt, **wishes: Any) -> Attempt | None:
    result = {"best_evaluation": 1.0, "symptom": symptom}
    return next_attempt([attempt], [result], [], Wishes(**wishes))


@pytest.mark.parametrize(
    ("method", "circumstances"),
    [("imitation", Circumstances(heuristic=True)), ("planning", Circumstances(batched=True))],
)
def test_an_imitation_below_its_teacher_is_taught_on(
    method: str, circumstances: Circumstances
) -> None:
    imitation = first(FEW, None, circumstances)[1]
    following = after("below its teacher", imitation)
    assert following is not None
    assert following.method == method
    assert following.name == f"2-{method}"
    assert following.start_from == imitation.name
    assert following.seed != imitation.seed
    assert "below its teacher" in following.reasons[0]


@pytest.mark.parametrize("symptom", ["better", "flat", "fell"])
def test_an_imitation_that_learned_all_is_not(symptom: str) -> None:
    assert after(symptom, first(FEW, None, Circumstances(heuristic=True))[1]) is None


def test_an_exact_solution_is_not_sought_twice() -> None:
    assert after("better", first(FEW)[0]) is None


def test_each_symptom_has_its_remedy() -> None:
    dqn = first(FEW)[1]
    fell = after("fell", dqn)
    flat = after("flat", dqn)
    assert fell is not None
    assert set(fell.remedies) - set(dqn.remedies) == {"time left"}
    assert flat is not None
    assert "shaping" in flat.remedies
    additive = first(MANY)[1]
    whole = after("better", additive)
    assert whole is not None
    assert set(additive.remedies) - set(whole.remedies) == {"own parts"}


def test_a_bound_on_steps_leaves_no_room_for_more() -> None:
    assert after("flat", first(FEW)[1], steps=100) is None


def test_nothing_is_tried_twice_and_nothing_that_is_not_wanted() -> None:
    wishes = Wishes(without=("time left",))
    finished = [first(FEW, wishes)[1]]
    made = [{"best_evaluation": 0.0, "symptom": "flat"}]
    keys = set()
    for number in range(6):
        following = next_attempt(finished, made, [], wishes)
        assert following is not None
        assert "time left" not in following.remedies
        assert following.name == f"{number + 2}-{following.method}"
        settings = tuple(following.settings.items())
        keys.add((following.method, following.seed, tuple(following.remedies), settings))
        finished.append(following)
        made.append({"best_evaluation": -1.0, "symptom": "flat"})
    assert len(keys) == 6


def test_after_the_table_its_numbers_are_studied() -> None:
    few = 3
    finished = [first(FEW)[2]]
    made = [{"best_evaluation": 0.0, "symptom": "better"}]
    for number in range(1 + few):
        following = next_attempt(finished, made, [], Wishes())
        assert following is not None
        assert following.trial is (number > 0)
        finished.append(following)
        made.append({"best_evaluation": float(-number), "symptom": "better"})
    assert len({tuple(a.settings.items()) for a in finished[2:]}) == few
    assert all(a.method == "ppo" for a in finished)


@pytest.mark.parametrize(
    ("space", "wishes"), [(FEW, Wishes(without=("study",))), (MANY, Wishes())], ids=["not", "open"]
)
def test_without_numbers_to_study_another_seed_is_tried(
    space: spaces.Space[Any], wishes: Wishes
) -> None:
    finished = [first(space, wishes)[1]]
    made = [{"best_evaluation": 0.0, "symptom": "better"}]
    for _ in range(6):
        following = next_attempt(finished, made, [], wishes)
        assert following is not None
        finished.append(following)
        made.append({"best_evaluation": -1.0, "symptom": "better"})
    assert not any(attempt.trial for attempt in finished)
    assert finished[-1].seed > finished[0].seed


def test_what_diverged_learns_more_slowly() -> None:
    following = after("diverged", first(FEW)[1])
    assert following is not None
    assert following.settings == {"learning_rate": pytest.approx(1e-4)}
    assert "diverged" in following.reasons[0]


@pytest.mark.parametrize("symptom", ["collapsed", "below a constant", "flat"])
def test_what_found_nothing_sees_more(symptom: str) -> None:
    finished, made = [first(FEW)[1]], [{"best_evaluation": 0.0, "symptom": symptom}]
    for _ in range(4):
        following = next_attempt(finished, made, [], Wishes())
        assert following is not None
        finished.append(following)
        made.append({"best_evaluation": -1.0, "symptom": symptom})
    assert any("differences" in a.remedies for a in finished)


def test_where_chance_hardly_ever_arrives_the_way_there_is_paid_for() -> None:
    ways = Circumstances(ways=True)
    exact, dqn, ppo = first(FEW, None, ways)
    assert "shaping" not in exact.remedies
    for attempt in (dqn, ppo):
        assert "shaping" in attempt.remedies
        assert any("Nearly all random episodes" in reason for reason in attempt.reasons)
    for attempt in first(FEW, Wishes(without=("shaping",)), ways):
        assert "shaping" not in attempt.remedies
        assert not any("Nearly all random episodes" in reason for reason in attempt.reasons)
    now = first(FEW, None, ways, problem=replace(PROBLEM, shapes_future=False))
    assert not any("shaping" in attempt.remedies for attempt in now)


@pytest.mark.parametrize("symptom", ["flat", "worse", "collapsed", "below a constant"])
def test_what_found_nothing_is_led_there(symptom: str) -> None:
    dqn = first(FEW)[1]
    shaped = after(symptom, dqn)
    assert shaped is not None
    assert set(shaped.remedies) - set(dqn.remedies) == {"shaping"}
    led = after(symptom, shaped)
    assert led is not None
    assert set(led.remedies) - set(shaped.remedies) == {"curriculum"}
    assert led.reasons == [
        f"The curve of 2-dqn was {symptom}: episodes begin near known gains now, and farther off "
        "by and by."
    ]
    neither = after(symptom, dqn, without=("shaping", "curriculum"))
    assert neither is not None
    assert not {"shaping", "curriculum"} & set(neither.remedies)


def test_where_no_later_step_counts_nobody_is_led_anywhere() -> None:
    now = first(FEW, problem=replace(PROBLEM, shapes_future=False))[1]
    following = after("flat", now)
    assert following is not None
    assert not {"shaping", "curriculum"} & set(following.remedies)


@pytest.mark.parametrize("method", ["qr-dqn", "maskable-ppo", "td3"])
def test_whatever_is_asked_for_is_tried(method: str) -> None:
    (attempt,) = first(REAL if method == "td3" else FEW, Wishes(method))
    assert (attempt.method, attempt.name) == (method, f"1-{method}")


def test_where_some_actions_are_impossible_they_are_masked() -> None:
    circumstances = Circumstances(possible=True)
    exact, dqn, ppo = first(FEW, None, circumstances)
    assert [exact.method, dqn.method, ppo.method] == ["exact", "dqn", "maskable-ppo"]
    assert "possible actions" in dqn.remedies
    assert "possible actions" in ppo.remedies
    assert [a.method for a in first(MANY, None, circumstances)] == ["exact", "additive", "ppo"]
    off = first(FEW, Wishes(without=("possible actions",)), circumstances)
    assert [a.method for a in off] == ["exact", "dqn", "ppo"]
    assert not any("possible actions" in a.remedies for a in off)


def test_the_best_is_put_right_first() -> None:
    dqn, ppo = first(FEW)[1:]
    made = [{"best_evaluation": value, "symptom": "fell"} for value in (1.0, 2.0)]
    following = next_attempt([dqn, ppo], made, [], Wishes())
    assert following is not None
    assert following.method == "ppo"


def test_what_is_under_way_is_not_begun_again() -> None:
    dqn = first(FEW)[1]
    one = after("fell", dqn)
    assert one is not None
    made = [{"best_evaluation": 1.0, "symptom": "fell"}]
    other = next_attempt([dqn], made, [one], Wishes())
    assert other is not None
    assert (other.method, other.remedies) != (one.method, one.remedies)
    assert other.name.startswith("3-")
