"""Units of quantities, and what converts one into another.

Only physical units are converted. Words that count things (items, users, dollars) and words
that nobody knows are dimensionless. Decibels and per cent are *relative*: inside a formula they
stand for the ratio (or for the linear power) that they name.
"""

import math
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

PhysicalUnit = Any
"""A ``pint.Unit``; pint's own types do not follow its unit arithmetic."""

# Spelling -> pint's name. Deliberately closed: pint knows words such as "pole", "point" or
# "hand" as lengths, which in a description are hardly ever meant so.
_PREFIX = {"": "", "k": "kilo", "M": "mega", "G": "giga"}
_WORDS = {
    **{p + "Hz": p + "hertz" for p in ("", "k", "M", "G")},
    **{p + "W": p + "watt" for p in ("n", "u", "µ", "m", "", "k", "M", "G")},
    **{p + "J": p + "joule" for p in ("m", "", "k", "M", "G")},
    **{p + "Wh": p + "watt_hour" for p in ("m", "", "k", "M", "G")},
    **{p + "m": p + "meter" for p in ("n", "u", "µ", "m", "c", "", "k")},
    **{p + "s": p + "second" for p in ("n", "u", "µ", "m", "")},
    **{p + "g": p + "gram" for p in ("m", "", "k")},
    **{p + "N": p + "newton" for p in ("", "k")},
    **{p + "V": p + "volt" for p in ("m", "", "k")},
    **{p + "A": p + "ampere" for p in ("m", "")},
    **{p + "Ah": p + "ampere_hour" for p in ("m", "")},
    **{p + "Pa": p + "pascal" for p in ("", "k", "M")},
    **{p + "bit": _PREFIX[p] + "data_bit" for p in ("", "k", "M", "G")},
    **{p + "bps": _PREFIX[p] + "data_bit/second" for p in ("", "k", "M", "G")},
    **{p + "b/s": _PREFIX[p] + "data_bit/second" for p in ("k", "M", "G")},
    "B": "data_byte", "kB": "kilodata_byte", "MB": "megadata_byte", "GB": "gigadata_byte",
    "byte": "data_byte", "megabyte": "megadata_byte", "gigabyte": "gigadata_byte",
    "hertz": "hertz", "megahertz": "megahertz", "kilohertz": "kilohertz",
    "watt": "watt", "kilowatt": "kilowatt", "megawatt": "megawatt",
    "milliwatt": "milliwatt", "joule": "joule", "meter": "meter", "metre": "meter",
    "kilometer": "kilometer", "kilometre": "kilometer", "cm": "centimeter", "mile": "mile",
    "sec": "second", "second": "second", "millisecond": "millisecond", "min": "minute",
    "minute": "minute", "h": "hour", "hr": "hour", "hour": "hour", "day": "day", "week": "week",
    "gram": "gram", "kilogram": "kilogram", "tonne": "tonne", "newton": "newton",
    "volt": "volt", "ampere": "ampere", "l": "liter", "L": "liter", "liter": "liter",
    "litre": "liter", "rad": "plane_radian", "radian": "plane_radian", "deg": "plane_degree",
    "degree": "plane_degree",
    "°": "plane_degree", "K": "kelvin", "kelvin": "kelvin", "mph": "mile/hour",
    "kmh": "kilometer/hour", "mL": "milliliter", "ml": "milliliter", "dL": "deciliter",
    "hrs": "hour", "mins": "minute", "secs": "second", "month": "month", "year": "year",
    "yr": "year", "TWh": "terawatt_hour", "ft": "foot", "lb": "pound", "bar": "bar",
    "%": "percent", "percent": "percent", "percentage": "percent", "pct": "percent",
}  # fmt: skip
# What pint itself writes for a unit that was worked out is read again.
_WORDS |= {name: name for name in list(_WORDS.values()) if "/" not in name}
_POWERS = {"²": "**2", "³": "**3", "^": "**", "⁻¹": "**-1", "⁻²": "**-2"}
_LOGARITHMIC = re.compile(r"^\s*dB\s*(?:(m|W)\s*(?:/\s*([kMG]?Hz))?|i)?\s*$")
_LOGARITHMIC_REFERENCE = {None: "", "m": "milliwatt", "W": "watt"}
_TEMPERATURE = re.compile(
    r"°\s*[CF]\b|\bdeg(?:ree)?s?\.?\s*(?:C|F|celsius|fahrenheit)\b|celsius", re.I
)
HIGHEST_POWER = 9.0
_NUMBER_PER = re.compile(r"(?:/|\bper\b)\s*(?!1\b)\d")


@dataclass(frozen=True)
class Unit:
    """A unit as a quantity declares it.

    ``kind`` is 'linear' or 'decibel'; ``linear`` is the pint unit of the linear value (for
    dBm/Hz: mW/Hz). Per cent, bits and angles are linear units of their own.
    """

    text: str
    kind: str
    linear: PhysicalUnit

    @property
    def plain_word(self) -> bool:
        """True where the text names no physical unit, only what is counted, or nothing."""
        return self.kind == "linear" and self.linear == registry().Unit("")

    @property
    def dimensionless(self) -> bool:
        """True where the linear value has no physical dimension."""
        return bool(self.linear.dimensionless)


