"""How much of what a function returns another one returns as well."""

from typing import Any

import numpy as np
import pytest

from sandbox.programs.agreement import MOST_SITUATIONS, Noting, alike, returned
from sandbox.programs.requests import DeclaredRange


def root(rng: Any, x: Any) -> Any:
    return np.sqrt(x), rng.random()


def bounded(rng: Any, x: Any) -> Any:
    return np.sqrt(np.maximum(x, 0)), rng.random()


SITUATIONS = [(np.array([k, 4.0]),) for k in (1.0, 2.0, 3.0, -1.0)]


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize(
    ("other", "share"),
    [
        (bounded, 1.0),
        (root, 1.0),
        (lambda rng, x: (x, rng.random()), 0.0),
        (lambda rng, x: (np.sqrt(x), 0.5), 0.0),
        (lambda rng, x: np.sqrt(x), 0.0),
        (lambda rng, x: (np.sqrt(x)[:1], rng.random()), 0.0),
        (lambda rng, x: bounded(rng, x) if x[0] > 2 else 1 / 0, 1 / 3),
        (lambda rng, x: "words", 0.0),
    ],
)
def test_only_what_was_right_at_all_is_compared(other: Any, share: float) -> None:
    """In the last situation the faulty function returns no number."""
    before = returned(root, SITUATIONS)
    assert alike(before, returned(other, SITUATIONS)) == pytest.approx(share)


def test_what_raises_everywhere_agrees_with_nothing() -> None:
    before = returned(lambda rng, x: 1 / 0, SITUATIONS)
    assert alike(before, returned(bounded, SITUATIONS)) == 0.0
    assert alike([], []) == 0.0


def test_a_function_may_change_what_it_gets() -> None:
    def greedy(rng: Any, x: Any) -> Any:
        x[:] = 9.0
        return x

    noting = Noting(greedy)
    values = np.array([1.0, 2.0])
    noting(None, values)
    assert noting.situations[0][0].tolist() == [1.0, 2.0]
    assert returned(greedy, noting.situations)[0] is not None
    assert noting.situations[0][0].tolist() == [1.0, 2.0]


def test_some_situations_are_noted_and_none_after_a_fault_that_shows() -> None:
    noting = Noting(bounded)
    for k in range(2 * MOST_SITUATIONS):
        noting(np.random.default_rng(), np.array([np.nan if k % 2 else k]))
    assert len(noting.situations) == MOST_SITUATIONS
    assert all(np.isfinite(x).all() for (x,) in noting.situations)


def test_only_possible_situations_and_results_count() -> None:
    """What a fault led to says nothing of what right code does, nor does what it makes."""
    stock = DeclaredRange("stock", 0.0, 10.0)
    noting = Noting(lambda rng, x, k: x - k, [stock, None])
    for x in (5.0, -1.0, 11.0, 3.0):
        noting(None, np.array([x, 1.0]), 4.0)
    assert [x[0] for x, _ in noting.situations] == [5.0, 3.0]
    before = returned(noting.function, noting.situations)
    bounded_at_zero = returned(lambda rng, x, k: np.maximum(x - k, 0.0), noting.situations)
    assert alike(before, bounded_at_zero) == 0.0
    assert alike([before[0]], [before[0]], [stock]) == 0.0  # there it was wrong
    wide = [np.array([1.0, 2.0])]
    assert alike([wide, before[0]], [wide, None], [stock]) == 1.0
