"""Program: decides by the rule of thumb in heuristic.py when asked.

Argument: the descriptor to answer on.
"""

import time
from typing import Any

from numpy.typing import NDArray

from sandbox.programs.asking import Answer, serve
from sandbox.programs.findings import shorten
from sandbox.training.environments import import_file

LONGEST_SITUATION = 250


def load() -> None:
    """Import heuristic.py. Raises whatever it raises."""
    import_file("heuristic")


def decide(observations: NDArray[Any]) -> dict[str, Any]:
    """An action for each row of the observations (n, d), and processor seconds in all."""
    act = import_file("heuristic").act
    started = time.thread_time()
    actions = [act(observation) for observation in observations]
    return {"actions": actions, "seconds": time.thread_time() - started}


def unpacked(observation: NDArray[Any]) -> str:
    """What an observation (d) says, in the rule's own names."""
    return shorten(str(import_file("heuristic").unpack(observation)), LONGEST_SITUATION)


ANSWERS: dict[str, Answer] = {"load": load, "decide": decide, "unpacked": unpacked}

if __name__ == "__main__":
    serve(ANSWERS)
