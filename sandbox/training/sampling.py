"""A finite model over observations from steps drawn at random, where enumerating is too much."""

import time
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandbox.training.chances import ScriptedGenerator, TooManyOutcomes, outcomes
from sandbox.training.finite_model import FiniteModel
from sandbox.training.stepping import Arrival, DependenciesGrew, Stepper
from sandbox.training.transition_table import table_of_rows
from sandbox.training.tries import Followers, Look, Tries
from sandbox.training.uniform_draw import ContinuousDraw, NotEnumerable

# So many states that look alike are remembered for each observation.
_REMEMBERED = 200
# Those met while playing are independent of each other; others only have to serve where these
# are few.
_FEW_PLAYED = 20
_MOST_EPISODES = 50_000
_SHARE_OF_PLAYING = 0.3
_FEWEST_ROUNDS = 10
_MOST_RESTARTS = 20
# A step whose chances fall in no more ways is enumerated and not drawn.
_FEW_OUTCOMES = 40


@dataclass(frozen=True)
class Budget:
    """At most so many observations, rounds (0 forbids them), steps and seconds."""

    looks: int
    rounds: int
    steps: int
    seconds: float


def sample_model(
    stepper: Stepper, actions: NDArray[np.int64], budget: Budget, why: str
) -> FiniteModel:
    """A model whose states are the observations, never exact.

    In each round every action is taken once in each observation, from a state that showed it and
    with the same chances for all actions.

    Args:
        stepper: the environment at hand.
        actions: (A,) or (A, parts), all of its actions.
        budget: where to end.
        why: the reason why the environment was not enumerated, a clause.

    Raises:
        NotEnumerable: there are too many observations as well, or too little time.
    """
    if budget.rounds < 1:
        raise NotEnumerable(why)
    until = time.monotonic() + budget.seconds
    for _ in range(_MOST_RESTARTS):
        stepper.forget()
        sampling = _Sampling(stepper, actions, budget, until, why)
        try:
            sampling.play()
            return sampling.model(sampling.take_all_actions())
        except DependenciesGrew:
            continue
    raise NotEnumerable("what makes up the state could not be found out")


class _Sampling:
    def __init__(
        self, stepper: Stepper, actions: NDArray[np.int64], budget: Budget, until: float, why: str
    ) -> None:
        self.stepper = stepper
        self.actions = actions
        self.budget = budget
        self.first_step = stepper.taken
        self.until = until
        self.why = why
        self.numbers: dict[tuple[int, bytes], int] = {}
        self.looks: list[Look] = []
        self.initial: list[int] = []
        self.remembering = np.random.default_rng(0)
        self.generator = ScriptedGenerator()
        self.random = np.random.default_rng(1)

    def play(self) -> None:
        """Episodes of random actions, to meet states as often as they occur."""
        for episode in range(_MOST_EPISODES):
            random = np.random.default_rng([episode, 1])
            arrival = self.stepper.reset(random)
            self.initial.append(self._look(arrival, played=True))
            for _ in range(self.stepper.wrappers.horizon or 100):
                j = int(random.integers(len(self.actions)))
                state = self.stepper.kept[arrival.state]
                self.stepper.kept.clear()
                arrival = self.stepper.step(state, self.actions[j], random)
                if arrival.ended:
                    break
                self._look(arrival, played=True)
            self.stepper.kept.clear()
            self.stepper.check()
            full = episode % 500 == 499 and all(len(x.states) == _REMEMBERED for x in self.looks)
            if full or self._spent(_SHARE_OF_PLAYING):
                return

    def take_all_actions(self) -> int:
        """Every action everywhere, round after round; the number of rounds."""
        for number in range(self.budget.rounds):
            k = 0
            while k < len(self.looks):
                self._take_actions(k, number)
                k += 1
                if self._spent():
                    if number >= _FEWEST_ROUNDS:
                        return number
                    raise NotEnumerable(
                        f"{self.why}, and the time was enough for only {number} random steps for "
                        f"each of {len(self.looks)} observations and {len(self.actions)} actions"
                    )
        return self.budget.rounds

    def _spent(self, share: float = 1.0) -> bool:
        """Whether this share of the steps or seconds is used up."""
        late = self.until - (1 - share) * self.budget.seconds
        steps = self.stepper.taken - self.first_step
        return steps >= share * self.budget.steps or time.monotonic() >= late

    def _take_actions(self, k: int, number: int) -> None:
        """Each action from one state of observation ``k``."""
        look = self.looks[k]
        state = look.states[number % len(look.states)]
        chances = self.random.bit_generator.state
        for j, action in enumerate(self.actions):
            tries = look.tries[j]
            if not tries.settled:
                self._try(tries, partial(self.stepper.step, state, action), chances)
        self.stepper.check()

    def _try(self, tries: Tries, act: "partial[Arrival]", chances: Any) -> None:
        found: list[tuple[float, Arrival]] | None = None
        if not tries.many_outcomes:
            try:
                found = outcomes(act, _FEW_OUTCOMES, self.generator)
            except (TooManyOutcomes, ContinuousDraw):
                tries.many_outcomes = True
        if found is None:
            # The same chances for all actions: their differences are not those of luck.
            self.random.bit_generator.state = chances
            found = [(1.0, act(self.random))]
        reward, followers = 0.0, Followers()
        for probability, arrival in found:
            reward += probability * arrival.reward
            to = -1 if arrival.ended else self._look(arrival)
            followers[to] = followers.get(to, 0.0) + probability
        tries.add(reward, followers)
        self.stepper.kept.clear()

    def _look(self, arrival: Arrival, *, played: bool = False) -> int:
        """The number of what is seen, remembering the state behind it."""
        key = (arrival.time, arrival.seen)
        number = self.numbers.get(key)
        if number is None:
            if len(self.looks) == self.budget.looks:
                raise NotEnumerable(
                    f"{self.why}, and there are more than {self.budget.looks} observations"
                )
            number = self.numbers[key] = len(self.looks)
            self.looks.append(Look([], 0, [Tries() for _ in self.actions]))
        look = self.looks[number]
        if not played and len(look.states) >= _FEW_PLAYED:
            return number
        look.met += 1
        state = self.stepper.kept[arrival.state]
        if len(look.states) < _REMEMBERED:
            look.states.append(state)
        elif (place := int(self.remembering.random() * look.met)) < _REMEMBERED:
            look.states[place] = state
        return number

    def model(self, rounds: int) -> FiniteModel:
        """What has been found so far, observations in order of their time steps."""
        order = sorted(self.numbers, key=lambda key: (key[0], self.numbers[key]))
        new = {self.numbers[key]: k for k, key in enumerate(order)} | {-1: -1}
        layers = np.array([t for t, _ in order]) if self.stepper.clock else None
        rows: list[Followers] = []
        rewards: list[float] = []
        for key in order:
            for tries in self.looks[self.numbers[key]].tries:
                count = max(tries.count, 1)
                rewards.append(tries.reward / count)
                shares = {new[k]: share / count for k, share in tries.followers.items()}
                rows.append(shares or {-1: 1.0})
        initial: Followers = {}
        for look in self.initial:
            initial[new[look]] = initial.get(new[look], 0.0) + 1 / len(self.initial)
        table = table_of_rows(initial, rewards, rows, len(self.actions), layers)
        remark = f"{self.why}, so each action was tried {rounds} times with chances drawn at random"
        seen: Any = [np.frombuffer(seen, dtype=np.float32) for _, seen in order]
        return FiniteModel(
            np.array(seen), self.actions, self.stepper.wrappers.horizon,
            table, table, np.arange(len(order)), False, (remark,),
        )  # fmt: skip
