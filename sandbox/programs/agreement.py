"""How much of what a function returned another one in its place returns as well.

A right change of faulty code leaves alone what was right. What was right is not known, but most
wrong changes change more: among changes in which nothing is found, the one that changes least is
the likeliest to be right (Mechtaev et al., DirectFix: looking for simple program repairs, 2015).
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from sandbox.programs.requests import DeclaredRange

MOST_SITUATIONS = 60
SLACK = 1e-6

Arguments = tuple[Any, ...]
Function = Callable[..., Any]
Returned = list[Any] | None
"""The arrays that a function returned; None where it raised something."""


class Noting:
    """A function that does what ``function`` does, and notes with what it was called.

    Its first argument, the random numbers, is left out, and so is what ``reads`` do not allow.
    """

    def __init__(self, function: Function, reads: Sequence[DeclaredRange | None] = ()) -> None:
        self.function = function
        self.situations: list[Arguments] = []
        self._reads = reads

    def __call__(self, rng: Any, *arguments: Any) -> Any:
        """What the function returns."""
        # What comes after a fault that shows is no situation that right code would meet.
        if len(self.situations) < MOST_SITUATIONS and within(arguments, self._reads):
            self.situations.append(_copies(arguments))
        return self.function(rng, *arguments)


def within(values: Sequence[Any], ranges: Sequence[DeclaredRange | None]) -> bool:
    """Whether all numbers are finite, and those with a declared range lie in it."""
    numbers = [np.asarray(value, dtype=float) for value in values]
    if not all(np.isfinite(each).all() for each in numbers):
        return False
    return all(
        (declared.low is None or np.all(each >= declared.low - SLACK))
        and (declared.high is None or np.all(each <= declared.high + SLACK))
        for each, declared in zip(numbers, ranges, strict=False)
        if declared is not None
    )


def returned(function: Function, situations: Sequence[Arguments]) -> list[Returned]:
    """What ``function`` returns in each of ``situations``, with the same random numbers."""
    return list(_returned(function, situations))


def _returned(function: Function, situations: Sequence[Arguments]) -> Iterator[Returned]:
    for number, arguments in enumerate(situations):
        try:
            told = function(np.random.default_rng(number), *_copies(arguments))
            parts = told if isinstance(told, tuple) else (told,)
            yield [np.asarray(part, dtype=float) for part in parts]
        except Exception:  # whatever generated code raises: then it returned nothing
            yield None


def alike(
    faulty: Sequence[Returned],
    other: Sequence[Returned],
    writes: Sequence[DeclaredRange | None] = (),
) -> float:
    """The share of situations in which both return the same, of those with a possible result.

    That is one of finite numbers which ``writes`` allow. 0 where the faulty function has none.
    """
    known = [
        (a, b) for a, b in zip(faulty, other, strict=True) if a is not None and within(a, writes)
    ]
    return sum(b is not None and _same(a, b) for a, b in known) / len(known) if known else 0.0


def _same(one: list[Any], other: list[Any]) -> bool:
    return len(one) == len(other) and all(
        a.shape == b.shape and np.allclose(a, b, rtol=1e-9, atol=1e-12)
        for a, b in zip(one, other, strict=True)
    )


def _copies(arguments: Arguments) -> Arguments:
    return tuple(np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments)
