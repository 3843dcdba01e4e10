"""Units of quantities, and what converts one into another.

Only physical units are converted. Words that count things (items, users, dollars) and words
that nobody knows are dimensionless. Decibels and per cent are *relative*: inside a formula they
stand for the ratio (or for the linear power) that they name.
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

PhysicalUnit = Any
"""A ``pint.Unit``; pint's own types do not follow its unit arithmetic."""

# Spelling -> pint's name. Deliberately closed: pint knows words such as "pole", "point" or
# "hand" as lengths, which in a description are hardly ever meant so.
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
    **{p + "bit": p + "bit" for p in ("", "k", "M", "G")},
    **{p + "bps": p + "bit/second" for p in ("", "k", "M", "G")},
    **{p + "b/s": p + "bit/second" for p in ("k", "M", "G")},
    "B": "byte", "kB": "kilobyte", "MB": "megabyte", "GB": "gigabyte", "byte": "byte",
    "megabyte": "megabyte", "gigabyte": "gigabyte", "hertz": "hertz", "megahertz": "megahertz",
    "kilohertz": "kilohertz", "watt": "watt", "kilowatt": "kilowatt", "megawatt": "megawatt",
    "milliwatt": "milliwatt", "joule": "joule", "meter": "meter", "metre": "meter",
    "kilometer": "kilometer", "kilometre": "kilometer", "cm": "centimeter", "mile": "mile",
    "sec": "second", "second": "second", "millisecond": "millisecond", "min": "minute",
    "minute": "minute", "h": "hour", "hr": "hour", "hour": "hour", "day": "day", "week": "week",
    "gram": "gram", "kilogram": "kilogram", "tonne": "tonne", "newton": "newton",
    "volt": "volt", "ampere": "ampere", "l": "liter", "L": "liter", "liter": "liter",
    "litre": "liter", "rad": "radian", "radian": "radian", "deg": "degree", "degree": "degree",
    "°": "degree", "K": "kelvin", "kelvin": "kelvin", "mph": "mile/hour",
}  # fmt: skip
_POWERS = {"²": "**2", "³": "**3", "^": "**", "⁻¹": "**-1"}
_LOGARITHMIC = re.compile(r"^\s*dB\s*(m|W|i)?\s*(?:/\s*(.+?)\s*)?$")
_LOGARITHMIC_REFERENCE = {None: "", "i": "", "m": "milliwatt", "W": "watt"}


@dataclass(frozen=True)
class Unit:
    """A unit as a quantity declares it.

    ``kind`` is 'linear', 'decibel' or 'percent'; ``linear`` is the pint unit of the linear
    value (for dBm/Hz: mW/Hz; for percent: dimensionless).
    """

    text: str
    kind: str
    linear: PhysicalUnit

    @property
    def plain_word(self) -> bool:
        """True where the text names no physical unit, only what is counted, or nothing."""
        return self.kind == "linear" and self.dimensionless

    @property
    def dimensionless(self) -> bool:
        """True where the linear value has no physical dimension."""
        return bool(self.linear.dimensionless)


@cache
def registry() -> Any:
    """Pint's unit registry, made on first use because that takes a noticeable time."""
    import pint

    return pint.UnitRegistry()


def parse_unit(text: str) -> Unit:
    """Read a unit as people write it; unknown words count as dimensionless."""
    cleaned = text.strip()
    logarithmic = _LOGARITHMIC.match(cleaned)
    if logarithmic:
        reference = _LOGARITHMIC_REFERENCE[logarithmic.group(1)]
        linear = registry().Unit(reference)
        if logarithmic.group(2):
            linear = linear / _linear_unit(logarithmic.group(2))
        return Unit(cleaned, "decibel", linear)
    if cleaned.lower() in ("%", "percent", "per cent", "pct"):
        return Unit(cleaned, "percent", registry().Unit(""))
    return Unit(cleaned, "linear", _linear_unit(cleaned))


def _linear_unit(text: str) -> PhysicalUnit:
    for written, meant in _POWERS.items():
        text = text.replace(written, meant)
    text = re.sub(r"\bper\b", "/", text)
    parts = re.findall(r"\*\*\s*-?\d+|[A-Za-zµ°]+|[/*·()]", text)
    result = registry().Unit("")
    inverted, last, factor = False, None, 1
    for part in parts:
        if part in "/*·":
            inverted = part == "/"
        elif part.startswith("**") and last is not None:
            result = result / last**factor * last ** (factor * int(part[2:]))
        elif part[0].isalpha() or part == "°":
            factor = -1 if inverted else 1
            last = registry().Unit(_spelling(part))
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
    """What a number in ``source`` is multiplied by to be in ``target``; None if impossible."""
    if source.dimensionality != target.dimensionality:
        return None
    return float(registry().Quantity(1.0, source).to(target).magnitude)


def base_unit(unit: PhysicalUnit) -> PhysicalUnit:
    """The SI unit of the same dimension."""
    return registry().Quantity(1.0, unit).to_base_units().units


def time_ratio(source: PhysicalUnit, target: PhysicalUnit) -> int:
    """1 if ``source`` is ``target`` per time, -1 the other way round, 0 otherwise."""
    ratio = dict((target / source).dimensionality)
    if set(ratio) == {"[time]"} and abs(ratio["[time]"]) == 1:
        return int(ratio["[time]"])
    return 0
