"""Numbers as they stand in the description, and the units beside them."""

import re

from nodes.codegen.units import factor_between, parse_unit
from nodes.mentions import Mention
from state.parameters import Value


def as_written(
    value: float, unit: str, mentions: list[Mention], sentences: list[str]
) -> Mention | None:
    """The mention that ``value`` in ``unit`` stands for, or None.

    A model may write 10 MHz as 1e7 Hz, 5 % as 0.05 or forget a sign: then the number that
    stands in the text counts, with the unit beside it, if that unit explains the difference.
    """
    for sign in (1.0, -1.0):
        for mention in mentions:
            if _close(value * sign, mention.value):
                return mention
    given = parse_unit(unit)
    for mention in mentions:
        beside = parse_unit(unit_behind(mention, sentences))
        if beside.plain_word or "decibel" in (given.kind, beside.kind):
            continue
        factor = factor_between(given.linear, beside.linear)
        if factor is not None and _close(value * factor, mention.value):
            return mention
    return None


def flat(value: Value) -> list[float]:
    """All numbers of a value."""
    if not isinstance(value, list):
        return [value]
    return [number for item in value for number in flat(item)]


def unit_behind(mention: Mention, sentences: list[str]) -> str:
    """What stands right behind a number, where that reads as a unit."""
    behind = sentences[mention.sentence - 1][mention.end :]
    match = re.match(r"\s?([A-Za-zµ°%]+(?:/[A-Za-z]+)?)(?!\w)", behind)
    word = match.group(1) if match else ""
    return word if word and not parse_unit(word).plain_word else ""


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-9 * max(abs(one), abs(other))
