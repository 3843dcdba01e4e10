"""A check on request: the environment does what a second reading of the description gives."""

from typing import Any

import numpy as np

from sandbox.programs.faults import AnswerInvalid, ForeignCodeRaised, mapping
from sandbox.programs.findings import CheckFailed
from sandbox.programs.rule_checks import same
from sandbox.programs.spec_rules import Quantities
from sandbox.programs.subject import Subject, Transition, describe

MOST_STEPS = 1000


def second_reading_agrees(subject: Subject) -> None:
    """The first quantity that differs is told; which of the two is right a person has to say."""
    if subject.ask_second_reading is None or not subject.functions.tables.step:
        return
    transitions = [*subject.placed, *subject.transitions][:MOST_STEPS]
    chosen = subject.functions.stepped([transition.asked() for transition in transitions])
    known = [
        _known(subject, transition, dict(told["chosen"]))
        for transition, told in zip(transitions, chosen, strict=True)
    ]
    try:
        answers = subject.ask_second_reading("read", steps=known)
        if not isinstance(answers, list) or len(answers) != len(transitions):
            raise AnswerInvalid("it does not answer for each step")
        readings = [dict(mapping(answer)) for answer in answers]
    except (ForeignCodeRaised, AnswerInvalid) as error:
        raise _told("second reading", f"it could not be compared: {error}", "", "") from error
    names = [name for name, drawn in subject.functions.tables.step.items() if not drawn]
    for name in [*names, "reward"]:
        for transition, reading in zip(transitions, readings, strict=True):
            done = transition.reward if name == "reward" else transition.quantities.get(name)
            if name in reading and done is not None and not same(done, _plain(reading[name], done)):
                raise _told(
                    "reward" if name == "reward" else f"rule of {name}",
                    f"a second reading of the description gives another {name}",
                    expected=f"{describe(np.asarray(reading[name]))} by the second reading",
                    found=f"{describe(np.asarray(done))} at {transition.where()}",
                )


def _told(place: str, message: str, expected: str, found: str) -> CheckFailed:
    return CheckFailed("environment", message, place, expected, found, blocking=False)


def _known(subject: Subject, transition: Transition, chosen: Quantities) -> Quantities:
    """Decisions as they were taken, what was before the step, and what was drawn in it."""
    tables, quantities = subject.functions.tables, transition.quantities
    worked_out = {name for name, drawn in tables.step.items() if not drawn}
    known = {name: value for name, value in quantities.items() if name not in worked_out}
    known = {name: value for name, value in known.items() if not name.startswith("previous_")}
    known |= {f"previous_{n}": v for n, v in transition.before.items() if n in tables.lasting}
    return {**known, **chosen}


def _plain(value: Any, like: Any) -> Any:
    """A value of another shape with as many numbers, such as a list of one, counts as the same."""
    try:
        return np.asarray(value, dtype=float).reshape(np.shape(like))
    except (TypeError, ValueError):
        return value
