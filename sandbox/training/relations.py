"""What the declared pieces of an observation say about its numbers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandbox.training.problem import Piece, Problem

MOST_PAIRS = 120
MOST_KINDS = 8


def like_pairs(problem: Problem) -> NDArray[np.int64]:
    """Pairs of observed numbers with one unit and one range, such as two coordinates.

    Where there is a list of points, points are compared coordinate by coordinate.
    """
    kinds: dict[tuple[Any, ...], list[tuple[int, Piece]]] = {}
    place = 0
    for piece in problem.observation:
        kind = (piece.unit, piece.low, piece.high, piece.dtype)
        bounded = piece.low is not None and piece.high is not None and piece.dtype != "boolean"
        if bounded and (piece.high or 0) - (piece.low or 0) > 1:
            kinds.setdefault(kind, []).append((place, piece))
        place += piece.size
    pairs = [pair for like in kinds.values() for pair in _pairs_of_kind(like)]
    kept = pairs if len(pairs) <= MOST_PAIRS else []
    return np.array(kept, dtype=np.int64).reshape(-1, 2)


def _pairs_of_kind(like: list[tuple[int, Piece]]) -> list[tuple[int, int]]:
    """Pairs among pieces that begin at these places and are of one kind."""
    dimensions = {piece.shape[-1] for _, piece in like if len(piece.shape) > 1}
    numbers = []
    for place, piece in like:
        points = bool(piece.shape) and piece.shape[-1] in dimensions
        coordinates = piece.shape[-1] if points else 1
        numbers += [(place + k, (coordinates, k % coordinates)) for k in range(piece.size)]
    return [(i, j) for a, (i, one) in enumerate(numbers) for j, other in numbers[a + 1 :]
            if one == other]  # fmt: skip


def few_kinds(problem: Problem) -> NDArray[np.int64]:
    """Index and value (k, 2) for each value of each whole number that has only a few.

    Two values need none: the number itself tells them apart.
    """
    found = []
    place = 0
    for piece in problem.observation:
        values = _values(piece)
        if 2 < len(values) <= MOST_KINDS:
            found += [(place + k, value) for k in range(piece.size) for value in values]
        place += piece.size
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def _values(piece: Piece) -> range:
    if piece.dtype != "integer" or piece.low is None or piece.high is None:
        return range(0)
    return range(round(piece.low), round(piece.high) + 1)
