"""Units: physical ones convert, words that count do not, decibels keep their reference."""

import math

import pytest

from nodes.codegen.units import factor_between, parse_unit, registry, time_ratio


@pytest.mark.parametrize(
    ("source", "target", "factor"),
    [
        ("MHz", "Mbit/s", 1.0),
        ("MHz", "bit/s", 1e6),
        ("kWh", "J", 3.6e6),
        ("km/h", "m/s", 1 / 3.6),
        ("minutes", "hours", 1 / 60),
        ("mW", "W", 1e-3),
        ("Mbps", "kbit/s", 1e3),
        ("m s^-2", "m/s²", 1.0),
        ("degrees", "rad", math.pi / 180),
        ("customers per hour", "1/day", 24.0),
    ],
)
def test_factor_between_units(source: str, target: str, factor: float) -> None:
    found = factor_between(parse_unit(source).linear, parse_unit(target).linear)
    assert found == pytest.approx(factor)


@pytest.mark.parametrize(
    "word", ["items", "users", "euro", "points", "cells", "hands", "poles", ""]
)
def test_words_that_count_have_no_dimension(word: str) -> None:
    assert parse_unit(word).dimensionless
    assert parse_unit(word).kind == "linear"


@pytest.mark.parametrize(
    ("text", "linear"), [("dBm/Hz", "mW/Hz"), ("dBm", "mW"), ("dB", ""), ("dBW", "W"), ("dBi", "")]
)
def test_decibels_keep_their_reference(text: str, linear: str) -> None:
    unit = parse_unit(text)
    assert unit.kind == "decibel"
    assert factor_between(unit.linear, parse_unit(linear).linear) == pytest.approx(1.0)


def test_dbm_agrees_with_pint() -> None:
    pint_value = registry().Quantity(-30.0, "dBm").to("mW").magnitude
    assert pytest.approx(pint_value) == 10 ** (-30.0 / 10)


def test_a_rate_is_told_from_an_amount() -> None:
    power, energy = parse_unit("kW").linear, parse_unit("kWh").linear
    assert time_ratio(power, energy) == 1
    assert time_ratio(energy, power) == -1
    assert time_ratio(energy, energy) == 0
