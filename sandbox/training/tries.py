"""What followed each action after each observation, as far as it was tried."""

from dataclasses import dataclass

from sandbox.training.watched_attributes import Snapshot

# After so many states with one and the same outcome, what is hidden is taken not to matter.
_ALIKE = 30

Followers = dict[int, float]


class Tries:
    """What followed one action after one observation."""

    def __init__(self) -> None:
        self.reward = 0.0
        self.count = 0
        self.followers: Followers = {}
        self.many_outcomes = False
        self.last: tuple[float, Followers] | None = None
        self.alike = 0

    def add(self, reward: float, followers: Followers) -> None:
        """One more state, from which this followed."""
        self.count += 1
        self.reward += reward
        for to, share in followers.items():
            self.followers[to] = self.followers.get(to, 0.0) + share
        self.alike = self.alike + 1 if self.last == (reward, followers) else 0
        self.last = (reward, followers)

    @property
    def settled(self) -> bool:
        """Whether more tries would say the same."""
        return not self.many_outcomes and self.alike >= _ALIKE


@dataclass
class Look:
    """One observation, with some of the states that showed it."""

    states: list[Snapshot]
    met: int
    tries: list[Tries]
