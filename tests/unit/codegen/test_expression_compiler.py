"""Compiled expressions compute what their words and units say."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.codegen.expression_compiler import ExpressionCompiler
from nodes.codegen.symbols import SymbolTable
from nodes.codegen.units import parse_unit
from state.expressions import ExpressionError
from state.parameters import Parameter
from state.variables import Variable

VALUES: dict[str, Any] = {
    "bandwidth": 10, "power": 200, "noise": -174, "distances": np.array([50.0, 100.0, 150.0]),
    "charger": 30, "loss": 5, "table": np.array([[0.5, 0.5], [0.1, 0.9]]), "limit": 7,
    "user": 1, "gain": np.array([-70.0, -90.0, -110.0]), "charge": 12.0, "valve": 1,
    "stock": np.array([3, 0, 5]), "angle": 6.0, "alarm": True, "tick": 2, "angles": 12.0,
}  # fmt: skip
UNITS = {
    "bandwidth": "MHz", "power": "mW", "noise": "dBm/Hz", "distances": "m", "charger": "kW",
    "loss": "%", "gain": "dB", "charge": "kWh", "angle": "deg",
}  # fmt: skip
PARAMETERS = ["bandwidth", "power", "noise", "distances", "charger", "loss", "table", "limit"]


def compiler(**options: Any) -> ExpressionCompiler:
    parameters = [
        Parameter(
            name=name,
            definition="",
            value=np.asarray(VALUES[name], dtype=float).tolist(),
            unit=UNITS.get(name, ""),
        )
        for name in PARAMETERS
    ]
    variables = [
        Variable(
            name=name,
            role="system",
            definition="",
            dtype="boolean" if name == "alarm" else "real" if name in UNITS else "integer",
            shape=list(np.shape(VALUES[name])),
            unit=UNITS.get(name, ""),
            labels=["open", "closed"] if name == "valve" else [],
        )
        for name in VALUES
        if name not in PARAMETERS
    ]
    table = SymbolTable.of(parameters, variables, str, str, str)
    return ExpressionCompiler(table, **options)


def value(
    text: str, unit: str | None = None, shape: tuple[int, ...] | None = None, **options: Any
) -> Any:
    """What the compiled ``text`` evaluates to; the test evaluates only what it compiled."""
    target = parse_unit(unit) if unit is not None else None
    source, _ = compiler(**options).compile(text, target, shape)
    return eval(source, {"np": np, **VALUES})


def shannon() -> float:
    signal = 0.2 * 10 ** (-90 / 10)
    noise = 10 ** ((-174 - 30) / 10) * 10e6
    return float(10e6 * np.log2(1 + signal / noise))


@pytest.mark.parametrize("unit", ["bit/s", "Mbit/s", "kbit/s"])
@pytest.mark.parametrize(
    "text",
    [
        "bandwidth * log2(1 + power * gain[user] / (noise * bandwidth))",
        "bandwidth * log2(1 + power * 10**(gain[user]/10) / (10**(noise/10) * bandwidth))",
        "bandwidth * log2(1 + (power * gain)[user] / (bandwidth * noise))",
    ],
)
def test_capacity_in_any_unit_and_however_the_gain_is_written(text: str, unit: str) -> None:
    scale = {"bit/s": 1, "kbit/s": 1e3, "Mbit/s": 1e6}[unit]
    assert value(text, unit) == pytest.approx(shannon() / scale)


def test_a_link_budget_in_decibels() -> None:
    budget = value("10*log10(power) + gain[user] - (noise + 10*log10(bandwidth))", "dB")
    assert budget == pytest.approx(23.0103 - 90 + 174 - 70, abs=1e-3)


def test_path_loss_takes_the_logarithm_of_metres() -> None:
    found = value("-30 - 35 * log10(distances)", "dB", (3,))
    assert found == pytest.approx(-30 - 35 * np.log10([50, 100, 150]))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("valve == 'closed'", True),
        ("valve != 'closed'", False),
        ("-100 <= gain[user] <= -60", True),
        ("gain[user] > -80 or stock[0] >= 3", True),
        ("not alarm", False),
        ("stock[0] + alarm", 4),
        ("(stock[0] > 1) + (stock[2] > 1)", 2),
        ("sum(stock > 0)", 2),
        ("sum(stock > 0) + any(stock == 0)", 3),
        ("max(stock)", 5),
        ("max(stock[0], limit, 2)", 7),
        ("argmax(stock)", 2),
        ("1 if stock[1] == 0 else 2", 1),
        ("clip(stock[0] - 9, 0, limit)", 0),
        ("1 - loss", 0.95),
        ("loss <= 5", True),
        ("sin(angle)", np.sin(np.deg2rad(6))),
        ("angle < 12", True),
        ("table[user][0]", 0.1),
        ("sum(table[1])", 1.0),
        ("dot(stock, distances)", 900.0),
        ("size(stock) * 2", 6),
        ("value_in(bandwidth, 'kHz')", 10_000),
        ("7 // 2 + 7 % 4", 6),
        ("2 ** 0.5", 2**0.5),
        ("round(2.6) + floor(2.6) + ceil(2.1)", 8),
    ],
)
def test_values(text: str, expected: object) -> None:
    assert value(text) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("where(stock > 2, stock, 0)", [3, 0, 5]),
        ("min(stock, 4)", [3, 0, 4]),
        ("shift(stock, 9)", [0, 5, 9]),
        ("stock + one_hot(user, size(stock))", [3, 1, 5]),
        ("where(indices(stock) == user, 7, stock)", [3, 7, 5]),
        ("one_hot(user, 3)", [False, True, False]),
        ("one_hot(2, limit - 4)", [False, False, True]),
        ("cumsum(stock)", [3, 3, 8]),
        ("concat(stock[1:], tick)", [0, 5, 2]),
        ("stock > 0 and stock < 5", [True, False, False]),
        ("[1, 2, 3] * stock", [3, 0, 15]),
    ],
)
def test_lists_work_element_by_element(text: str, expected: list[object]) -> None:
    assert list(value(text)) == expected


def test_a_label_stands_for_its_number_where_it_is_assigned() -> None:
    text = "'closed' if alarm else 'open'"
    source, typed = compiler().compile(text, None, (), ("open", "closed"))
    assert eval(source, {"np": np, **VALUES}) == 1
    assert typed.dtype == "integer"


def test_a_power_is_taken_over_one_step_to_give_an_energy() -> None:
    step = (15.0, parse_unit("minute").linear)
    assert value("charge + charger", "kWh", step_length=step) == pytest.approx(12 + 30 / 4)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gains[user]", "did you mean gain"),
        ("nothing_like_it", "neither a parameter nor a variable"),
        ("valve == 'ajar'", "no label"),
        ("'open'", "only be compared"),
        ("stock + table", "do not fit together"),
        ("stock[5]", "past the last one"),
        ("limit[0]", "cannot be indexed"),
        ("poisson(3)", "nothing may be drawn"),
        ("bandwidth * 10**((noise - 30)/10)", "converted to a linear value by itself"),
        ("value_in(power, 'MHz')", "cannot be given"),
    ],
)
def test_faults_say_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(ExpressionError, match=said):
        value(text)


def test_a_list_does_not_fit_one_number() -> None:
    with pytest.raises(ExpressionError, match="3 numbers where one number is needed"):
        value("stock", shape=())


def test_a_factor_by_hand_and_units_that_do_not_fit_are_remarked() -> None:
    by_hand = compiler()
    by_hand.compile("bandwidth * 1e6", parse_unit("bit/s"))
    assert any("drop the factor" in remark for remark in by_hand.remarks)
    apart = compiler()
    apart.compile("power + distances[0]")
    assert any("units do not fit" in remark for remark in apart.remarks)


@pytest.mark.parametrize(
    ("text", "mean", "deviation"),
    [
        ("normal(20, 4)", 20, 4),
        ("uniform(0, 10)", 5, 100 / 12 / np.sqrt(100 / 12)),
        ("uniform_integer(1, 6)", 3.5, np.sqrt(35 / 12)),
        ("poisson(limit)", 7, np.sqrt(7)),
        ("exponential(3)", 3, 3),
        ("binomial(10, 0.5)", 5, np.sqrt(2.5)),
        ("bernoulli(0.25)", 0.25, np.sqrt(0.1875)),
        ("categorical([0.5, 0.5])", 0.5, 0.5),
        ("choice([2, 4], [0.25, 0.75])", 3.5, np.sqrt(0.75)),
        ("3 + normal(0, 1)", 3, 1),
    ],
)
def test_draws_have_the_named_distribution(text: str, mean: float, deviation: float) -> None:
    source, _ = compiler(allow_random=True, generator="rng").compile(text, None, (4000,))
    sample = eval(source, {"np": np, "rng": np.random.default_rng(0), **VALUES})
    assert np.mean(sample) == pytest.approx(mean, abs=5 * deviation / np.sqrt(4000))
    assert np.std(sample) == pytest.approx(deviation, rel=0.1)


def test_a_markov_chain_follows_its_matrix() -> None:
    source, _ = compiler(allow_random=True, generator="rng").compile("markov_chain(user, table)")
    rng = np.random.default_rng(0)
    moves = [eval(source, {"np": np, "rng": rng, **VALUES}) for _ in range(500)]
    assert np.mean(moves) == pytest.approx(0.9, abs=0.06)


@given(st.text(alphabet="stockgainuser[]()+-*/ 0123<>=.,'", max_size=40))
def test_any_text_compiles_or_is_refused(text: str) -> None:
    source = refusal = ""
    try:
        source, _ = compiler().compile(text)
    except ExpressionError as error:
        refusal = str(error)
    assert bool(source) != bool(refusal)
