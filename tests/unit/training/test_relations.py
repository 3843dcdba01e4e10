"""What declared pieces say of the numbers of an observation."""

import pytest

from sandbox.training.problem import Piece, Problem
from sandbox.training.relations import few_kinds, like_pairs


def test_coordinates_are_paired_and_nothing_else() -> None:
    pieces = [
        Piece("place", [2], "m", 0, 100),
        Piece("share", [2], "", 0, 1),
        Piece("goal", [], "m", 0, 100),
        Piece("height", [], "m", 0, 50),
        Piece("free", [2], "m"),
    ]
    pairs = like_pairs(Problem(observation=pieces))
    assert pairs.tolist() == [[0, 1], [0, 4], [1, 4]]


def test_points_are_compared_coordinate_by_coordinate() -> None:
    pieces = [
        Piece("place", [2], "m", 0, 9),
        Piece("goals", [2, 2], "m", 0, 9),
        Piece("far", [], "m", 0, 9),
        Piece("wide", [], "m", 0, 9),
    ]
    pairs = like_pairs(Problem(observation=pieces))
    assert pairs.tolist() == [[0, 2], [0, 4], [1, 3], [1, 5], [2, 4], [3, 5], [6, 7]]


def test_too_many_pairs_are_none() -> None:
    assert len(like_pairs(Problem(observation=[Piece("x", [16], "m", 0, 9)]))) == 120
    assert like_pairs(Problem(observation=[Piece("x", [17], "m", 0, 9)])).shape == (0, 2)


@pytest.mark.parametrize("observation", [[], [Piece("x")]])
def test_nothing_declared_says_nothing(observation: list[Piece]) -> None:
    problem = Problem(observation=observation)
    assert like_pairs(problem).shape == (0, 2)
    assert few_kinds(problem).shape == (0, 2)


def test_each_value_of_a_small_whole_number_is_a_kind() -> None:
    pieces = [
        Piece("level", [], "", 0, 9, "integer"),
        Piece("state", [2], "", 1, 3, "integer"),
        Piece("on", [], "", 0, 1, "integer"),
        Piece("real", [], "", 0, 3),
    ]
    kinds = few_kinds(Problem(observation=pieces))
    assert kinds.tolist() == [[1, 1], [1, 2], [1, 3], [2, 1], [2, 2], [2, 3]]
