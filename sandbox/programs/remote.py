"""Environments that live in another process, as the judging programs see them.

Whatever comes back was made by code that nobody trusts: its form is looked at here.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sandbox.programs import space_data
from sandbox.programs.asking import Ask
from sandbox.programs.faults import AnswerInvalid, mapping


class Beginning(NamedTuple):
    """Where n episodes begin: observations (n, d), and the named quantities of each."""

    numbers: list[int]
    observations: NDArray[Any]
    quantities: list[dict[str, Any]]


class Steps(NamedTuple):
    """One step of n episodes: observations (n, d), rewards (n,), ended (n,).

    ``objectives`` (n,) is None where the environment reports none; ``quantities`` holds those of
    the ended episodes, in order.
    """

    observations: NDArray[Any]
    rewards: NDArray[np.float64]
    ended: NDArray[np.bool_]
    objectives: NDArray[np.float64] | None
    quantities: list[dict[str, Any]]


class Ahead(NamedTuple):
    """From which environment to look ahead, under which actions, into which futures.

    To look further than one step, ``actions`` are sequences of actions.
    """

    number: int
    actions: Sequence[Any]
    seeds: list[int]


class RemoteEnvironment:
    """One environment, asked step by step. Its methods raise what ``Ask`` raises."""

    def __init__(self, ask: Ask, number: int | None = None) -> None:
        self._ask = ask
        self.number: int = ask("make") if number is None else number

    @cached_property
    def _spaces(self) -> dict[str, spaces.Space[Any] | None]:
        told = mapping(self._ask("spaces", number=self.number))
        return {
            name: None if fields is None else space_data.from_plain(fields)
            for name, fields in told.items()
        }

    @property
    def action_space(self) -> Any:
        """A space of our own with the numbers of the environment's; None if it has none."""
        return self._spaces.get("action")

    @property
    def observation_space(self) -> Any:
        """The same for observations."""
        return self._spaces.get("observation")

    def reset(self, seed: int | None = None) -> Any:
        """Begin an episode; its first observation."""
        return self._ask("reset", number=self.number, seed=seed)

    def begin(self, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; its first observation and the named quantities."""
        told = self._ask("reset_told", number=self.number, seed=seed)
        if not isinstance(told, list) or len(told) != 2:
            raise AnswerInvalid("a reset does not give two things")
        return told[0], dict(mapping(told[1]))

    def place(self, values: dict[str, Any]) -> bool:
        """Put ``values`` into attributes of these names; False where there are no such."""
        return self._ask("place", number=self.number, values=values) is True

    def step(self, action: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Observation, reward, terminated, truncated, info: as the environment gave them."""
        answer = self._ask("step", number=self.number, action=action)
        if not isinstance(answer, list) or len(answer) != 5:
            raise AnswerInvalid("a step does not give five things")
        observation, reward, terminated, truncated, info = answer
        return observation, reward, terminated, truncated, dict(mapping(info))

    def copy(self) -> "RemoteEnvironment":
        """A deep copy."""
        return RemoteEnvironment(self._ask, self._ask("copy", number=self.number))

    def forget(self) -> None:
        """Let it go."""
        self._ask("forget", number=self.number)


class RemoteEpisodes:
    """Episodes side by side. Methods raise what ``Ask`` raises."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def new(self) -> RemoteEnvironment:
        """An environment by itself, there until the next ``begin``."""
        return RemoteEnvironment(self._ask)

    def one(self, number: int) -> RemoteEnvironment:
        """One of the environments by itself."""
        return RemoteEnvironment(self._ask, number)

    def begin(self, seeds: Sequence[int]) -> Beginning:
        """Begin one episode for each seed; earlier ones are gone."""
        told = mapping(self._ask("begin", seeds=list(seeds)))
        held, observations = told.get("numbers"), told.get("observations")
        if not isinstance(held, list) or len(held) != len(seeds):
            raise AnswerInvalid("not as many episodes begin as were asked for")
        observations = _rows(observations, len(seeds))
        return Beginning(held, observations, _quantities(told.get("quantities"), len(seeds)))

    def step(self, which: Sequence[int], actions: Sequence[Any]) -> Steps:
        """One step of the environments with these numbers."""
        asked = {"numbers": list(which), "actions": _together(actions)}
        told = mapping(self._ask("step_together", **asked))
        count, objectives = len(which), told.get("objectives")
        ended = told.get("ended")
        if not isinstance(ended, np.ndarray) or ended.shape != (count,) or ended.dtype != bool:
            raise AnswerInvalid("it is not told which episodes ended")
        return Steps(
            _rows(told.get("observations"), count),
            numbers(told.get("rewards"), (count,), "rewards"),
            ended,
            None if objectives is None else numbers(objectives, (count,), "objectives"),
            _quantities(told.get("quantities"), int(ended.sum())),
        )

    def look_ahead(self, wanted: Sequence[Ahead]) -> list[NDArray[np.float64]]:
        """Rewards (m, n) of the next step under m actions in n futures; nothing is changed."""
        return self._looked("look_ahead", wanted)

    def look_further(self, wanted: Sequence[Ahead]) -> list[NDArray[np.float64]]:
        """Returns (m, n) of m sequences of actions in n futures; nothing is changed."""
        return self._looked("look_further", wanted)

    def _looked(self, name: str, wanted: Sequence[Ahead]) -> list[NDArray[np.float64]]:
        told = self._ask(name, wanted=[(n, _together(a), seeds) for n, a, seeds in wanted])
        if not isinstance(told, list) or len(told) != len(wanted):
            raise AnswerInvalid("not as many were looked ahead from as were asked for")
        return [
            numbers(rewards, (len(one.actions), len(one.seeds)), "rewards of looking ahead")
            for rewards, one in zip(told, wanted, strict=True)
        ]


def _together(actions: Sequence[Any]) -> Any:
    """One array where that loses nothing, for it is quicker to send than a list."""
    kinds = {(type(action), getattr(action, "shape", ())) for action in actions}
    alike = len(kinds) == 1 and isinstance(actions[0], np.ndarray | np.generic | int)
    return np.asarray(actions) if alike else list(actions)


def numbers(value: Any, shape: tuple[int, ...], what: str) -> NDArray[np.float64]:
    """``value`` as finite real numbers of that shape. Raises ``AnswerInvalid``."""
    if not isinstance(value, np.ndarray) or value.shape != shape or value.dtype.kind not in "biuf":
        raise AnswerInvalid(f"the {what} are no {' x '.join(map(str, shape))} numbers")
    found = value.astype(np.float64)
    if not np.isfinite(found).all():
        raise AnswerInvalid(f"the {what} are not finite numbers: {found.ravel()[:8].tolist()}")
    return found


def _rows(value: Any, count: int) -> NDArray[Any]:
    if not isinstance(value, np.ndarray) or value.ndim != 2 or len(value) != count:
        raise AnswerInvalid("the observations are no rows of numbers")
    return value


def _quantities(value: Any, count: int) -> list[dict[str, Any]]:
    if not isinstance(value, list) or len(value) != count:
        raise AnswerInvalid("the named quantities are not those of the episodes")
    return [dict(mapping(one)) for one in value]
