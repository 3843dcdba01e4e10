"""Compile a specification: resolve every name, order every rule, build every expression."""

import ast
import re
from dataclasses import dataclass, field

from nodes.codegen import units
from nodes.codegen.attributes import attribute
from nodes.codegen.expression_compiler import ExpressionCompiler
from nodes.codegen.number_words import NUMBER_WORDS
from nodes.codegen.order import CircularRulesError, Task, in_order
from nodes.codegen.problems import Problems
from nodes.codegen.program import Program, Statement
from nodes.codegen.rule_facts import RuleFacts
from nodes.codegen.spaces import action_space, observation_bounds, ranges_of
from nodes.codegen.symbols import Shape, SymbolTable
from nodes.codegen.typed import Typed
from state.dynamics import CodeBody, Rule
from state.expressions import ExpressionError, names_in, parse
from state.findings import Owner
from state.spec import Spec
from state.variables import Variable

_STEP_LENGTH = re.compile(
    rf"(\d+(?:\.\d+)?|{'|'.join(NUMBER_WORDS)})?\s*(?:an?\s+)?([A-Za-zµ]+)", re.IGNORECASE
)
_UNBOUNDED_DRAWS = ("normal", "lognormal")


def compile_spec(spec: Spec) -> tuple[Program | None, Problems]:
    """Compile ``spec``; the program is None where the problems do not let it be built."""
    problems = Problems()
    symbols = SymbolTable.of(spec.parameters, spec.variables)
    compilation = _Compilation(spec, symbols, problems)
    program = compilation.run()
    return (None if problems.findings else program), problems


def step_length_of(text: str) -> tuple[float, units.PhysicalUnit] | None:
    """Read ``'15 minutes'`` as (15.0, minute); None where there is no time in ``text``."""
    second = units.registry().Unit("second")
    for number, word in _STEP_LENGTH.findall(text):
        unit = units.parse_unit(word).linear
        if units.is_time(unit) and units.factor_between(unit, second) is not None:
            value = NUMBER_WORDS.get(number.lower()) if number and number[0].isalpha() else number
            return float(value or 1), unit
    return None


