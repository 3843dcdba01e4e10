"""What the training is told of the problem, read off the spec alone."""

from nodes.codegen.problems import Problems
from nodes.codegen.rule_facts import RuleFacts
from nodes.codegen.spaces import ranges_of
from nodes.codegen.symbols import SymbolTable
from nodes.consequences import decision_shapes_the_future
from sandbox.training.problem import Piece, Problem
from state.spec import Spec
from state.variables import Variable

DEFAULT_TIME_BUDGET = 300.0


def problem_of(spec: Spec) -> Problem:
    """The form of the problem: decisions, observation, horizon, and what decisions touch."""
    symbols = SymbolTable.of(spec.parameters, spec.variables)
    ranges = ranges_of(spec.variables, symbols, Problems())
    return Problem(
        gymnasium_id=spec.dynamics.gymnasium_id,
        horizon=spec.model.horizon,
        discount=spec.model.discount,
        shapes_future=decision_shapes_the_future(spec),
        observation=_observation(spec, symbols, ranges),
        decisions=[_piece(v, ranges) for v in spec.decisions],
    )


def _observation(
    spec: Spec, symbols: SymbolTable, ranges: dict[str, tuple[float | None, float | None]]
) -> list[Piece]:
    """Pieces of the flat observation in order; none if it holds something that is no variable."""
    names = spec.sar.observation
    if not spec.dynamics.gymnasium_id:
        names = RuleFacts.of(spec, symbols, Problems()).observation
    pieces = []
    for name in names:
        variable = spec.variable(name)
        if variable is not None:
            pieces.append(_piece(variable, ranges))
        elif name == "time_step":
            pieces.append(Piece(name, [], "", 0.0, float(spec.model.horizon), "integer"))
        else:
            return []
    return pieces


def _piece(variable: Variable, ranges: dict[str, tuple[float | None, float | None]]) -> Piece:
    low, high = ranges[variable.name]
    return Piece(variable.name, list(variable.shape), variable.unit, low, high, variable.dtype)
