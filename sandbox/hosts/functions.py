"""Program: answers with what spec_functions.py computes from named quantities.

Argument: the descriptor to answer on.
"""

from typing import Any

from sandbox.programs.asking import Answer, serve
from sandbox.training.environments import import_file


def constraints(quantities: dict[str, Any]) -> dict[str, bool]:
    """Whether each constraint holds."""
    held = import_file("spec_functions").constraints(quantities)
    return {str(name): bool(holds) for name, holds in held.items()}


def reward_terms(quantities: dict[str, Any]) -> dict[str, float]:
    """The terms of the reward by name."""
    terms = import_file("spec_functions").reward_terms(quantities)
    return {str(name): float(value) for name, value in terms.items()}


ANSWERS: dict[str, Answer] = {"constraints": constraints, "reward_terms": reward_terms}

if __name__ == "__main__":
    serve(ANSWERS)
