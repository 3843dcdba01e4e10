"""Program: answers with what spec_functions.py computes from named quantities.

Argument: the descriptor to answer on. A spec_functions.py without rules, as one written by hand
may be, gives none.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from sandbox.programs.asking import Answer, serve
from sandbox.training.environments import import_file

Quantities = dict[str, Any]


def constraints(quantities: Quantities) -> dict[str, bool]:
    """Whether each constraint holds."""
    held = _functions().constraints(quantities)
    return {str(name): bool(holds) for name, holds in held.items()}


def reward_terms(quantities: Quantities) -> dict[str, float]:
    """The terms of the reward by name."""
    terms = _functions().reward_terms(quantities)
    return {str(name): float(value) for name, value in terms.items()}


def constraints_of(quantities: list[Quantities]) -> list[dict[str, bool]]:
    """The constraints after each of several steps."""
    return [constraints(q) for q in quantities]


def terms_of(quantities: list[Quantities]) -> list[dict[str, float]]:
    """The terms of the reward of each of several steps."""
    return [reward_terms(q) for q in quantities]


def tables() -> dict[str, Any]:
    """Names of the rules that are drawn and of those that are not, by when they apply."""
    functions = _functions()
    found: dict[str, Any] = {"observation": list(getattr(functions, "OBSERVATION", []))}
    for when in ("INITIAL", "STEP", "NEXT"):
        rules = getattr(functions, when, ())
        found[when.lower()] = {name: bool(drawn) for name, drawn, _ in rules}
    found["decisions"] = [name for name, _ in getattr(functions, "DECISIONS", ())]
    found["lasting"] = list(getattr(functions, "LASTING", []))
    return found


def begun(beginnings: list[Quantities]) -> list[Quantities]:
    """What the rules make of the first values: those of all that is not drawn."""
    functions = _functions()
    return [
        _values(functions.INITIAL, functions.plain_quantities(quantities))
        for quantities in beginnings
    ]


def stepped(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the rules make of steps.

    Each has the quantities ``now`` and ``before`` and the ``action``. The answer holds ``values``
    of all that is not drawn, the decisions that are ``chosen``, ``over``, and the ``objective``.
    """
    functions = _functions()
    found = []
    for step in steps:
        q = _in_step(functions, step)
        chosen = {name: q[f"chosen_{name}"] for name, _ in functions.DECISIONS}
        values = _values(functions.STEP, q)
        told = {"values": values, "chosen": chosen, "lacks": values.pop("lacks", "")}
        if not told["lacks"]:
            told |= {"over": functions.termination(q), "objective": functions.objective(q)}
        found.append(told)
    return found


def renewed(steps: list[dict[str, Any]]) -> list[Quantities]:
    """What is known before the next decision; ``after`` holds the quantities of the next step.

    Drawn values are taken from there, and so is all that a step does not work out again.
    """
    functions = _functions()
    found = []
    for step in steps:
        values: Quantities = {}
        for name, drawn, rule, q in _renewing(functions, step):
            values[name] = q[f"next_{name}"] if drawn else rule(q, None)
        found.append(values)
    return found


def samples(when: str, asked: list[dict[str, Any]], count: int, seed: int) -> list[Quantities]:
    """``count`` draws (count, ...) of each drawn quantity, given what was asked with."""
    functions, random = _functions(), np.random.default_rng(seed)
    found = []
    for one in asked:
        if when == "next":
            rules = _renewing(functions, one)
        elif when == "step":
            q = _in_step(functions, one)
            rules = ((*rule, q) for rule in functions.STEP)
        else:
            q = functions.plain_quantities(one["now"])
            rules = ((*rule, q) for rule in functions.INITIAL)
        found.append(
            {
                name: np.array([rule(q, random) for _ in range(count)])
                for name, drawn, rule, q in rules
                if drawn
            }
        )
    return found


def _renewing(functions: Any, step: dict[str, Any]) -> Iterator[tuple[str, bool, Any, Quantities]]:
    """The rules of what is known before the next decision, each with what it reads.

    What the step works out again is not known from it, so it is worked out here.
    """
    q, after = _in_step(functions, step), functions.plain_quantities(step["after"])
    again = {name for name, _, _ in functions.STEP}
    for name, drawn, rule in functions.NEXT:
        q[f"next_{name}"] = rule(q, None) if name in again and not drawn else after[name]
        yield name, drawn, rule, q


def _functions() -> Any:
    return import_file("spec_functions")


def _values(rules: Any, q: Quantities) -> Quantities:
    values: Quantities = {}
    for name, drawn, rule in rules:
        if drawn:
            continue
        try:
            values[name] = rule(q, None)
        except KeyError as missing:
            return {**values, "lacks": str(missing.args[0])}
    return values


def _in_step(functions: Any, step: dict[str, Any]) -> Quantities:
    """Quantities as the rules of a step read them: ``previous_x`` for all, ``chosen_x``."""
    q: Quantities = functions.plain_quantities(step["now"])
    before = functions.plain_quantities(step["before"])
    for name, value in before.items():
        # What is renewed before each decision was so at the start of this step.
        q.setdefault(f"previous_{name}", value if name in functions.LASTING else q.get(name))
    for name, decode in functions.DECISIONS:
        q[f"chosen_{name}"] = decode(step["action"])
    return q


ANSWERS: dict[str, Answer] = {
    "constraints": constraints,
    "constraints_of": constraints_of,
    "terms_of": terms_of,
    "tables": tables,
    "begun": begun,
    "stepped": stepped,
    "renewed": renewed,
    "samples": samples,
}

if __name__ == "__main__":
    serve(ANSWERS)
