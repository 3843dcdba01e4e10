"""Quantities that the rules introduce by themselves, declared from what they are worked out of."""

from nodes.codegen.expression_compiler import ExpressionCompiler
from nodes.codegen.symbols import SymbolTable
from state.dynamics import Dynamics
from state.expressions import ExpressionError
from state.parameters import Parameter
from state.variables import Variable


def with_helpers(
    parameters: list[Parameter], variables: list[Variable], dynamics: Dynamics
) -> list[Variable]:
    """``variables`` and one more for each computed rule that names none of them.

    Shape and kind of number follow from the rule's expression; a rule that cannot be compiled,
    even with the other helpers declared, declares nothing.
    """
    known = list(variables)
    constants = {p.name for p in parameters}
    progress = True
    while progress:
        progress = False
        names = {v.name for v in known} | constants
        for rule in dynamics.rules:
            if rule.kind != "computed" or rule.variable in names:
                continue
            helper = _declared(rule.variable, rule.expression, SymbolTable.of(parameters, known))
            if helper is not None:
                known.append(helper)
                progress = True
                break
    return known


def _declared(name: str, expression: str, symbols: SymbolTable) -> Variable | None:
    try:
        _, typed = ExpressionCompiler(symbols).compile(expression)
    except ExpressionError:
        return None
    return Variable(
        name=name,
        role="system",
        definition="intermediate result",
        dtype="boolean" if typed.dtype == "boolean" else "real",
        shape=list(typed.shape),
        unit="" if typed.unit.dimensionless and not typed.atomic else str(typed.unit),
        assumed="introduced with the rules",
    )
