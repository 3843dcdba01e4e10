"""Problems whose states are enumerated, with the exact value of their best policy."""

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.wrappers import FlattenObservation, RecordEpisodeStatistics

from sandbox.training.enumeration import Limits, enumerate_environment
from sandbox.training.environments import Environment, make_environment
from sandbox.training.finite_model import all_actions
from sandbox.training.uniform_draw import NotEnumerable
from sandbox.training.value_iteration import solve
from tests.unit.training import small_problems
from tests.unit.training.playing import play

QUICK = Limits(seconds=15, samples=200)


@pytest.mark.parametrize(
    ("name", "states", "optimum"),
    [
        ("FrozenLake-v1", 11, 0.7442),
        ("FrozenLake8x8-v1", 53, 0.9132),
        ("CliffWalking-v1", 37, -13.0),
        ("CliffWalkingSlippery-v1", 37, -64.709),
        ("Taxi-v4", 400, 7.93),
    ],
)
def test_standard_problems_are_solved_exactly(name: str, states: int, optimum: float) -> None:
    model = enumerate_environment(lambda: make_environment(name))
    solution = solve(model)
    assert model.full.size == states
    assert solution.exact
    assert solution.optimum == pytest.approx(optimum, rel=5e-4)
    assert solution.value == pytest.approx(solution.optimum, rel=1e-6)


@pytest.mark.parametrize(
    "name", ["FrozenLake-v1", "CliffWalking-v1", "CliffWalkingSlippery-v1", "Taxi-v4"]
)
def test_the_policy_earns_what_was_computed(name: str) -> None:
    solution = solve(enumerate_environment(lambda: make_environment(name)))
    mean, error = play(make_environment(name), solution.policy, 600)
    assert abs(mean - solution.value) < 4 * error + 1e-9


def test_the_table_of_the_standard_problem_is_found_again() -> None:
    """The transition table that the environment itself keeps, solved by plain recursion."""
    environment = gymnasium.make("FrozenLake-v1")
    table = environment.unwrapped.P
    values = np.zeros(16)
    for _ in range(100):
        values = np.array(
            [
                max(
                    sum(p * (r + (0 if end else values[s])) for p, s, r, end in table[k][a])
                    for a in range(4)
                )
                for k in range(16)
            ]
        )
    solution = solve(enumerate_environment(lambda: make_environment("FrozenLake-v1")))
    assert solution.optimum == pytest.approx(values[0], abs=1e-12)


def lost_sales_by_hand() -> float:
    """Backward induction over stock and order, written out for the problem at hand."""
    rate, horizon, most, choices = 2.0, 30, 9, 6
    demand = [np.exp(-rate)]
    for k in range(1, 40):
        demand.append(demand[-1] * rate / k)
    values = np.zeros((most + 1, choices))
    for _ in range(horizon):
        new = np.full_like(values, -np.inf)
        for stock in range(most + 1):
            for coming in range(choices):
                for order in range(choices):
                    total = 0.0
                    for wanted, share in enumerate(demand):
                        sold = min(stock, wanted)
                        left = min(stock - sold + coming, most)
                        now = 5 * sold - 2 * order - 0.5 * left - (wanted - sold)
                        total += share * (now + values[left, order])
                    new[stock, coming] = max(new[stock, coming], total)
        values = new
    return float(values[3, 0])


def test_lost_sales_with_lead_time() -> None:
    solution = solve(enumerate_environment(small_problems.LostSales))
    assert solution.exact
    assert solution.optimum == pytest.approx(lost_sales_by_hand(), rel=1e-6)
    assert solution.choices.shape == (30, 60)
    mean, error = play(small_problems.LostSales(), solution.policy, 400)
    assert abs(mean - solution.value) < 4 * error


def test_admission_to_a_queue() -> None:
    model = enumerate_environment(small_problems.Admission)
    solution = solve(model)
    assert solution.exact
    assert model.full.size == 27
    mean, error = play(small_problems.Admission(), solution.policy, 400)
    assert abs(mean - solution.value) < 4 * error


def test_a_sum_that_nothing_depends_on_is_seen_through() -> None:
    """Each state is there with thousands of sums; they go on alike."""
    plain = solve(enumerate_environment(small_problems.Admission))
    model = enumerate_environment(small_problems.Accounting, Limits(seconds=600, samples=200))
    solution = solve(model)
    assert model.full.size == 27
    assert solution.value == pytest.approx(plain.value, rel=1e-6)
    assert not solution.exact
    assert "count as one" in solution.remarks[0]


