"""What a rule doubts of an answer, whatever the model thinks of it.

A doubt that is raised costs a call, and one with an open point a person's time: each rule is
written so that it says nothing where it is not sure.
"""

import ast
import re
from collections.abc import Callable, Iterator

from nodes.codegen.compile_spec import step_length_of
from nodes.codegen.expression_compiler import ExpressionCompiler
from nodes.codegen.problems import Problems
from nodes.codegen.spaces import ranges_of
from nodes.codegen.symbols import SymbolTable
from nodes.codegen.units import factor_between, parse_unit, time_ratio
from nodes.correction.numbers import Numbers, says_count_of_steps, unused
from nodes.correction.text_rules import doubt, text_doubts
from nodes.environment import ENVIRONMENT_ID
from nodes.mentions import closest, mentions_of
from nodes.modeling import fault
from nodes.sentences import sentences_of
from nodes.spec_checks.goal import sense_in_words
from nodes.written_numbers import flat, unit_behind
from state.expressions import ExpressionError, parse
from state.parameters import Parameter
from state.review import Doubt, OpenPoint, Reviewed
from state.run_state import RunState

_SMALLEST = re.compile(r"(?<![a-z])(?:min|minimum|lowest|smallest|low|lower)(?![a-z])")
_LARGEST = ("max", "maximum", "highest", "largest", "high", "upper")
_NAME = re.compile(r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b")
_WITH_A_MINUS = re.compile(r"\s*(?:minus|negative|-)", re.I)
_DIGITS = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\w)")


def rule_doubts(agent: Reviewed, state: RunState) -> list[Doubt]:
    """All that is strange about what ``agent`` answered, beside the description."""
    return list(_RULES[agent](state))


# -- parameters ------------------------------------------------------------------------------


def _parameters(state: RunState) -> Iterator[Doubt]:
    yield from text_doubts(state.told, state.parameters)
    for mention, sentence in unused(state):
        written = sentence[mention.start : mention.end].strip()
        yield doubt(written, f"no parameter uses the number {written}", sentence)
    for p in state.parameters:
        if p.assumed:
            given = f"{_written(p)} ({p.assumed})"
            point = OpenPoint(question=f"What is the {_said(p)}?", assumption=given)
            yield doubt(p.name, "the description does not give this number", ask=point)
        else:
            yield from _unit_doubts(p, state)
    yield from _crossed_limits(state.parameters)


def _unit_doubts(p: Parameter, state: RunState) -> Iterator[Doubt]:
    """The unit that stands beside the number in its sentence, where another was given."""
    sentences = sentences_of(state.told)
    own = [m for m in mentions_of(state.told) if sentences[m.sentence - 1] == p.quote]
    words = f"{p.name} {p.definition}".replace("_", " ")
    mention = closest(flat(p.value)[0], words, own, state.told)
    beside = unit_behind(mention, sentences) if mention else ""
    if beside and not _fits(p.unit, beside):
        reason = f"the description says {beside} where the answer says {p.unit or 'no unit'}"
        yield doubt(p.name, reason, p.quote)


def _fits(given: str, beside: str) -> bool:
    """True if ``given`` may stand for a number with ``beside`` written behind it."""
    singular = beside.removesuffix("s") if len(beside) > 3 else beside
    if re.search(rf"(?<!\w){re.escape(singular)}s?(?!\w)", given, re.I):
        return True
    one, other = parse_unit(given), parse_unit(beside)
    if one.plain_word or "decibel" in (one.kind, other.kind):
        return one.plain_word and other.kind == "linear" and other.linear.dimensionless
    factor = factor_between(one.linear, other.linear)
    return factor == 1.0 or (factor is None and time_ratio(one.linear, other.linear) == 1)


def _crossed_limits(parameters: list[Parameter]) -> Iterator[Doubt]:
    """A smallest value that is above the largest value of the same thing."""
    by_name = {p.name: p for p in parameters}
    for low in parameters:
        names = [_SMALLEST.sub(word, low.name) for word in _LARGEST]
        high = next((by_name[n] for n in names if n in by_name and n != low.name), None)
        if high is None or parse_unit(low.unit) != parse_unit(high.unit):
            continue
        if min(flat(low.value)) > max(flat(high.value)):
            values = f"{_written(low)} and at most {_written(high)}"
            point = OpenPoint(
                question=f"The description asks for at least {values}; which limits are meant?",
                choices=[f"from {_written(high)} to {_written(low)}"],
                assumption=f"at least {values}, as written",
            )
            reason = f"{low.name} is larger than {high.name}"
            yield doubt(low.name, reason, low.quote, point)


def _written(p: Parameter) -> str:
    return f"{p.value:g} {p.unit}".strip() if isinstance(p.value, float) else f"{p.value} {p.unit}"


def _said(p: Parameter) -> str:
    return (p.definition or p.name.replace("_", " ")).strip().rstrip(".?")


# -- words -----------------------------------------------------------------------------------


