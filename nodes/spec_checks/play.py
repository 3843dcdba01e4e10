"""Playing a compiled specification step by step without making code of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from nodes.codegen.attributes import attribute_name
from nodes.codegen.program import Program, Statement
from nodes.spec_checks.facts import PREVIOUS
from nodes.spec_checks.interpreter import Interpreter
from nodes.spec_checks.spans import Span


@dataclass
class Play:
    """One episode of ``program``; without ``random`` the first step with all that may be in it.

    Raises:
        NotReadableError: from every method, where the program holds a code body.
    """

    program: Program
    random: np.random.Generator | None = None
    values: dict[str, Span] = field(default_factory=dict)
    complaints: list[tuple[str, str, str]] = field(default_factory=list)
    """Place, draw, and what is wrong with its arguments."""

    def begin(self) -> None:
        """Set everything as an episode begins."""
        spec = self.program.spec
        self.values = {attribute_name(p.name): Span.point(p.value) for p in spec.parameters}
        self.values["time_step"] = Span.point(0.0)
        for v in spec.variables:
            self.values[attribute_name(v.name)] = Span.point(np.zeros(tuple(v.shape)))
        self._run(self.program.reset, "initial value of")

    def put(self, values: Mapping[str, Span]) -> None:
        """Let the named quantities have these values."""
        self.values |= {attribute_name(name): value for name, value in values.items()}

    def step(self, decisions: dict[str, Span]) -> tuple[dict[str, Span], Span, bool]:
        """Reward terms, what the step adds to the objective, and whether the episode is over."""
        for v in self.program.spec.variables:
            self.values[f"{PREVIOUS}{v.name}"] = self.values[attribute_name(v.name)]
        self.put(decisions)
        self._run(self.program.step, "rule of")
        terms = {name: self._value(source) for name, source in self.program.reward_terms}
        if self.program.objective.startswith("sum(reward_terms"):
            measure = Span.between(
                sum(t.low for t in terms.values()), sum(t.high for t in terms.values())
            )
        else:
            measure = self._value(self.program.objective)
        over = self._value(self.program.termination)
        time_step = self.values["time_step"].low + 1
        self.values["time_step"] = Span.point(time_step)
        ended = over.surely
        if not ended:
            self._run(self.program.next_known, "rule of")
        return terms, measure, ended or bool(time_step >= self.program.spec.model.horizon)

    def random_decisions(self) -> dict[str, Span]:
        """Decisions drawn evenly from all that may be decided."""
        assert self.random is not None
        found = {}
        for decision in self.program.decisions:
            variable = decision.variable
            low, high = self.program.ranges[variable.name]
            assert low is not None
            assert high is not None
            shape = tuple(variable.shape)
            found[variable.name] = Span.point(
                self.random.uniform(low, high, shape)
                if variable.dtype == "real"
                else self.random.integers(int(np.ceil(low)), int(high), shape, endpoint=True)
            )
        return found

    def _run(self, statements: list[Statement], what: str) -> None:
        for statement in statements:
            interpreter = Interpreter(self.values, self.random)
            value = interpreter.value(statement.source)
            place = f"{what} {statement.targets[0]}"
            self.complaints += [
                (place, *complaint)
                for complaint in interpreter.complaints
                if (place, *complaint) not in self.complaints
            ]
            self.values[attribute_name(statement.targets[0])] = value

    def _value(self, source: str) -> Span:
        return Interpreter(self.values, self.random).value(source)
