"""Spans hold whatever the compiled expression may give, and the value itself where it is known."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.codegen.expression_compiler import ExpressionCompiler
from nodes.codegen.symbols import SymbolTable
from nodes.spec_checks.interpreter import Interpreter, NotReadableError
from nodes.spec_checks.spans import Span
from state.variables import Variable

NAMES = ["x", "y", "v"]
VARIABLES = [
    Variable(name=name, role="system", definition=name, dtype="real", shape=shape)
    for name, shape in (("x", []), ("y", []), ("v", [3]))
]
NUMBERS = st.floats(-50, 50, allow_nan=False).map(lambda x: round(x, 3))


def expressions() -> st.SearchStrategy[str]:
    leaves = st.sampled_from(["x", "y", "sum(v)", "v[1]", "max(v)", "2", "0.5", "3"])
    return st.recursive(leaves, _larger, max_leaves=8)


def _larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(inner, inner)
    return st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        pair.map(lambda t: f"min({t[0]}, {t[1]})"),
        pair.map(lambda t: f"max({t[0]}, {t[1]})"),
        pair.map(lambda t: f"({t[0]} if {t[0]} > {t[1]} else {t[1]})"),
        pair.map(lambda t: f"(({t[0]} <= {t[1]}) * 2)"),
        pair.map(lambda t: f"sum(where(v > {t[0]}, v, {t[1]}))"),
        inner.map(lambda t: f"abs({t})"),
        inner.map(lambda t: f"floor({t})"),
        inner.map(lambda t: f"({t}) ** 2"),
        inner.map(lambda t: f"clip({t}, -1, 4)"),
        inner.map(lambda t: f"tanh({t})"),
        inner.map(lambda t: f"v[argmax(v + {t})]"),
    )


def compiled(text: str) -> str:
    return ExpressionCompiler(SymbolTable.of([], VARIABLES)).compile(text)[0]


def run(source: str, values: dict[str, Any]) -> float:
    """The compiler's own source, run as the generated code runs it."""
    with np.errstate(all="ignore"):
        return float(eval(source, {"np": np, "self": SimpleNamespace(**values)}))


@given(
    text=expressions(),
    ends=st.lists(st.tuples(NUMBERS, NUMBERS), min_size=5, max_size=5),
    where=st.lists(st.floats(0, 1), min_size=5, max_size=5),
)
def test_a_span_holds_every_value(
    text: str, ends: list[tuple[float, float]], where: list[float]
) -> None:
    low = np.array([min(pair) for pair in ends])
    high = np.array([max(pair) for pair in ends])
    inside = low + (high - low) * np.array(where)
    spans = {"x": Span.between(low[0], high[0]), "y": Span.between(low[1], high[1]),
             "v": Span.between(low[2:], high[2:])}  # fmt: skip
    source = compiled(text)
    try:
        value = run(source, {"x": inside[0], "y": inside[1], "v": inside[2:]})
    except ZeroDivisionError:
        return
    if not math.isfinite(value):
        return
    span = Interpreter(spans).value(source)
    slack = 1e-6 * max(1.0, abs(value))
    assert span.least - slack <= value <= span.most + slack


@given(text=expressions(), at=st.lists(NUMBERS, min_size=5, max_size=5))
def test_what_is_known_comes_out_as_when_run(text: str, at: list[float]) -> None:
    values = {"x": np.float64(at[0]), "y": np.float64(at[1]), "v": np.array(at[2:])}
    source = compiled(text)
    expected = run(source, values)
    found = Interpreter({name: Span.point(value) for name, value in values.items()}).value(source)
    if math.isfinite(expected) and found.known:
        assert found.least == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("draw", "low", "high"),
    [
        ("self.np_random.uniform(2, 5)", 2, 5),
        ("self.np_random.integers(2, 5, endpoint=True)", 2, 5),
        ("self.np_random.binomial(7, 0.3)", 0, 7),
        ("self.np_random.poisson(4)", 0, math.inf),
        ("self.np_random.normal(0, 1)", -math.inf, math.inf),
        ("self.np_random.choice(3, p=np.array([0.2, 0.3, 0.5]))", 0, 2),
        ("np.clip(self.np_random.normal(0, 1), -3.0, None)", -3, math.inf),
    ],
)
def test_a_draw_stands_for_all_it_may_give(draw: str, low: float, high: float) -> None:
    span = Interpreter({}).value(draw)
    assert (span.least, span.most) == (low, high)
    drawn = Interpreter({}, np.random.default_rng(1)).value(draw)
    assert drawn.known
    assert low <= drawn.least <= high


@pytest.mark.parametrize(
    "draw",
    [
        "self.np_random.binomial(1, 1.2)",
        "self.np_random.choice(2, p=np.array([0.5, 0.6]))",
        "self.np_random.normal(0, -1)",
        "self.np_random.integers(5, 2, endpoint=True)",
    ],
)
def test_a_draw_that_cannot_be_is_complained_of(draw: str) -> None:
    interpreter = Interpreter({})
    interpreter.value(draw)
    assert len(interpreter.complaints) == 1


def test_anything_else_is_not_read() -> None:
    with pytest.raises(NotReadableError):
        Interpreter({}).value("open('x')")
    with pytest.raises(NotReadableError):
        Interpreter({}).value("self.unknown + 1")