def _objective(state: RunState) -> Iterator[Doubt]:
    goal = state.objective
    if goal is not None and goal.assumed:
        point = OpenPoint(
            question="What is to be achieved over the whole episode?", assumption=goal.statement
        )
        yield doubt("sense", "no sentence of the description states the goal", ask=point)
    said, words = sense_in_words(goal) if goal is not None else ("", "")
    losses = goal is not None and _WITH_A_MINUS.match(goal.measure)
    if goal is not None and not losses and said not in ("", goal.sense):
        reason = f"the sense is {goal.sense}, and the words are “{words}”"
        yield doubt("sense", reason, goal.quote)


def _variables(state: RunState) -> Iterator[Doubt]:
    problems = Problems()
    ranges_of(state.variables, SymbolTable.of(state.parameters, state.variables), problems)
    for finding in problems.findings:
        yield doubt(finding.place.removeprefix("variable "), finding.message)
    yield from _limits_of_another_kind(state)
    numbers = Numbers.of(state)
    for v in state.variables:
        counted = v.labels or v.dtype == "boolean"
        for limit in () if counted else (v.low, v.high):
            if isinstance(limit, float) and not numbers.explain(limit):
                reason = f"the limit {limit:g} is not in the description"
                point = None
                if v.role == "decision":
                    point = OpenPoint(
                        question=f"Between which limits is the {v.definition or v.name}?",
                        assumption=f"the limit is {limit:g} {v.unit}".strip(),
                    )
                yield doubt(v.name, reason, v.quote, point)


def _limits_of_another_kind(state: RunState) -> Iterator[Doubt]:
    """A limit that is a parameter of another dimension than what it limits.

    A decision may be limited by a rate and counted in what comes of it in a step.
    """
    by_name = {p.name: p for p in state.parameters}
    for v in (v for v in state.variables if v.role != "decision"):
        own = parse_unit(v.unit)
        for limit in {str(v.low), str(v.high)} & set(by_name):
            p = by_name[limit]
            other = parse_unit(p.unit)
            if own.plain_word or other.plain_word or "decibel" in (own.kind, other.kind):
                continue
            if not v.unit or not p.unit or factor_between(own.linear, other.linear) is not None:
                continue
            point = OpenPoint(
                question=f"The {_said(p)} is given in {p.unit}, but what it limits is counted in "
                f"{v.unit}; what is meant?",
                choices=[f"{p.value} {v.unit}", f"{p.value} {p.unit}"],
                assumption=f"{p.value} {v.unit}",
            )
            yield doubt(v.name, f"{p.name} is in {p.unit}, not in {v.unit}", p.quote, point)


def _constraints(state: RunState) -> Iterator[Doubt]:
    numbers = Numbers.of(state)
    names = {p.name for p in state.parameters} | {v.name for v in state.variables}
    for c in state.constraints:
        for number in _DIGITS.findall(c.statement):
            if not numbers.explain(float(number)):
                yield doubt(c.name, f"{number} is not in the description", c.quote)
        for name in _NAME.findall(c.statement):
            if name not in names and name not in state.told:
                yield doubt(c.name, f"there is no quantity {name}", c.quote)


# -- expressions -----------------------------------------------------------------------------


def _model(state: RunState) -> Iterator[Doubt]:
    model = state.model
    if model is None:
        return
    numbers = Numbers.of(state)
    standard = bool(ENVIRONMENT_ID.search(state.told))
    if not standard and not says_count_of_steps(state.told, model.horizon):
        point = OpenPoint(
            question="How many decision steps does an episode have?",
            assumption=f"{model.horizon} steps",
        )
        reason = f"{model.horizon} steps do not follow from the description"
        yield doubt("horizon", reason, ask=point)
    if not numbers.explain(model.discount):
        yield doubt("discount", f"{model.discount:g} is not in the description")
    yield from _expression_doubts(state, "step_measure", model.step_measure, numbers)
    for c in model.constraints:
        yield from _expression_doubts(state, c.name, c.expression, numbers)


def _sar(state: RunState) -> Iterator[Doubt]:
    numbers = Numbers.of(state)
    for term in state.sar.reward if state.sar else []:
        yield from _expression_doubts(state, term.name, term.expression, numbers)


def _expression_doubts(state: RunState, item: str, text: str, numbers: Numbers) -> Iterator[Doubt]:
    """What does not resolve, does not fit in its units, or is a number out of nowhere."""
    if not text.strip():
        return
    length = step_length_of(state.model.step_length) if state.model else None
    compiler = ExpressionCompiler(SymbolTable.of(state.parameters, state.variables), length)
    wrong = fault(compiler, item, text)
    if wrong:
        yield doubt(item, wrong.removeprefix(f"{item}: "))
        return
    for remark in compiler.remarks:
        if remark.startswith("units do not fit"):
            yield doubt(item, remark)
    for number in _literals(text):
        if not numbers.explain(number):
            yield doubt(item, f"{number:g} is not in the description")


def _literals(text: str) -> list[float]:
    try:
        tree = parse(text)
    except ExpressionError:
        return []
    return [
        float(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, int | float)
        and not isinstance(node.value, bool)
    ]


_RULES: dict[Reviewed, Callable[[RunState], Iterator[Doubt]]] = {
    "parameter": _parameters,
    "objective": _objective,
    "variable": _variables,
    "constraint": _constraints,
    "modeling": _model,
    "sar": _sar,
}
