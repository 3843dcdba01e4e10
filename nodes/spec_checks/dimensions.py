"""Units: as the words have them, and of one dimension where things are added."""

import ast
from collections.abc import Iterator

from nodes.codegen.units import Unit, factor_between, parse_unit
from nodes.mentions import mentions_of
from nodes.sentences import sentences_of
from nodes.spec_checks.facts import Facts
from nodes.spec_checks.saying import finding
from nodes.written_numbers import flat, unit_behind
from state.expressions import ExpressionError, names_in, parse
from state.findings import Finding

_OF_PURE_NUMBERS = {"log", "log2", "log10", "exp", "tanh"}


def units_as_in_the_words(facts: Facts) -> Iterator[Finding]:
    """A number has the unit that stands beside it in the sentence that gives it."""
    for p in facts.spec.parameters:
        sentences = sentences_of(p.quote)
        values = {abs(value) for value in flat(p.value)}
        beside = [
            unit_behind(mention, sentences)
            for mention in mentions_of(p.quote)
            if abs(mention.value) in values
        ]
        words = [unit for unit in beside if unit]
        if not words or len(words) < len(beside):
            # Somewhere in the sentence the number stands alone; it may be that one.
            continue
        if not any(_same_unit(p.unit, parse_unit(unit)) for unit in words):
            yield finding(
                "units_as_in_the_words", "parameter", f"parameter {p.name}",
                f"the description gives {p.name} in {words[0]}, the specification in "
                f"{p.unit or 'no unit'}",
                expected=f"{words[0]}, as in “{p.quote}”", found=p.unit or "no unit",
            )  # fmt: skip


def _same_unit(declared: str, written: Unit) -> bool:
    """Whether a declared unit, or what stands before its "per", is the written one."""
    for text in (declared, declared.split("/")[0], declared.split(" per ")[0]):
        unit = parse_unit(text)
        if unit.kind == written.kind and factor_between(unit.linear, written.linear) == 1.0:
            return True
    return False


def logarithms_of_pure_numbers(facts: Facts) -> Iterator[Finding]:
    """In log(1 + x) and exp(x) the x is a ratio of like quantities.

    A quantity that stands there by itself, as a distance in the logarithm of a path loss does,
    means its number.
    """
    for e in facts.expressions:
        tree = _tree(e.text)
        if tree is None:
            continue
        for part in _arguments(tree):
            unit = _dimension(facts, part)
            if unit:
                yield finding(
                    "logarithms_of_pure_numbers", e.owner, e.place,
                    f"{e.place}: {ast.unparse(part)} has the unit {unit} and no logarithm or "
                    "exponential can be taken of it",
                    expected="a ratio of like quantities, such as power over power",
                    found=f"{ast.unparse(part)}, in {unit}",
                )  # fmt: skip


def _tree(text: str) -> ast.expr | None:
    try:
        return parse(text)
    except ExpressionError:
        return None


def _arguments(tree: ast.expr) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        if node.func.id not in _OF_PURE_NUMBERS:
            continue
        argument = node.args[0]
        if isinstance(argument, ast.BinOp) and isinstance(argument.op, ast.Add | ast.Sub):
            sides = [argument.left, argument.right]
            if any(isinstance(side, ast.Constant) for side in sides):
                yield from (side for side in sides if not isinstance(side, ast.Constant))
        elif isinstance(argument, ast.UnaryOp) and isinstance(argument.operand, ast.BinOp):
            yield argument.operand


def _dimension(facts: Facts, part: ast.expr) -> str:
    """The unit of ``part`` and of what its names are computed from; empty for a pure number."""
    text = ast.unparse(part)
    try:
        _, typed = facts.compiler().compile(text)
    except ExpressionError:
        return ""
    pure = typed.unit.dimensionless or typed.relative or typed.bare
    # A literal factor may carry the unit that makes the ratio pure.
    literal = any(
        isinstance(n, ast.Constant) and isinstance(n.value, int | float) and n.value not in (1, 2)
        for n in ast.walk(part)
    )
    # So may a factor that declares no unit.
    symbols = [facts.symbols[name] for name in names_in(part) if name in facts.symbols]
    undeclared = any(
        symbol.unit.plain_word and (symbol.value is not None or symbol.dtype == "real")
        for symbol in symbols
    )
    return "" if pure or literal or undeclared else f"{typed.unit:~}"


def sums_of_one_dimension(facts: Facts) -> Iterator[Finding]:
    """What is added, compared or assigned has one dimension; it stops where the reward needs it."""
    for e in facts.expressions:
        compiler = facts.compiler()
        variable = facts.spec.variable(e.variable) if e.variable else None
        shape = tuple(variable.shape) if variable is not None else None
        try:
            compiler.compile(e.text, parse_unit(e.unit), shape)
        except ExpressionError:
            continue
        for remark in compiler.remarks:
            if remark.startswith("units do not fit"):
                yield finding(
                    "sums_of_one_dimension", e.owner, e.place, f"{e.place}: {remark}",
                    expected="one dimension, or value_in(x, 'unit') or a weight where numbers are "
                    "meant", found=e.text, blocking=e.place.startswith("reward term"),
                )  # fmt: skip


def reward_has_one_dimension(facts: Facts) -> Iterator[Finding]:
    """Terms that make up the reward have one dimension, or a declared weight brings them to it."""
    if facts.spec.sar.reward_unit.strip():
        return  # Then each term was held against that unit.
    physical: dict[str, str] = {}
    for term in facts.spec.sar.reward:
        try:
            _, typed = facts.compiler().compile(term.expression)
        except ExpressionError:
            continue
        if typed.bare or typed.unit.dimensionless or _is_weighted(facts, term.expression):
            continue
        physical.setdefault(str(typed.unit.dimensionality), term.name)
    if len(physical) > 1:
        parts = "; ".join(f"{name} in {unit}" for unit, name in physical.items())
        yield finding(
            "reward_has_one_dimension", "sar", "reward",
            "the terms of the reward have different dimensions and nothing says what one is worth "
            "in the other", expected="one dimension, or a parameter as weight", found=parts,
        )  # fmt: skip


def _is_weighted(facts: Facts, text: str) -> bool:
    """Whether a parameter without a physical unit, a price or a weight, is a factor."""
    tree = _tree(text)
    if tree is None:
        return False
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            for side in (node.left, node.right):
                parameter = facts.spec.parameter(side.id) if isinstance(side, ast.Name) else None
                if parameter is not None and parse_unit(parameter.unit).plain_word:
                    return True
    return False
