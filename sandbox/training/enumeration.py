"""Enumerating the states of an environment, breadth first over all actions and chances."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandbox.training.chances import ScriptedGenerator, TooManyOutcomes, outcomes
from sandbox.training.environments import Environment
from sandbox.training.finite_model import FiniteModel, all_actions
from sandbox.training.found_states import FoundStates, TooManyStates
from sandbox.training.futures import TRIED, Futures
from sandbox.training.sampling import Budget, sample_model
from sandbox.training.stepping import Arrival, DependenciesGrew, Generator, Stepper
from sandbox.training.transition_table import merge, table_of_rows
from sandbox.training.uniform_draw import ContinuousDraw, NotEnumerable

# A reset is enumerated only once, so it may fall in more ways than a step.
_RESET_FACTOR = 50
# Of the time, for each of the ways of telling states apart.
_SHARE_BY_ATTRIBUTES, _SHARE_BY_FUTURES = 0.5, 0.2
_MOST_RESTARTS = 50
_CHECKED_EPISODES = 5
_CHECKED_STEPS = 60


@dataclass(frozen=True)
class Limits:
    """Where enumerating gives up.

    Attributes:
        rows: states times actions.
        outcomes: ways in which the chances of one step can fall; with more, steps are drawn at
            random, and the model is not exact.
        steps: of the environment, for each of the ways in which it is tried.
        samples: steps drawn at random for each observation and action at most; 0 for none.
        seconds: of the whole. Where this limit is the one that is met, the same enumeration may
            end elsewhere on another day.
    """

    rows: int = 50_000
    outcomes: int = 2_000
    steps: int = 1_000_000
    samples: int = 2_000
    seconds: float = 60.0


def enumerate_environment(
    make_environment: Callable[[], Environment], limits: Limits | None = None
) -> FiniteModel:
    """Go through all states that the environment can reach.

    The environment must keep its state in attributes and draw only from ``np_random``; its
    observations are flat. Whatever it raises is passed on. Where there are too many states or
    outcomes but few observations, the model is one over observations, from steps drawn at random.

    Raises:
        NotEnumerable: why there is no such list, in one sentence.
    """
    limits = limits or Limits()
    environment = make_environment()
    try:
        return _Enumeration(environment, limits).run()
    finally:
        environment.close()


class _Enumeration:
    def __init__(self, environment: Environment, limits: Limits) -> None:
        self.limits = limits
        self.began = time.monotonic()
        self.actions = all_actions(environment.action_space, limits.rows)
        self.stepper = Stepper(environment)
        self.horizon = self.stepper.wrappers.horizon
        self.generator = ScriptedGenerator()
        self.many_beginnings = False
        self.until, self.last_step = self.began, 0

    def run(self) -> FiniteModel:
        """By attributes, or else by futures, or else with chances drawn at random."""
        try:
            found, initial = self._explore_surely(by_futures=False)
        except (TooManyOutcomes, ContinuousDraw) as error:
            return self._sample(str(error))
        except TooManyStates as error:
            fewer = None if self.many_beginnings else self._by_futures(self.limits.rows, str(error))
            return fewer or self._sample(str(error))
        self._compare_with_episodes(found)
        model = self._model(found, initial, [])
        if model.exact:
            return model
        return self._by_futures(model.full.size, model.remarks[0]) or model

    def _by_futures(self, fewer_than: int, why: str) -> FiniteModel | None:
        """The model with states told apart by their futures, if that leaves fewer of them."""
        try:
            found, initial = self._explore_surely(by_futures=True)
        except (TooManyStates, TooManyOutcomes, ContinuousDraw):
            return None
        if len(found.states) >= fewer_than:
            return None
        remark = f"{why}; states that went on alike in {TRIED} random futures count as one"
        return self._model(found, initial, [remark])

    def _sample(self, why: str) -> FiniteModel:
        budget = Budget(
            looks=self.limits.rows // len(self.actions),
            rounds=self.limits.samples,
            steps=self.limits.steps,
            seconds=self.limits.seconds - (time.monotonic() - self.began),
        )
        return sample_model(self.stepper, self.actions, budget, why)

    def _explore_surely(self, *, by_futures: bool) -> tuple[FoundStates, dict[int, float]]:
        """Explore until nothing new turns up about what makes up a state."""
        share = _SHARE_BY_FUTURES if by_futures else _SHARE_BY_ATTRIBUTES
        self.until = time.monotonic() + share * self.limits.seconds
        self.last_step = self.stepper.taken + self.limits.steps
        for _ in range(_MOST_RESTARTS):
            self.stepper.forget()
            try:
                futures = Futures(self.stepper, self.actions) if by_futures else None
                explored = self._explore(FoundStates(futures))
            except DependenciesGrew:
                continue
            if not self.stepper.watch.note_changes_in_place():
                return explored
        raise NotEnumerable("what makes up the state could not be found out")

    def _explore(self, found: FoundStates) -> tuple[FoundStates, dict[int, float]]:
        stepper, most = self.stepper, self.limits.outcomes
        self.many_beginnings = True
        _, initial = self._row(stepper.reset, found, 0, _RESET_FACTOR * most)
        self.many_beginnings = False
        first_with: dict[tuple[Any, ...], int] = {}
        for k, state in enumerate(found.states):  # which grow on the way
            self._check_limits(found, k)
            depth, twin = found.depths[k], first_with.setdefault(state, k)
            for j, action in enumerate(self.actions):
                if twin != k:
                    # It only looks different: what follows is known.
                    source = twin * len(self.actions) + j
                    reward, row = found.rewards[source], found.rows[source]
                else:
                    act = partial(stepper.step, stepper.kept[state], action)
                    reward, row = self._row(act, found, depth + 1, most)
                found.rewards.append(reward)
                found.rows.append(row)
        return found, initial

    def _row(
        self, act: Callable[[Generator], Arrival], found: FoundStates, depth: int, most: int
    ) -> tuple[float, dict[int, float]]:
        """Expected reward, and the probability of each successor (-1 for the end)."""
        reward, row = 0.0, dict[int, float]()
        for probability, arrival in outcomes(act, most, self.generator):
            reward += probability * arrival.reward
            over = arrival.ended or (self.horizon is not None and depth >= self.horizon)
            to = -1 if over else found.number(arrival, depth)
            row[to] = row.get(to, 0.0) + probability
        self.stepper.check()
        return reward, row

    def _check_limits(self, found: FoundStates, done: int) -> None:
        states = len(found.states)
        if states * len(self.actions) > self.limits.rows:
            raise TooManyStates(
                f"there are more than {self.limits.rows // len(self.actions)} states with "
                f"{len(self.actions)} actions each"
            )
        if self.stepper.taken > self.last_step or time.monotonic() > self.until:
            raise TooManyStates(
                f"the time was enough to go through {done} states, and at least "
                f"{states - done} more were to follow"
            )

    def _compare_with_episodes(self, found: FoundStates) -> None:
        """Play some episodes as anyone would; each step must be among those enumerated."""
        random = np.random.default_rng(1)
        for _ in range(_CHECKED_EPISODES):
            arrival = self.stepper.reset(random)
            number = found.numbers.get(found.key(arrival))
            for _ in range(_CHECKED_STEPS):
                if number is None:
                    raise NotEnumerable(
                        "the environment went where its enumeration cannot: it keeps state "
                        "elsewhere than in its attributes, or draws elsewhere than from np_random"
                    )
                j = int(random.integers(len(self.actions)))
                row = found.rows[number * len(self.actions) + j]
                arrival = self.stepper.go_on(self.actions[j])
                if arrival.ended or found.depths[number] + 1 == self.horizon:
                    break
                number = found.numbers.get(found.key(arrival))
                number = number if number in row else None

    def _model(
        self, found: FoundStates, initial: dict[int, float], remarks: list[str]
    ) -> FiniteModel:
        times: NDArray[np.int64] = np.array([t for t, _ in found.looks], dtype=np.int64)
        looks = np.array(found.look_of, dtype=np.int64)
        layers = times[looks] if self.stepper.clock else None
        full = table_of_rows(initial, found.rewards, found.rows, len(self.actions), layers)
        rows = np.array([np.frombuffer(seen, dtype=np.float32) for _, seen in found.looks])
        seen = full
        if len(found.looks) < full.size:
            merged = merge(full, looks, max(found.depths) + 1)
            seen = merged.table
            if not merged.faithful:
                remarks.append(
                    f"{full.size} states show only {len(found.looks)} observations, and what is "
                    "hidden cannot be told from the present observation alone, so a policy with "
                    "a memory may do better"
                )
        return FiniteModel(
            rows, self.actions, self.horizon, seen, full, looks, not remarks, tuple(remarks)
        )
