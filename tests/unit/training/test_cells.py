"""Observations that look alike are one cell; what only counts tells nothing apart."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sandbox.training.cells import BestReturns, Cells
from sandbox.training.environments import make_environment
from sandbox.training.problem import Piece, Problem
from sandbox.training.simulator import plain_maker
from tests.unit.training.small_problems import Errand, Small

NOBODY = np.zeros(1, dtype=np.int64)


class Fuelled(Errand):
    """Shows a number that falls in every step as well."""

    seen = 5

    def observation(self) -> Any:
        return np.append(super().observation(), np.float32(self.horizon - self.time_step))


class Halves(Small):
    """A real number between 0 and 10 that goes up and down by halves."""

    seen, choices = 1, 2

    def begin(self) -> None:
        self.level = 5.0

    def act(self, action: int) -> tuple[float, bool]:
        self.level = min(max(self.level + action - 0.5, 0.0), 10.0)
        return 0.0, False

    def observation(self) -> Any:
        return np.hstack([self.level]).astype(np.float32)


def test_a_number_that_only_falls_is_no_part_of_a_cell() -> None:
    cells = Cells.fitted(Problem(horizon=60), plain_maker(Fuelled)(10), 0)
    assert cells.places.tolist() == [0, 1, 2, 3]
    assert cells.width.tolist() == [1, 1, 1, 1]
    row = np.array([[3, 4, 5, 0, 17]], dtype=np.float32)
    later, moved = row.copy(), row.copy()
    later[0, 4] -= 1
    moved[0, 0] += 1
    assert cells.keys(row, NOBODY) == cells.keys(later, NOBODY)
    assert cells.keys(row, NOBODY) != cells.keys(moved, NOBODY)
    assert cells.keys(row, NOBODY) != cells.keys(row, NOBODY + 1)


def test_real_numbers_are_divided_into_parts_of_their_range() -> None:
    problem = Problem(observation=[Piece("level", [], "", 0, 10)])
    cells = Cells.fitted(problem, plain_maker(Halves)(10), 0)
    assert 0.05 < cells.width[0] < 0.5
    car = Cells.fitted(
        Problem("MountainCar-v0"), plain_maker(lambda: make_environment("MountainCar-v0"))(5), 0
    )
    np.testing.assert_allclose(car.width, [1.8 / 50, 0.14 / 50], rtol=1e-5)
    np.testing.assert_allclose(car.low, [-1.2, -0.07], rtol=1e-5)


def test_whole_numbers_that_were_declared_real_are_divided() -> None:
    pieces = [Piece("place", [], "", 0, 11, "integer"), Piece("others", [3], "", 0, 11)]
    cells = Cells.fitted(Problem(observation=pieces), plain_maker(Errand)(10), 0)
    assert cells.width[0] == 1
    assert (cells.width[1:] != 1).all()


@given(st.lists(st.lists(st.tuples(st.integers(0, 9), st.integers(-5, 5)), max_size=20)))
def test_the_best_return_of_each_cell_is_known(calls: list[list[tuple[int, int]]]) -> None:
    best, known = BestReturns(), dict[int, float]()
    for call in calls:
        entries = dict(call)
        keys = np.array(list(entries), dtype=np.uint64)
        values = np.array(list(entries.values()), dtype=float)
        expected = [key not in known or value > known[key] for key, value in entries.items()]
        assert best.improve(keys, values).tolist() == expected
        for key, value in entries.items():
            known[key] = max(value, known.get(key, -np.inf))
        assert dict(zip(best.keys.tolist(), best.values.tolist(), strict=True)) == known
