"""The form of two of the small problems, as training is told it."""

from sandbox.training.problem import Piece, Problem

MATCHING = Problem(
    horizon=10, shapes_future=False, observation=[Piece("shown", [], "", 0, 2, "integer")]
)
MANY = Problem(
    horizon=10,
    shapes_future=False,
    observation=[Piece("shown", [5], "", 0, 2, "integer")],
    decisions=[Piece("named", [5], "", 0, 2, "integer")],
)
