"""The rules of the spec, asked of the process that holds spec_functions.py."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sandbox.programs.asking import Ask
from sandbox.programs.faults import AnswerInvalid, mapping

AT_ONCE = 250
"""Steps that are asked about in one message."""

Quantities = dict[str, Any]


@dataclass(frozen=True)
class Tables:
    """Which rules there are: names, and whether the value is drawn, by when they apply.

    ``lasting`` names what a step changes and keeps, ``observation`` what is seen, in order.
    """

    initial: dict[str, bool] = field(default_factory=dict)
    step: dict[str, bool] = field(default_factory=dict)
    next: dict[str, bool] = field(default_factory=dict)
    observation: list[str] = field(default_factory=list)
    decisions: list[str] = field(default_factory=list)
    lasting: list[str] = field(default_factory=list)

    def drawn(self, when: str) -> list[str]:
        """Names of what is drawn."""
        return [name for name, drawn in getattr(self, when).items() if drawn]


class SpecFunctions:
    """spec_functions.py, in a process of its own."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def constraints(self, quantities: Quantities) -> Quantities:
        """Whether each constraint holds for these quantities."""
        return dict(mapping(self._ask("constraints", quantities=quantities)))

    def constraints_of(self, quantities: list[Quantities]) -> list[Quantities]:
        """Whether each constraint holds after each of several steps, by name."""
        return list(self._batches("constraints_of", "quantities", quantities))

    def terms_of(self, quantities: list[Quantities]) -> list[Quantities]:
        """The terms of the reward of each of several steps, by name."""
        return list(self._batches("terms_of", "quantities", quantities))

    @cached_property
    def tables(self) -> Tables:
        """Which rules there are."""
        return Tables(**mapping(self._ask("tables")))

    def begun(self, beginnings: list[Quantities]) -> list[Quantities]:
        """First values of all that is not drawn."""
        return list(self._batches("begun", "beginnings", beginnings))

    def stepped(self, steps: list[Quantities]) -> list[Quantities]:
        """What the rules make of steps, see ``sandbox.hosts.functions.stepped``."""
        return list(self._batches("stepped", "steps", steps))

    def renewed(self, steps: list[Quantities]) -> list[Quantities]:
        """What is known before the next decision."""
        return list(self._batches("renewed", "steps", steps))

    def samples(
        self, when: str, asked: list[Quantities], count: int, seed: int
    ) -> list[Quantities]:
        """``count`` draws of each drawn quantity for each of ``asked``."""
        found = self._batches("samples", "asked", asked, when=when, count=count, seed=seed)
        return list(found)

    def _batches(
        self, what: str, name: str, items: list[Quantities], **more: Any
    ) -> Iterator[Quantities]:
        for start in range(0, len(items), AT_ONCE):
            batch = items[start : start + AT_ONCE]
            if "seed" in more:
                more["seed"] += 1
            told = self._ask(what, **{name: batch}, **more)
            if not isinstance(told, list) or len(told) != len(batch):
                raise AnswerInvalid(f"{what} does not answer for each of what was asked")
            yield from (dict(mapping(one)) for one in told)
