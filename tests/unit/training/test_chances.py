"""Every way in which draws can fall, with its probability, beside numpy's own draws."""

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.training.chances import ScriptedGenerator, TooManyOutcomes, outcomes
from sandbox.training.uniform_draw import NotEnumerable

Act = Callable[[Any], Any]


def law(act: Act, most: int = 5_000) -> dict[Any, float]:
    """Probability of each result."""
    found: Counter[Any] = Counter()
    for probability, result in outcomes(act, most):
        found[np.asarray(result).tolist() if np.ndim(result) == 0 else tuple(result)] += probability
    assert math.isclose(sum(found.values()), 1.0, abs_tol=1e-9)
    return dict(found)


DRAWS: dict[str, Act] = {
    "integers": lambda g: g.integers(2, 5),
    "integers up to": lambda g: g.integers(3),
    "integers with endpoint": lambda g: g.integers(1, 3, endpoint=True, size=2),
    "binomial": lambda g: g.binomial(4, 0.3),
    "binomials": lambda g: g.binomial(1, np.array([0.1, 0.8])),
    "poisson": lambda g: g.poisson(1.3),
    "geometric": lambda g: g.geometric(0.7),
    "choice": lambda g: g.choice([5, 7, 7, 9]),
    "choice with p": lambda g: g.choice(3, p=[0.2, 0.0, 0.8], size=2),
    "choice without replacement": lambda g: g.choice(4, 2, replace=False),
    "choice of words": lambda g: g.choice(["a", "b"]),
    "permutation": lambda g: g.permutation(3),
    "compared": lambda g: np.argmax(np.array([0.1, 0.7, 1.0]) > g.random()),
    "compared twice": lambda g: (lambda u: int(u < 0.3) + int(u >= 0.5))(g.random()),
    "several compared": lambda g: tuple((g.random(2) < np.array([0.2, 0.6])).tolist()),
    "uniform": lambda g: bool(g.uniform(-1.0, 3.0) >= 0.0),
}


@pytest.mark.parametrize("name", DRAWS)
def test_probabilities_are_those_of_numpy(name: str) -> None:
    act = DRAWS[name]
    found = law(act)
    generator = np.random.default_rng(0)
    count = 20_000
    results = (act(generator) for _ in range(count))
    drawn = Counter(
        np.asarray(r).tolist() if np.ndim(r) == 0 else tuple(np.asarray(r).tolist())
        for r in results
    )
    assert set(drawn) <= set(found)
    for result, probability in found.items():
        margin = 5 * math.sqrt(probability * (1 - probability) / count) + 1e-4
        assert abs(drawn[result] / count - probability) < margin


@given(st.integers(0, 12), st.floats(0, 1))
def test_binomial_has_its_mean(trials: int, chance: float) -> None:
    mean = sum(k * p for k, p in law(lambda g: g.binomial(trials, chance)).items())
    assert math.isclose(mean, trials * chance, abs_tol=1e-8)


@given(st.floats(0, 200))
@settings(max_examples=30)
def test_poisson_has_its_mean(mean: float) -> None:
    found = law(lambda g: g.poisson(mean))
    assert math.isclose(sum(k * p for k, p in found.items()), mean, abs_tol=1e-5)


def test_later_draws_may_depend_on_earlier_ones() -> None:
    def act(generator: Any) -> int:
        first = int(generator.integers(2))
        return first + int(generator.binomial(first, 0.5))

    assert law(act) == {0: 0.5, 1: 0.25, 2: 0.25}


def test_shuffle_is_in_place() -> None:
    def act(generator: Any) -> tuple[int, ...]:
        items = [1, 2, 3]
        generator.shuffle(items)
        return tuple(items)

    assert len(law(act)) == 6


def test_too_many_outcomes_are_not_gone_through() -> None:
    with pytest.raises(TooManyOutcomes, match="more than 100 ways"):
        outcomes(lambda g: g.poisson(5.0, size=4), 100)


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (lambda g: g.normal(), r"normal\(\) draws from a continuous distribution"),
        (lambda g: g.exponential(2.0, 3), r"exponential\(\) draws from a continuous"),
        (lambda g: 2 * g.random(), "more than comparisons"),
        (lambda g: int(g.uniform(0, 6)), "more than comparisons"),
        (lambda g: np.array([1.0]) + g.random(), "more than comparisons"),
        (lambda g: g.random() < g.random(), "more than comparisons"),
        (lambda g: g.multinomial(3, [0.5, 0.5]), "not among the draws"),
        (lambda g: g.poisson(1e9), "too many values"),
    ],
)
def test_what_cannot_be_enumerated_is_said(act: Act, reason: str) -> None:
    with pytest.raises(NotEnumerable, match=reason):
        act(ScriptedGenerator())


@pytest.mark.parametrize(
    "act",
    [lambda g: g.integers(0), lambda g: g.choice(2, p=[0.5, 0.6]), lambda g: g.binomial(2, 1.5)],
)
def test_bad_parameters_are_refused_as_by_numpy(act: Act) -> None:
    with pytest.raises(ValueError, match=r"."):
        act(np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"."):
        act(ScriptedGenerator())