def test_hidden_state_is_said_and_the_value_is_still_right() -> None:
    solution = solve(enumerate_environment(small_problems.Hidden))
    assert not solution.exact
    assert "a policy with a memory may do better" in solution.remarks[0]
    assert solution.optimum == pytest.approx(5.0)
    assert solution.value == pytest.approx(2.5)
    mean, error = play(small_problems.Hidden(), solution.policy, 400)
    assert abs(mean - solution.value) < 4 * error


def test_hidden_state_that_the_observation_tells_all_about_is_no_harm() -> None:
    solution = solve(enumerate_environment(small_problems.HiddenDie))
    assert solution.exact
    assert solution.optimum == pytest.approx(solution.value)
    # Casting again is no help to those who see neither the old die nor the new one.
    assert solution.optimum == pytest.approx(3.5)


def test_time_is_part_of_the_state_where_it_matters() -> None:
    model = enumerate_environment(small_problems.Seasonal)
    solution = solve(model)
    assert model.full.layers is not None
    assert solution.exact
    assert solution.value == pytest.approx(6.0)
    assert play(small_problems.Seasonal(), solution.policy, 3) == (6.0, 0.0)


def test_too_many_chances_are_drawn_at_random() -> None:
    model = enumerate_environment(small_problems.ManyDraws, QUICK)
    solution = solve(model)
    assert not model.exact
    assert "200 times with chances drawn at random" in model.remarks[0]
    mean, error = play(small_problems.ManyDraws(), solution.policy, 400)
    # The same sum of demands as one draw: the exact value.
    exact = solve(enumerate_environment(small_problems.OneDraw))
    assert exact.exact
    assert abs(solution.value - exact.value) < 0.1 * exact.value
    assert mean > exact.value - 4 * error - 0.005 * exact.value


@pytest.mark.parametrize(
    ("problem", "limits", "reason"),
    [
        ("Noisy", QUICK, r"normal\(\) draws from a continuous distribution"),
        ("Counting", Limits(rows=200, samples=0), "more than 66 states with 3 actions"),
        ("Counting", Limits(rows=200, samples=5), "and there are more than 66 observations"),
        ("Counting", Limits(seconds=0.2, samples=0), "the time was enough to go through"),
        ("ManyDraws", Limits(samples=0), "chance can fall in more than 2000 ways"),
        ("OwnGenerator", QUICK, r"a generator of its own \(generator\)"),
        ("GlobalDraws", QUICK, "draws elsewhere than from np_random"),
    ],
)
def test_the_reason_for_giving_up_is_said(problem: str, limits: Limits, reason: str) -> None:
    with pytest.raises(NotEnumerable, match=reason):
        enumerate_environment(getattr(small_problems, problem), limits)


def test_an_unknown_wrapper_is_refused() -> None:
    def make() -> Environment:
        return RecordEpisodeStatistics(small_problems.Admission())

    with pytest.raises(NotEnumerable, match="RecordEpisodeStatistics does is not known"):
        enumerate_environment(make)


@pytest.mark.parametrize(
    "space", [spaces.MultiDiscrete([31] * 10), spaces.Box(-1, 1, (2,)), spaces.Discrete(70_000)]
)
def test_large_action_spaces_are_refused(space: spaces.Space[object]) -> None:
    with pytest.raises(NotEnumerable, match=r"joint actions|cannot be listed"):
        all_actions(space)


def test_joint_actions_are_listed_in_their_own_terms() -> None:
    assert all_actions(spaces.Discrete(3, start=4)).tolist() == [4, 5, 6]
    joint = all_actions(spaces.MultiDiscrete([2, 3]))
    assert joint.shape == (6, 2)
    assert joint.tolist()[-1] == [1, 2]


def test_the_same_twice_gives_the_same() -> None:
    first, second = (solve(enumerate_environment(small_problems.LostSales)) for _ in range(2))
    assert np.array_equal(first.choices, second.choices)
    assert first.value == second.value


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_blackjack_comes_near_its_optimum() -> None:
    """Hands are so many that chances are drawn; -0.0431 is the best that there is."""

    def make() -> Environment:
        return FlattenObservation(gymnasium.make("Blackjack-v1"))

    model = enumerate_environment(make, Limits(seconds=200))
    assert not model.exact
    assert "states show only" in model.remarks[0]
    mean, error = play(make(), solve(model).policy, 40_000)
    assert abs(mean + 0.0431) < 0.004 + 3 * error
