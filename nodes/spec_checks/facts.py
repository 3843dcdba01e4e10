"""What the checks on a specification look at, worked out once for all of them."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nodes.codegen.compile_spec import compile_spec, step_length_of
from nodes.codegen.expression_compiler import ExpressionCompiler
from nodes.codegen.problems import Problems
from nodes.codegen.program import Program
from nodes.codegen.spaces import ranges_of
from nodes.codegen.symbols import SymbolTable
from nodes.mentions import Mention, mentions_of
from nodes.sentences import sentences_of
from nodes.spec_checks.spans import Span
from state.expressions import ExpressionError, names_in, parse
from state.findings import Owner
from state.question import told
from state.spec import Spec

PREVIOUS = "previous_"


@dataclass(frozen=True)
class Expression:
    """An expression of the specification: who wrote it, where it stands, and its unit."""

    owner: Owner
    place: str
    text: str
    unit: str = ""
    variable: str = ""
    random: bool = False


class Facts:
    """A specification with its symbols, its expressions, its program and its words."""

    def __init__(self, spec: Spec, compiled: tuple[Program | None, Problems] | None = None) -> None:
        self.spec = spec
        self._compiled = compiled

    @cached_property
    def symbols(self) -> SymbolTable:
        """All names; each is its own source."""
        return SymbolTable.of(self.spec.parameters, self.spec.variables, str, str)

    @cached_property
    def compiled(self) -> tuple[Program | None, Problems]:
        """What the compiler makes of it; without rules there is nothing to compile."""
        if self._compiled is not None:
            return self._compiled
        return compile_spec(self.spec) if self.spec.dynamics.ruled else (None, Problems())

    @cached_property
    def program(self) -> Program | None:
        """The rules as a program, None where there is none."""
        return self.compiled[0]

    @cached_property
    def ranges(self) -> dict[str, tuple[float | None, float | None]]:
        """Declared (low, high) of each variable."""
        return ranges_of(self.spec.variables, self.symbols, Problems())

    @property
    def told(self) -> str:
        """The description with a person's answers behind it."""
        return told(self.spec.description, self.spec.answers)

    @cached_property
    def mentions(self) -> list[Mention]:
        """All numbers of the description."""
        return mentions_of(self.told)

    @cached_property
    def sentences(self) -> list[str]:
        """The description, sentence by sentence."""
        return sentences_of(self.told)

    def words_about(self, quote: str) -> str:
        """A quoted sentence and those behind it that go on about the same with a pronoun."""
        if quote not in self.sentences:
            return quote
        found = [quote]
        for sentence in self.sentences[self.sentences.index(quote) + 1 :]:
            if not re.match(r"(?:it|they|these|those|this|that)\b", sentence, re.IGNORECASE):
                break
            found.append(sentence)
        return " ".join(found)

    @cached_property
    def traced(self) -> bool:
        """Whether the pieces point at the words that they come from."""
        pieces = [*self.spec.parameters, *self.spec.variables, *self.spec.constraints]
        return any(piece.quote for piece in pieces)

    @cached_property
    def expressions(self) -> list[Expression]:
        """All expressions that are not empty."""
        return [e for e in self._all_expressions() if e.text.strip()]

    def _all_expressions(self) -> Iterator[Expression]:
        spec = self.spec
        for rule in spec.dynamics.rules:
            variable = spec.variable(rule.variable)
            unit = variable.unit if variable is not None else ""
            place = f"rule of {rule.variable}"
            yield Expression("environment", f"initial value of {rule.variable}", rule.initial,
                             unit, rule.variable, random=True)  # fmt: skip
            yield Expression("environment", place, rule.expression, unit, rule.variable, True)
        yield Expression("environment", "termination", spec.dynamics.termination)
        for term in spec.sar.reward:
            yield Expression(
                "sar", f"reward term {term.name}", term.expression, spec.sar.reward_unit
            )
        yield Expression("modeling", "step_measure", spec.model.step_measure, spec.sar.reward_unit)
        for constraint in spec.model.constraints:
            yield Expression("modeling", f"constraint {constraint.name}", constraint.expression)

    def compiler(self) -> ExpressionCompiler:
        """A compiler whose sources are the plain names."""
        length = step_length_of(self.spec.model.step_length)
        return ExpressionCompiler(self.symbols, step_length=length, allow_random=True)

    def source(self, text: str) -> str | None:
        """``text`` as the compiler writes it, over plain names; None where it cannot."""
        try:
            return self.compiler().compile(text)[0]
        except ExpressionError:
            return None

    @cached_property
    def parameter_values(self) -> dict[str, Span]:
        """The constants."""
        return {p.name: Span.point(p.value) for p in self.spec.parameters}

    @cached_property
    def declared_values(self) -> dict[str, Span]:
        """The constants, and everything that the declared ranges let the variables be."""
        values = dict(self.parameter_values)
        values["time_step"] = Span.between(0.0, float(self.spec.model.horizon - 1))
        for v in self.spec.variables:
            low, high = self.ranges[v.name]
            span = Span.between(
                np.full(v.shape, -math.inf if low is None else low),
                math.inf if high is None else high,
            )
            values[v.name] = values[f"{PREVIOUS}{v.name}"] = span
        return values

    def roots(self, text: str) -> set[str]:
        """Names that ``text`` rests on: its own, and those of the rules of what it names."""
        found: set[str] = set()
        waiting = names(text)
        rules = {r.variable: r for r in self.spec.dynamics.rules}
        written = {n: b.reads for b in self.spec.dynamics.bodies for n in b.writes}
        while waiting:
            name = waiting.pop().removeprefix(PREVIOUS)
            if name in found:
                continue
            found.add(name)
            if name in rules:
                waiting |= names(rules[name].expression) | names(rules[name].initial)
            waiting |= set(written.get(name, ()))
        return found


def names(text: str) -> set[str]:
    """Quantities that an expression names; none where it cannot be read."""
    if not text.strip():
        return set()
    try:
        return set(names_in(parse(text)))
    except ExpressionError:
        return set()
