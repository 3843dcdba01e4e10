"""Draws of plain environments, recorded and dealt out again to a batched one."""

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

RELATIVE = 1e-9
"""Most by which numbers may differ; powers of one number and of many are rounded differently."""
WHOLE = frozenset({"poisson", "binomial", "integers"})


class Difference(Exception):
    """The two environments differ; the message says in what."""


class Draw(NamedTuple):
    """One call of a generator: its method, its parameters, and what it gave."""

    method: str
    parameters: list[Any]
    value: Any


class Recorder:
    """Stands for the generator of a plain environment and remembers what it draws."""

    def __init__(self, generator: np.random.Generator) -> None:
        self.generator = generator
        self.drawn: deque[Draw] = deque()

    def __getattr__(self, method: str) -> Callable[..., Any]:
        draw = getattr(self.generator, method)

        def recorded(*parameters: Any, **named: Any) -> Any:
            value = draw(*parameters, **named)
            weights = [named["p"]] if "p" in named else []
            self.drawn.append(Draw(method, [*parameters, *weights], value))
            return value

        return recorded


class Script:
    """Stands for the draws of the batched environment and deals out what was recorded.

    ``episodes`` are those that the batched environment works on at the moment.
    """

    def __init__(self, recorders: list[Recorder]) -> None:
        self.recorders = recorders
        self.episodes = list(range(len(recorders)))

    def __call__(
        self, method: str, *parameters: Any, size: tuple[int, ...], where: Any = True
    ) -> NDArray[Any]:
        """The next draw of each episode in ``where``, as ``size`` numbers; others stay 0.

        Raises:
            Difference: the plain environment drew something else, or with other parameters.
        """
        if size[-1] != len(self.episodes):
            raise Difference(f"{method} is drawn for {size[-1]} of {len(self.episodes)} episodes")
        used = np.broadcast_to(where, size[-1:])
        values = np.zeros(size, dtype=_kind(method, parameters))
        for place in np.flatnonzero(used):
            values[..., place] = self._next(method, parameters, size[:-1], int(place))
        return values

    def _next(
        self, method: str, parameters: tuple[Any, ...], shape: tuple[int, ...], place: int
    ) -> Any:
        episode = self.episodes[place]
        waiting = self.recorders[episode].drawn
        if not waiting:
            raise Difference(f"episode {episode} draws one {method} more in the batched form")
        draw = waiting.popleft()
        if draw.method != method or np.shape(draw.value) != shape:
            raise Difference(
                f"episode {episode} draws {method} {shape} in the batched form where it draws "
                f"{draw.method} {np.shape(draw.value)} in the plain one"
            )
        own = [_of_episode(parameter, place) for parameter in parameters]
        if not _same_parameters(draw.parameters, own):
            raise Difference(
                f"episode {episode} draws {method} with {own} in the batched form and with "
                f"{draw.parameters} in the plain one"
            )
        return draw.value


def _kind(method: str, parameters: tuple[Any, ...]) -> Any:
    if method == "choice":
        return np.asarray(parameters[0]).dtype
    return int if method in WHOLE else float


def _of_episode(parameter: Any, place: int) -> Any:
    """What a parameter with episodes along its last axis is in one of them."""
    array = np.asarray(parameter)
    if array.ndim == 0:
        return parameter
    return array[..., place if array.shape[-1] != 1 else 0]


def _same_parameters(one: list[Any], other: list[Any]) -> bool:
    if len(one) != len(other):
        return False
    for mine, yours in zip(one, other, strict=True):
        shapes = {np.shape(mine), np.shape(yours)} - {()}
        if len(shapes) > 1:
            return False
        if not np.allclose(mine, yours, rtol=RELATIVE, atol=RELATIVE, equal_nan=True):
            return False
    return True
