"""Program: what the code bodies of right.py and of environment.py return, asked alike.

Reads asked.json, writes returned.json: for each code body the numbers that each of the two returns,
by situation, draw and number.
"""

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.repairs.inside.play import play

EPISODES = 40
SITUATIONS = 40
FEW_DRAWS, ALL_DRAWS = 4, 6000
LEAST_DRAWS = 200

Arguments = tuple[Any, ...]


def main() -> None:
    """Ask both about the code bodies that asked.json names, with what is whole of each."""
    asked: dict[str, list[bool]] = json.loads(Path("asked.json").read_text(encoding="utf-8"))
    right, other = importlib.import_module("right"), importlib.import_module("environment")
    returned = {}
    for name, whole in asked.items():
        situations = met(right, name)
        few = _numbers(right, name, situations, FEW_DRAWS, whole)
        draws = FEW_DRAWS
        if np.ptp(few, axis=1).any():
            draws = max(LEAST_DRAWS, ALL_DRAWS // len(situations))
        returned[name] = {
            "right": _numbers(right, name, situations, draws, whole).tolist(),
            "other": _numbers(other, name, situations, draws, whole).tolist(),
        }
    Path("returned.json").write_text(json.dumps(returned), encoding="utf-8")


def met(module: Any, name: str) -> list[Arguments]:
    """Arguments that the code body gets in random episodes, some of all, all different."""
    body = getattr(module, name)
    found: dict[str, Arguments] = {}

    def noting(rng: Any, *arguments: Any) -> Any:
        found.setdefault(repr(arguments), _copies(arguments))
        return body(rng, *arguments)

    setattr(module, name, noting)
    play(module.Environment(), EPISODES, seed=1)
    setattr(module, name, body)
    situations = list(found.values())
    return situations[:: max(1, len(situations) // SITUATIONS)][:SITUATIONS]


def _numbers(
    module: Any, name: str, situations: list[Arguments], draws: int, whole: list[bool]
) -> NDArray[np.float64]:
    """All that is returned, (situations, draws, numbers); what is declared whole is cut to that."""
    return np.array(
        [
            [
                _flat(
                    getattr(module, name)(np.random.default_rng([k, draw]), *_copies(arguments)),
                    whole,
                )
                for draw in range(draws)
            ]
            for k, arguments in enumerate(situations)
        ]
    )


def _flat(returned: Any, whole: list[bool]) -> NDArray[np.float64]:
    parts = returned if len(whole) > 1 else (returned,)
    numbers = [np.asarray(part, dtype=float).ravel() for part in parts]
    return np.concatenate(
        [np.trunc(n) if cut else n for n, cut in zip(numbers, whole, strict=True)]
    )


def _copies(arguments: Arguments) -> Arguments:
    return tuple(np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments)


if __name__ == "__main__":
    main()
