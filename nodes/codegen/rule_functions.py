"""The rules once more, as functions of named quantities that a check can ask.

Each function of the generated ``spec_functions.py`` takes ``q``, what the named quantities were
(``previous_x`` is x at the start of the step), and ``rng``, from which it draws.
"""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from nodes.codegen.attributes import attribute_name
from nodes.codegen.program import Program, Statement

CLOCK = "time_step"
CHOSEN = "chosen_"
"""Prefix of a decision as it was taken, before it is corrected."""


@dataclass(frozen=True)
class RuleFunction:
    """How one quantity gets its value: its name, whether it is drawn, and the expression."""

    name: str
    drawn: bool
    source: str


def initial_functions(program: Program) -> list[RuleFunction]:
    """Values at the beginning of an episode, in the order in which they are given."""
    return [
        _function(statement, _reader(program, {}))
        for statement in program.reset
        if _is_expression(program, statement)
    ]


def step_functions(program: Program) -> list[RuleFunction]:
    """Values in a step, in the order in which they are given.

    A quantity that has no new value yet is read as it was before the step.
    """
    lasting = _lasting(program)
    decided = {decision.variable.name for decision in program.decisions}
    given: set[str] = set()
    found = []
    for statement in program.step:
        names = {name: f"previous_{name}" for name in lasting - given}
        names |= {name: CHOSEN + name for name in set(statement.targets) & decided}
        if _is_expression(program, statement):
            found.append(_function(statement, _reader(program, names)))
        given |= set(statement.targets)
    return found


def next_functions(program: Program) -> list[RuleFunction]:
    """Values that are known before the next decision, in order, from ``q`` after the step.

    ``next_x`` is the new value of x.
    """
    given: set[str] = set()
    found = []
    for statement in program.next_known:
        names = {name: f"next_{name}" for name in given}
        found.append(_function(statement, _reader(program, names, clock=1)))
        given |= set(statement.targets)
    return found


def after_step(program: Program, source: str) -> str:
    """A condition or value of the end of a step, such as the termination."""
    return ast.unparse(_reader(program, {})(source))


def lasting_names(program: Program) -> list[str]:
    """Quantities that a step changes and that are not renewed before the next decision."""
    renewed = {name for statement in program.next_known for name in statement.targets}
    return sorted(_lasting(program) - renewed)


def _lasting(program: Program) -> set[str]:
    """Quantities that get a value in a step and until then have that of the step before."""
    decided = {decision.variable.name for decision in program.decisions}
    return {name for statement in program.step for name in statement.targets} - decided


def _is_expression(program: Program, statement: Statement) -> bool:
    """Whether an expression gives the value; what a code body gives no expression says."""
    written = {name for body in program.bodies for name in body.writes}
    return len(statement.targets) == 1 and not set(statement.targets) & written


def _function(statement: Statement, read: Callable[[str], ast.expr]) -> RuleFunction:
    tree = read(statement.source)
    drawn = any(isinstance(n, ast.Name) and n.id == "rng" for n in ast.walk(tree))
    return RuleFunction(statement.targets[0], drawn, ast.unparse(tree))


def _reader(
    program: Program, names: Mapping[str, str], clock: int = 0
) -> Callable[[str], ast.expr]:
    """Turns a source over attributes into one over ``q``; ``names`` are read under others."""
    spec = program.spec
    parameters = {attribute_name(p.name): p.name for p in spec.parameters}
    variables = {attribute_name(v.name): v.name for v in spec.variables}

    class _Reader(ast.NodeTransformer):
        def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
            if not (isinstance(node.value, ast.Name) and node.value.id == "self"):
                self.generic_visit(node)
                return node
            if node.attr == "np_random":
                return ast.Name("rng", ast.Load())
            if node.attr in parameters:
                return _item("PARAMETERS", parameters[node.attr])
            if node.attr == CLOCK:
                now = _item("q", CLOCK)
                return ast.BinOp(now, ast.Add(), ast.Constant(clock)) if clock else now
            name = variables[node.attr]
            return _item("q", names.get(name, name))

        def visit_Name(self, node: ast.Name) -> ast.expr:
            bare = node.id.removeprefix("previous_")
            is_previous = bare != node.id and spec.variable(bare) is not None
            return _item("q", node.id) if is_previous else node

    def read(source: str) -> ast.expr:
        tree = _Reader().visit(ast.parse(source, mode="eval").body)
        assert isinstance(tree, ast.expr)
        return ast.fix_missing_locations(tree)

    return read


def _item(table: str, name: str) -> ast.expr:
    return ast.Subscript(ast.Name(table, ast.Load()), ast.Constant(name), ast.Load())
