"""The states that have been found so far, and what follows from those gone through."""

from dataclasses import dataclass, field
from typing import Any

from sandbox.training.futures import Futures
from sandbox.training.stepping import Arrival

# Up to here one state is told from another by its attributes even if many look the same.
_FEW_STATES = 5_000
_MANY_LOOK_ALIKE = 8


class TooManyStates(Exception):
    """More states than the caller wants to go through."""


@dataclass
class FoundStates:
    """States in the order in which they are found; a state is what matters and what is seen.

    Attributes:
        futures: what tells states apart; None where their attributes do.
        numbers: of the states, under their keys.
        states: attributes of one of those that count as this state.
        depths: the fewest steps that lead there.
        looks: numbers of what is seen, and of its time step where that matters.
        look_of: what is seen in each state.
        rewards: expected reward of each state and action, ordered by state.
        rows: the probability of each successor, -1 for the end, in the same order.
    """

    futures: Futures | None
    numbers: dict[tuple[Any, ...], int] = field(default_factory=dict)
    states: list[tuple[Any, ...]] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    looks: dict[tuple[int, bytes], int] = field(default_factory=dict)
    look_of: list[int] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    rows: list[dict[int, float]] = field(default_factory=list)

    def key(self, arrival: Arrival) -> tuple[Any, ...]:
        """What tells this state from others."""
        matters = self.futures.key(arrival) if self.futures else arrival.state
        return matters, arrival.time, arrival.seen

    def number(self, arrival: Arrival, depth: int) -> int:
        """The number of the state arrived in, a new one if it was not met before."""
        state = self.key(arrival)
        found = self.numbers.get(state)
        if found is None:
            found = self.numbers[state] = len(self.numbers)
            look = (arrival.time, arrival.seen)
            self.look_of.append(self.looks.setdefault(look, len(self.looks)))
            self.states.append(arrival.state)
            self.depths.append(depth)
            if not self.futures:
                self._check_looks()
        return found

    def _check_looks(self) -> None:
        states, looks = len(self.states), len(self.looks)
        if states > _FEW_STATES and states > _MANY_LOOK_ALIKE * looks:
            raise TooManyStates(f"more than {_FEW_STATES} states show only {looks} observations")