@cache
def registry() -> Any:
    """Pint's unit registry, made on first use because that takes a noticeable time."""
    import pint

    units: Any = pint.UnitRegistry()
    # Pint counts bits and radians as pure numbers; then 3 MB would be 24e6 and 90 degrees 1.57
    # as soon as they are multiplied with anything.
    units.define("plane_radian = [angle]")
    units.define(f"plane_degree = {math.pi / 180} * plane_radian")
    units.define("data_bit = [information]")
    units.define("data_byte = 8 * data_bit")
    return units


def parse_unit(text: str) -> Unit:
    """Read a unit as people write it; unknown words count as dimensionless."""
    cleaned = text.strip()
    logarithmic = _LOGARITHMIC.match(cleaned)
    if logarithmic:
        linear = registry().Unit(_LOGARITHMIC_REFERENCE[logarithmic.group(1)])
        if logarithmic.group(2):
            linear = linear / _linear_unit(logarithmic.group(2))
        return Unit(cleaned, "decibel", linear)
    return Unit(cleaned, "linear", _linear_unit(cleaned))


def _linear_unit(text: str) -> PhysicalUnit:
    none = registry().Unit("")
    if _NUMBER_PER.search(text) or re.match(r"\s*dB", text):
        # An amount per 15 minutes, or decibels per length: no unit that a factor could undo.
        return none
    text = _TEMPERATURE.sub(" ", text)
    for written, meant in _POWERS.items():
        text = text.replace(written, meant)
    text = re.sub(r"\bper\b", "/", text)
    text = re.sub(r"(?<![A-Za-z*])([A-Za-zµ]{1,3})(-?\d)(?!\d)", r"\1**\2", text)
    parts = re.findall(r"\*\*\s*-?\d+(?:\.\d+)?|[A-Za-zµ°%_]+|[/*·()]", text)
    words = [part for part in parts if re.match(r"[A-Za-zµ°%]", part)]
    counting = any(len(word) > 2 and not _spelling(word) for word in words)
    result, last, factor = none, None, 1
    inverted, grouped = False, False
    for part in parts:
        if part == "(":
            grouped = True
        elif part == ")":
            grouped = inverted = False
        elif part in "/*·":
            inverted = part == "/" or (inverted and grouped)
        elif part.startswith("**"):
            if last is not None:
                power = max(-HIGHEST_POWER, min(float(part[2:]), HIGHEST_POWER))
                result = result / last**factor * last ** (factor * power)
        else:
            factor = -1 if inverted else 1
            # Beside words that count, a single letter is a name (items A), no unit.
            last = registry().Unit("" if counting and len(part) == 1 and part != "%" and not
                                   inverted else _spelling(part))  # fmt: skip
            result = result * last**factor
    return result


def _spelling(word: str) -> str:
    if word in _WORDS:
        return _WORDS[word]
    lower = word.lower()
    for candidate in (lower, lower.removesuffix("s")):
        if candidate in _WORDS and len(candidate) > 2:
            return _WORDS[candidate]
    singular = word.removesuffix("s")
    return _WORDS[singular] if singular in _WORDS and len(singular) > 2 else ""


def factor_between(source: PhysicalUnit, target: PhysicalUnit) -> float | None:
    """What a number in ``source`` is multiplied by to be in ``target``; None if impossible.

    Where only one of them speaks of bits or of an angle, a bit and a radian count as one:
    a bandwidth in MHz times bits is a rate in Mbit/s.
    """
    here, there = dict(source.dimensionality), dict(target.dimensionality)
    if here != there:
        for bare in ("[information]", "[angle]"):
            here.pop(bare, None)
            there.pop(bare, None)
        if here != there or not here:
            return None
    return _to_base(source) / _to_base(target)


def _to_base(unit: PhysicalUnit) -> float:
    return float(registry().Quantity(1.0, unit).to_base_units().magnitude)


def percent() -> PhysicalUnit:
    """Hundredths."""
    return registry().Unit("percent")


def base_unit(unit: PhysicalUnit) -> PhysicalUnit:
    """The SI unit of the same dimension."""
    return registry().Quantity(1.0, unit).to_base_units().units


def is_time(unit: PhysicalUnit) -> bool:
    """True for a duration."""
    return dict(unit.dimensionality) == {"[time]": 1}


def time_ratio(source: PhysicalUnit, target: PhysicalUnit) -> int:
    """1 if ``source`` is ``target`` per time, -1 the other way round, 0 otherwise.

    A pure number and a duration are neither: three of something are not three hours.
    """
    ratio = dict((target / source).dimensionality)
    for bare in ("[information]", "[angle]"):
        ratio.pop(bare, None)
    if set(ratio) != {"[time]"} or abs(ratio["[time]"]) != 1:
        return 0
    return 0 if is_time(source) or is_time(target) else int(ratio["[time]"])
