"""Every outcome of a function that draws random numbers, with its probability.

``ScriptedGenerator`` stands in for numpy's Generator: it answers each draw from a script and
notes how likely the answer was. ``outcomes`` runs the function once for each possible script,
depth first. A vector of draws is one draw after the other.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sandbox.training import discrete_distributions
from sandbox.training.lotteries import lottery, values_of
from sandbox.training.uniform_draw import ContinuousDraw, NotEnumerable, UniformDraw

T = TypeVar("T")
Size = int | Sequence[int] | None

# What rounding leaves over when probabilities are summed is not an outcome.
NEGLIGIBLE = 1e-12

_CONTINUOUS = frozenset(
    "beta chisquare dirichlet exponential f gamma gumbel laplace logistic lognormal "
    "multivariate_normal noncentral_chisquare noncentral_f normal pareto power rayleigh "
    "standard_cauchy standard_exponential standard_gamma standard_normal standard_t triangular "
    "vonmises wald weibull".split()
)


class TooManyOutcomes(Exception):
    """More outcomes than the caller wants to go through."""


def outcomes(
    act: Callable[["ScriptedGenerator"], T],
    most: int,
    generator: "ScriptedGenerator | None" = None,
) -> list[tuple[float, T]]:
    """What ``act`` returns for each way its draws can fall, with the probabilities.

    ``act`` is run anew for each of them, so it must restore whatever it changes.

    Raises:
        TooManyOutcomes: there are more than ``most``.
        NotEnumerable: ``act`` draws from a continuous distribution.
    """
    generator = generator or ScriptedGenerator()
    script: list[int] | None = []
    found: list[tuple[float, T]] = []
    while script is not None:
        if len(found) == most:
            raise TooManyOutcomes(f"chance can fall in more than {most} ways in one step")
        generator.begin(script)
        result = act(generator)
        found.append((generator.probability, result))
        script = generator.next_script()
    return found


class ScriptedGenerator:
    """Answers like numpy's Generator, from a script of which option each draw takes."""

    def __init__(self) -> None:
        self.begin([])

    def begin(self, script: list[int]) -> None:
        """Start anew: the first draws take the options of ``script``, later ones the first."""
        self.probability = 1.0
        self._script = script
        self._taken: list[int] = []
        self._widths: list[int] = []

    def next_script(self) -> list[int] | None:
        """The script that follows, depth first; None after the last one."""
        taken, widths = self._taken, self._widths
        while taken and taken[-1] + 1 == widths[-1]:
            taken.pop()
            widths.pop()
        return [*taken[:-1], taken[-1] + 1] if taken else None

    def pick(self, probabilities: NDArray[np.float64]) -> int:
        """The index of one of ``probabilities`` (k,), as the script says."""
        possible = (probabilities > NEGLIGIBLE).nonzero()[0]
        depth = len(self._taken)
        position = self._script[depth] if depth < len(self._script) else 0
        self._taken.append(position)
        self._widths.append(len(possible))
        index = int(possible[position])
        self.probability *= float(probabilities[index])
        return index

    # -- numpy's names -------------------------------------------------------------------------

    def integers(
        self,
        low: ArrayLike,
        high: ArrayLike | None = None,
        size: Size = None,
        dtype: Any = np.int64,
        endpoint: bool = False,
    ) -> Any:
        """Whole numbers from ``low`` up to ``high``, the latter left out unless ``endpoint``."""
        first, last = (0, low) if high is None else (low, high)

        def draw(start: int, stop: int) -> int:
            count = int(stop) - int(start) + bool(endpoint)
            if count < 1:
                raise ValueError("low >= high")
            return int(start) + self.pick(np.full(count, 1 / count))

        drawn = _each(draw, size, first, last)
        return drawn.astype(dtype) if isinstance(drawn, np.ndarray) else np.dtype(dtype).type(drawn)

    def binomial(self, n: ArrayLike, p: ArrayLike, size: Size = None) -> Any:
        """Successes among ``n`` trials."""
        law = discrete_distributions.binomial
        return _each(lambda n, p: self.pick(law(int(n), float(p))), size, n, p)

    def poisson(self, lam: ArrayLike = 1.0, size: Size = None) -> Any:
        """Events of mean number ``lam``; the tail of probability below 1e-9 is left out."""
        law = discrete_distributions.poisson
        return _each(lambda lam: self.pick(law(float(lam))), size, lam)

    def geometric(self, p: ArrayLike, size: Size = None) -> Any:
        """Trials up to the first success; the tail of probability below 1e-9 is left out."""
        law = discrete_distributions.geometric
        return _each(lambda p: self.pick(law(float(p))), size, p)

    def choice(
        self,
        a: ArrayLike,
        size: Size = None,
        replace: bool = True,
        p: ArrayLike | None = None,
        axis: int = 0,
        shuffle: bool = True,
    ) -> Any:
        """Elements of ``a`` (rows, where it has more dimensions), or of range(a)."""
        if axis != 0 or (not replace and p is not None and size is not None):
            raise NotEnumerable("np_random.choice() with these arguments cannot be enumerated")
        if replace or size is None:
            values, shares = lottery(a, p)
            if size is None:
                return values[self.pick(shares)]
        shape = (size,) if isinstance(size, (int, np.integer)) else tuple(size)
        length = math.prod(shape)
        if replace:
            indices = [self.pick(shares) for _ in range(length)]
        else:
            values = values_of(a)
            indices = self._some_of(len(values), length)
        return values[np.array(indices, dtype=np.int64).reshape(shape)]

    def permutation(self, x: ArrayLike, axis: int = 0) -> Any:
        """``x`` (or range(x)) in any order."""
        values = values_of(x)
        if axis != 0:
            raise NotEnumerable("np_random.permutation() along an axis cannot be enumerated")
        return values[self._some_of(len(values), len(values))]

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Put ``x`` in any order, in place."""
        if axis != 0:
            raise NotEnumerable("np_random.shuffle() along an axis cannot be enumerated")
        order = self._some_of(len(x), len(x))
        x[:] = x[order] if isinstance(x, np.ndarray) else [x[k] for k in order]

    def random(self, size: Size = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Numbers from 0 to 1 that can be compared with others, and nothing else."""
        return self.uniform(size=size)

    def uniform(self, low: ArrayLike = 0.0, high: ArrayLike = 1.0, size: Size = None) -> Any:
        """Numbers from ``low`` to ``high`` that can be compared with others, and nothing else."""
        return _each(lambda low, high: UniformDraw(self.pick, float(low), float(high)),
                     size, low, high, kind=object)  # fmt: skip

    def __getattr__(self, name: str) -> Any:
        if name in _CONTINUOUS:
            raise ContinuousDraw(f"np_random.{name}() draws from a continuous distribution")
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotEnumerable(f"np_random.{name}() is not among the draws that can be enumerated")

    def _some_of(self, count: int, length: int) -> list[int]:
        """``length`` different indices below ``count``, in any order."""
        if length > count:
            raise ValueError("more elements are drawn without replacement than there are")
        left = list(range(count))
        return [left.pop(self.pick(np.full(len(left), 1 / len(left)))) for _ in range(length)]


def _each(draw: Callable[..., Any], size: Size, *parameters: Any, kind: Any = np.int64) -> Any:
    """One draw for scalars, or an array of draws of the shape that numpy would give."""
    arrays = [np.asarray(parameter) for parameter in parameters]
    if size is None:
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
        if shape == ():
            drawn = draw(*(array.item() for array in arrays))
            return drawn if kind is object else kind(drawn)
    else:
        shape = (size,) if isinstance(size, (int, np.integer)) else tuple(size)
    result = np.empty(math.prod(shape), dtype=kind)
    rows = zip(*(np.broadcast_to(array, shape).ravel().tolist() for array in arrays), strict=True)
    for k, row in enumerate(rows):
        result[k] = draw(*row)
    return result.reshape(shape)