@dataclass
class _Compilation:
    spec: Spec
    symbols: SymbolTable
    problems: Problems
    facts: RuleFacts = field(init=False)

    def __post_init__(self) -> None:
        # Before the first step there is no step before: what was is what is.
        spec = self.spec
        self._at_reset = SymbolTable.of(spec.parameters, spec.variables, previous_source=attribute)
        self.facts = RuleFacts.of(self.spec, self.symbols, self.problems)

    def run(self) -> Program:
        spec, facts = self.spec, self.facts
        ranges = ranges_of(spec.variables, self.symbols, self.problems)
        self.ranges = ranges
        space, decisions = action_space(spec, ranges, self.problems)
        observation = facts.observation
        low, high = observation_bounds(spec, observation, ranges)
        reward = [
            (term.name, self._expression(term.expression, "sar", f"reward term {term.name}",
                                         spec.sar.reward_unit))
            for term in spec.sar.reward
        ]  # fmt: skip
        return Program(
            spec=spec,
            symbols=self.symbols,
            action_space=space,
            decisions=decisions,
            observation=observation,
            observation_low=low,
            observation_high=high,
            reset=self._reset(),
            step=self._step(),
            next_known=self._next_known(),
            reward_terms=reward,
            objective=self._measure(),
            termination=self._condition(spec.dynamics.termination, "environment", "termination"),
            previous=facts.previous_used(),
            quantities=facts.quantities,
            bodies=list(spec.dynamics.bodies),
            ranges={name: ranges[name] for name in facts.quantities if name in ranges},
        )

    # -- statements ----------------------------------------------------------------------------

    def _reset(self) -> list[Statement]:
        tasks: dict[Task, list[Statement]] = {}
        within, self.symbols = self.symbols, self._at_reset
        for rule in self.facts.rules.values():
            text = self.facts.initial_text(rule)
            if text is None:
                continue
            needs = self._variables_in(text, previous=True) - {rule.variable}
            tasks[Task((rule.variable,), frozenset(needs))] = [
                self._assignment(rule, text, f"initial value of {rule.variable}")
            ]
        for body in self.facts.bodies("reset"):
            task = Task(tuple(body.writes), frozenset(set(body.reads) - set(body.writes)))
            tasks[task] = [self._call_of(body.name), *self._casts(body)]
        self.symbols = within
        return self._ordered(tasks, "the initial values")

    def _step(self) -> list[Statement]:
        tasks: dict[Task, list[Statement]] = {}
        revealed = [r for r in self.facts.rules.values() if r.kind == "revealed_after_decision"]
        listed = [r for r in self.facts.rules.values() if r.kind in ("computed", "updated")]
        within_step = self.facts.within_step()
        updated: set[str] = set()
        hints: dict[str, frozenset[str]] = {}
        for rule in [*revealed, *listed]:
            named = self._variables_in(rule.expression) - {rule.variable}
            task = Task((rule.variable,), frozenset(named & within_step))
            tasks[task] = [self._assignment(rule, rule.expression, f"rule of {rule.variable}")]
            # A plain name whose own rule stands above means its new value.
            hints[rule.variable] = frozenset(named & updated)
            if rule.kind == "updated":
                updated.add(rule.variable)
        for body in self.facts.bodies("step"):
            needs = set(body.reads) & within_step - set(body.writes)
            task = Task(tuple(body.writes), frozenset(needs))
            tasks[task] = [self._call_of(body.name), *self._casts(body)]
        steps = self._ordered(tasks, "the rules of a step", hints)
        return [*self._corrections(), *steps]

    def _corrections(self) -> list[Statement]:
        corrections = self.facts.corrections
        tasks = {}
        for name, rule in corrections.items():
            needs = (self._variables_in(rule.expression) & set(corrections)) - {name}
            tasks[Task((name,), frozenset(needs))] = [
                self._assignment(rule, rule.expression, f"rule of {name}")
            ]
        return self._ordered(tasks, "the corrections of impossible choices")

    def _next_known(self) -> list[Statement]:
        tasks: dict[Task, list[Statement]] = {}
        known = self.facts.known_before()
        for rule in known.values():
            needs = self._variables_in(rule.expression) & set(known) - {rule.variable}
            tasks[Task((rule.variable,), frozenset(needs))] = [
                self._assignment(rule, rule.expression, f"rule of {rule.variable}")
            ]
        return self._ordered(tasks, "what is known before the next decision")

    def _ordered(
        self,
        tasks: dict[Task, list[Statement]],
        what: str,
        hints: dict[str, frozenset[str]] | None = None,
    ) -> list[Statement]:
        """Statements in an order that has all values; ``hints`` hold where they can."""
        hinted = {
            Task(t.writes, t.needs.union(*((hints or {}).get(n, ()) for n in t.writes))): t
            for t in tasks
        }
        try:
            order = [hinted[task] for task in in_order(list(hinted))]
        except CircularRulesError:
            try:
                order = in_order(list(tasks))
            except CircularRulesError as error:
                self.problems.add("environment", what, f"{what}: {error}")
                return []
        return [statement for task in order for statement in tasks[task]]

    def _assignment(self, rule: Rule, text: str, place: str) -> Statement:
        variable = self.spec.variable(rule.variable)
        if variable is None:
            return Statement((rule.variable,), "0.0")
        shape = tuple(variable.shape)
        source = self._expression(
            text,
            "environment",
            place,
            variable.unit,
            shape=shape,
            allow_random=True,
            labels=tuple(variable.labels),
        )
        typed = self._last
        if typed is not None:
            source = self._within_range(source, text, variable)
            source = cast(source, typed, variable)
        comment = " ".join(text.split())
        return Statement((rule.variable,), source, comment if len(comment) <= 90 else "")

    def _within_range(self, source: str, text: str, variable: Variable) -> str:
        """Draws without bounds are held within the declared range, as its declaration says."""
        tree = parse(text)
        drawn = {
            n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call)
            and isinstance(n.func, ast.Name)
        }  # fmt: skip
        low, high = self.ranges[variable.name]
        if not drawn & set(_UNBOUNDED_DRAWS) or "clip" in drawn or (low is None and high is None):
            return source
        low_text, high_text = ("None" if b is None else repr(b) for b in (low, high))
        return f"np.clip({source}, {low_text}, {high_text})"

    def _call_of(self, name: str) -> Statement:
        body = next(b for b in self.spec.dynamics.bodies if b.name == name)
        # Copies: a body may change its arguments without changing what they are copies of.
        arguments = ["self.np_random", *(f"np.copy({source})" if shape else source
                     for source, shape in self._read_by(body))]  # fmt: skip
        return Statement(tuple(body.writes), f"{name}({', '.join(arguments)})")

    def _read_by(self, body: CodeBody) -> list[tuple[str, Shape]]:
        known = [self.symbols[name] for name in body.reads if name in self.symbols]
        return [(symbol.source, symbol.shape) for symbol in known]

    def _casts(self, body: CodeBody) -> list[Statement]:
        """What a body returns is held to the declared kind of number and shape."""
        found = []
        for name in body.writes:
            variable = self.spec.variable(name)
            if variable is not None:
                found.append(Statement((name,), cast_value(self.symbols[name].source, variable)))
        return found

    # -- expressions ---------------------------------------------------------------------------

    def _variables_in(self, text: str, *, previous: bool = False) -> set[str]:
        """Variables that ``text`` names; with ``previous`` also those it names as previous_x."""
        try:
            names = names_in(parse(text))
        except ExpressionError:
            return set()
        if previous:
            names = [name.removeprefix("previous_") for name in names]
        return {n for n in names if self.spec.variable(n) is not None}

    def _compiler(self, allow_random: bool) -> ExpressionCompiler:
        return ExpressionCompiler(
            self.symbols,
            step_length=step_length_of(self.spec.model.step_length),
            allow_random=allow_random,
        )

    def _expression(
        self,
        text: str,
        owner: Owner,
        place: str,
        unit: str,
        *,
        shape: Shape = (),
        allow_random: bool = False,
        labels: tuple[str, ...] = (),
    ) -> str:
        self._last: Typed | None = None
        compiler = self._compiler(allow_random)
        try:
            source, self._last = compiler.compile(text, units.parse_unit(unit), shape, labels)
        except ExpressionError as error:
            self.problems.add(owner, place, f"{place}: {error}")
            return "0.0"
        for remark in compiler.remarks:
            self.problems.remark(place, remark)
        return source

    def _measure(self) -> str:
        """What a step adds to the objective; the reward itself where nothing else is said."""
        model = self.spec.model
        if not model.step_measure.strip():
            return "sum(reward_terms.values())"
        unit = self.spec.sar.reward_unit
        return self._expression(model.step_measure, "modeling", "step_measure", unit)

    def _condition(self, text: str, owner: Owner, place: str) -> str:
        if not text.strip():
            return "False"
        source = self._expression(text, owner, place, "")
        typed = self._last
        return source if typed is None or typed.dtype == "boolean" else f"{source} != 0"


def cast(source: str, typed: Typed, variable: Variable) -> str:
    """``source`` as the kind of number and the shape that ``variable`` declares."""
    shape = tuple(variable.shape)
    if variable.dtype == "integer" and typed.dtype == "real":
        source = f"np.rint({source})"
    kind = {"integer": "int", "real": "float", "boolean": "bool"}[variable.dtype]
    if not shape:
        return f"{kind}({source})"
    if typed.shape == shape:
        return f"np.array({source}, dtype={kind})"
    return f"np.full({shape if len(shape) > 1 else shape[0]}, {source}, dtype={kind})"


def cast_value(source: str, variable: Variable) -> str:
    """``source``, whatever a code body gave, as the declared kind of number and shape."""
    kind = {"integer": "int", "real": "float", "boolean": "bool"}[variable.dtype]
    if not variable.shape:
        return f"{kind}({source})"
    return f"np.asarray({source}, dtype={kind}).reshape({tuple(variable.shape)})"
