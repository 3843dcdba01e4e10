"""Ranks among draws by the rule tell right distributions from wrong ones, and seldom err."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.programs import draw_checks
from sandbox.programs.draw_checks import DRAWS, Ranks

LEVEL = 1e-5
Sampler = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]

RIGHT: dict[str, Sampler] = {
    "poisson": lambda random, size: random.poisson(8, size),
    "clipped normal": lambda random, size: np.clip(random.normal(0, 8, size), -5, 9),
    "one or nothing": lambda random, size: random.binomial(1, 0.1, size),
    "always the same": lambda random, size: np.zeros(size),
    "exponential": lambda random, size: random.exponential(3, size),
}
WRONG: dict[str, tuple[Sampler, Sampler]] = {
    "uniform for poisson": (
        RIGHT["poisson"], lambda random, size: random.integers(0, 17, size)),
    "mean 8.5 for 8": (RIGHT["poisson"], lambda random, size: random.poisson(8.5, size)),
    "variance for deviation": (
        lambda random, size: random.normal(0, 3, size),
        lambda random, size: random.normal(0, 3**0.5, size)),
    "chance 0.15 for 0.1": (
        RIGHT["one or nothing"], lambda random, size: random.binomial(1, 0.15, size)),
}  # fmt: skip


def ranks(rule: Sampler, made: Sampler, seed: int, shape: tuple[int, int]) -> Ranks:
    random = np.random.default_rng(seed)
    values, draws = made(random, shape), rule(random, (DRAWS, *shape))
    rows = [draw_checks._rank(value, draws[:, row], random) for row, value in enumerate(values)]
    return np.stack(rows)


@given(seed=st.integers(0, 2**31), name=st.sampled_from(sorted(RIGHT)))
@settings(max_examples=40, derandomize=True)
def test_right_draws_pass(seed: int, name: str) -> None:
    found = ranks(RIGHT[name], RIGHT[name], seed, (400, 5))
    assert draw_checks._not_even(found, LEVEL) == ""
    assert draw_checks._not_anew(found, LEVEL) == ""
    drawn = {"x": draw_checks._Drawn(found, [], [])}
    assert draw_checks._related(drawn, LEVEL) is None


@pytest.mark.parametrize("name", WRONG)
def test_wrong_draws_are_found(name: str) -> None:
    found = ranks(*WRONG[name], 3, (2000, 5))
    assert "chi-square" in draw_checks._not_even(found, LEVEL)


def test_draws_that_follow_from_the_last_are_found() -> None:
    random = np.random.default_rng(5)
    values = random.normal(size=(600, 1))
    for step in range(1, 600):
        values[step] = 0.5 * values[step - 1] + 0.75**0.5 * values[step]
    draws = random.normal(size=(DRAWS, 600, 1))
    found = np.stack([draw_checks._rank(v, draws[:, k], random) for k, v in enumerate(values)])
    assert draw_checks._not_anew(found, LEVEL)


def test_one_draw_for_two_quantities_is_found() -> None:
    random = np.random.default_rng(6)
    one = random.random((300, 3))
    drawn = {name: draw_checks._Drawn(one, [], []) for name in ("x", "y")}
    assert draw_checks._related(drawn, LEVEL) == ("x", "y")


def test_the_tail_of_chi_square_is_right() -> None:
    # Percentiles of the chi-square distribution with 16 degrees of freedom.
    assert draw_checks._chi_square_tail(26.296, 16) == pytest.approx(0.05, rel=1e-3)
    assert draw_checks._chi_square_tail(39.252, 16) == pytest.approx(0.001, rel=1e-3)
