"""Arithmetic with spans: what a value may be, from the least to the most, element by element."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Span:
    """Everything between ``low`` and ``high``, arrays of one shape; conditions lie in 0..1."""

    low: Numbers
    high: Numbers

    @classmethod
    def point(cls, value: Any) -> "Span":
        """A value that is known."""
        known = np.asarray(value, dtype=np.float64)
        return cls(known, known)

    @classmethod
    def between(cls, low: Any, high: Any) -> "Span":
        """From ``low`` to ``high``, brought to one shape."""
        ends = np.broadcast_arrays(
            np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
        )
        return cls(ends[0], ends[1])

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the value."""
        return self.low.shape

    @property
    def known(self) -> bool:
        """True where only one value is possible."""
        return bool(np.array_equal(self.low, self.high))

    @property
    def least(self) -> float:
        """The least that any element may be."""
        return float(np.min(self.low))

    @property
    def most(self) -> float:
        """The most that any element may be."""
        return float(np.max(self.high))

    @property
    def surely(self) -> bool:
        """As a condition: true in all elements, whatever the values are."""
        return bool(np.all(self.low > 0))

    @property
    def never(self) -> bool:
        """As a condition: false in some element, whatever the values are."""
        return bool(np.any(self.high <= 0))

    def hull(self, other: "Span") -> "Span":
        """Whatever is in either."""
        return Span.between(np.minimum(self.low, other.low), np.maximum(self.high, other.high))

    def reshaped(self, change: Callable[[Numbers], Any]) -> "Span":
        """Both ends taken through ``change``, which only moves elements or grows with each."""
        return Span(np.asarray(change(self.low), float), np.asarray(change(self.high), float))


def _corners(one: Span, other: Span, operation: Callable[[Numbers, Numbers], Any]) -> Span:
    with np.errstate(all="ignore"):
        found = [
            np.nan_to_num(operation(a, b), nan=0.0, posinf=np.inf, neginf=-np.inf)
            for a in (one.low, one.high)
            for b in (other.low, other.high)
        ]
    return Span.between(np.minimum.reduce(found), np.maximum.reduce(found))


def add(one: Span, other: Span) -> Span:
    """Sum."""
    return Span.between(one.low + other.low, one.high + other.high)


def negative(one: Span) -> Span:
    """Minus a value."""
    return Span(-one.high, -one.low)


def subtract(one: Span, other: Span) -> Span:
    """Difference."""
    return Span.between(one.low - other.high, one.high - other.low)


def multiply(one: Span, other: Span) -> Span:
    """Product; nothing times anything, be it unlimited, is nothing."""
    return _corners(one, other, np.multiply)


def divide(one: Span, other: Span) -> Span:
    """Quotient; unlimited where the divisor may be zero."""
    crosses = (other.low <= 0) & (other.high >= 0)
    result = _corners(one, other, np.divide)
    if not np.any(crosses):
        return result
    shape = result.shape
    wide = np.broadcast_to(crosses, shape)
    positive = np.broadcast_to((other.low >= 0) & (one.low >= 0), shape)
    low = np.where(wide, np.where(positive, 0.0, -math.inf), result.low)
    return Span.between(low, np.where(wide, math.inf, result.high))


def floor_divide(one: Span, other: Span) -> Span:
    """Whole part of the quotient."""
    return divide(one, other).reshaped(np.floor)


def remainder(one: Span, other: Span) -> Span:
    """What a division leaves, for divisors above zero."""
    if one.known and other.known:
        return Span.point(np.mod(one.low, other.low))
    largest = np.maximum(np.abs(other.low), np.abs(other.high))
    return Span.between(np.where(other.low < 0, -largest, 0.0 * one.low), largest)


def power(one: Span, other: Span) -> Span:
    """``one ** other``."""
    if (one.known and other.known) or np.all(one.low >= 0):
        return _corners(one, other, np.power)
    if other.known and np.all(other.low == np.floor(other.low)):
        result = _corners(one, other, np.power)
        even = np.mod(other.low, 2) == 0
        crosses = (one.low < 0) & (one.high > 0)
        return Span.between(np.where(even & crosses, 0.0, result.low), result.high)
    return Span.between(np.full(np.broadcast(one.low, other.low).shape, -math.inf), math.inf)


def compare(one: Span, operator: str, other: Span) -> Span:
    """A condition: ``operator`` is the class name of Python's syntax tree (Lt, LtE, ...)."""
    if operator in ("Gt", "GtE"):
        return compare(other, {"Gt": "Lt", "GtE": "LtE"}[operator], one)
    if operator == "Lt":
        return Span.between(one.high < other.low, one.low < other.high)
    if operator == "LtE":
        return Span.between(one.high <= other.low, one.low <= other.high)
    meet = (one.low <= other.high) & (other.low <= one.high)
    same = (one.low == one.high) & (other.low == other.high) & (one.low == other.low)
    if operator == "Eq":
        return Span.between(same, meet)
    return Span.between(~meet, ~same)


def choose(test: Span, yes: Span, no: Span) -> Span:
    """``yes`` where the condition holds, ``no`` where not, and either where that is open."""
    truth, falsity = test.low > 0, test.high <= 0
    either = yes.hull(no)
    low = np.where(truth, yes.low, np.where(falsity, no.low, either.low))
    high = np.where(truth, yes.high, np.where(falsity, no.high, either.high))
    return Span.between(low, high)


def absolute(one: Span) -> Span:
    """Size of a value."""
    low, high = np.abs(one.low), np.abs(one.high)
    crosses = (one.low < 0) & (one.high > 0)
    return Span.between(np.where(crosses, 0.0, np.minimum(low, high)), np.maximum(low, high))


def growing(function: Callable[[Numbers], Any]) -> Callable[[Span], Span]:
    """A function of one number that never falls."""

    def of(one: Span) -> Span:
        with np.errstate(all="ignore"):
            low, high = function(one.low), function(one.high)
        return Span.between(
            np.where(np.isnan(low), -math.inf, low), np.where(np.isnan(high), math.inf, high)
        )

    return of


def within(function: Callable[[Numbers], Any], low: float, high: float) -> Callable[[Span], Span]:
    """A function of one number of which only the limits are used unless the number is known."""

    def of(one: Span) -> Span:
        if one.known:
            with np.errstate(all="ignore"):
                return Span.point(function(one.low))
        return Span.between(np.full(one.shape, low), high)

    return of


def logical_and(one: Span, other: Span) -> Span:
    """Both conditions."""
    return Span.between(np.minimum(one.low, other.low), np.minimum(one.high, other.high))


def logical_or(one: Span, other: Span) -> Span:
    """Either condition."""
    return Span.between(np.maximum(one.low, other.low), np.maximum(one.high, other.high))


def logical_not(one: Span) -> Span:
    """The opposite condition."""
    return Span.between(one.high <= 0, one.low <= 0)


def truth(one: Span) -> Span:
    """A number as a condition: whether it differs from zero."""
    return compare(one, "NotEq", Span.point(0.0))
