"""Steps from states that are put into the environment, so that rare coincidences happen."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from sandbox.programs.requests import CheckRequest, PlacedQuantity
from sandbox.programs.spec_rules import Quantities, SpecFunctions

if TYPE_CHECKING:
    from sandbox.programs.remote import RemoteEnvironment

TRIES = 5
"""States drawn for each step until one keeps all constraints."""


def placed_beginnings(
    environment: "RemoteEnvironment", request: CheckRequest, functions: SpecFunctions, count: int
) -> Iterator[Quantities]:
    """Begin ``count`` episodes, each in a state drawn from the declared ranges; its quantities.

    Numbers of one range are drawn from a few values, so that places meet, stocks are empty or
    full, and orders fit exactly. States that break a constraint are left out, and nothing is
    placed in an environment that keeps its state under other names.
    """
    random = np.random.default_rng(request.seed)
    for _ in range(count if request.places else 0):
        _, quantities = environment.begin(int(random.integers(2**31)))
        for _ in range(TRIES):
            values = _drawn(request.places, random)
            state = {**quantities, **values}
            before = {f"previous_{name}": value for name, value in state.items()}
            if all(functions.constraints({**before, **state}).values()):
                break
        else:
            continue
        if not environment.place({place.attribute: values[place.name] for place in request.places}):
            return
        yield state


def _drawn(places: list[PlacedQuantity], random: np.random.Generator) -> Quantities:
    pools: dict[tuple[float, float], Any] = {}
    found: Quantities = {}
    for place in places:
        ends = (place.low, place.high)
        if ends not in pools:
            inner = random.uniform(place.low, place.high, 2)
            pools[ends] = np.concatenate([inner, random.permutation(ends)[: random.integers(3)]])
        pool = pools[ends] if place.real else np.rint(pools[ends])
        found[place.name] = random.choice(pool, size=tuple(place.shape)).tolist()
    return found
