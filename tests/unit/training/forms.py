"""The form of some of the small problems, as training is told it."""

from sandbox.training.problem import Piece, Problem

MATCHING = Problem(
    horizon=10, shapes_future=False, observation=[Piece("shown", [], "", 0, 2, "integer")]
)
ERRAND = Problem(
    horizon=60,
    observation=[
        Piece("place", [], "", 0, 11, "integer"),
        Piece("source", [], "", 0, 11, "integer"),
        Piece("goal", [], "", 0, 11, "integer"),
        Piece("carrying", [], "", 0, 1, "integer"),
    ],
)
CORRIDOR = Problem(horizon=80, observation=[Piece("place", [], "", 0, 39, "integer")])
MANY = Problem(
    horizon=10,
    shapes_future=False,
    observation=[Piece("shown", [5], "", 0, 2, "integer")],
    decisions=[Piece("named", [5], "", 0, 2, "integer")],
)
