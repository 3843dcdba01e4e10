"""What a model puts in the place of one statement of faulty code.

One that was trained to fill gaps is given the code without the statement, and what is around it
says what it is for; any other is asked.
"""

import ast
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import indent
from typing import Any

from langgraph.runtime import Runtime

from nodes.agent import ask, budget_of, journal_of, prompt_templates
from nodes.body_rules import body_complaints, same_code
from nodes.line_change import LineChange, Place, around, with_blank, with_change
from nodes.line_edits import for_each_number
from nodes.models.errors import ModelError, ReplyInvalid
from nodes.models.fill import Gap
from nodes.settings import RunSettings
from state.dynamics import CodeBody
from state.findings import Finding
from state.python_source import tree_of
from state.run_state import RunState
from state.usage import ModelCall

LONGEST_CHANGE = 500
"""Tokens."""
UNCHANGED = 12.0
"""What it adds to the logarithm of the odds of a change that it changes nothing but the fault.

Chosen by hand: code that a model wrote is mostly right.
"""
WARM = 0.8
"""Sampling temperature of a model that is asked, after the first round."""
MOST_LINES = 8
"""Lines in the place of one statement in the first round, as many more in each round after it."""


@dataclass(frozen=True)
class Faulty:
    """A code body to be mended, what it is for, and what its names stand for."""

    source: str
    body: CodeBody
    quantities: dict[str, Any]

    def own(self, findings: list[Finding]) -> list[Finding]:
        """Those about this body, or all of them."""
        return [f for f in findings if self.body.name in f.place + f.message] or findings


@dataclass(frozen=True)
class Change:
    """A statement of some code, and what is to stand there.

    ``proposed`` says that a model did that. ``unchanged`` is the share of situations in which the
    code then returns what it returned, see ``sandbox.programs.agreement``. ``gain`` says how much
    likelier the change is than what stands there, as a logarithm; what leaves more as it was is
    likelier. None where it is not known.
    """

    place: Place
    instead: str
    proposed: bool = False
    unchanged: float = 0.0
    gain: float | None = None

    def of(self, source: str) -> str:
        """``source`` with this change."""
        return with_change(source, self.place, self.instead)


def proposals(
    faulty: Faulty, place: Place, state: RunState, runtime: Runtime[RunSettings]
) -> tuple[list[Change], RunState]:
    """What the model puts at ``place``, the best first, and the state with the calls added.

    Raises:
        nodes.models.errors.ModelError: the model gave no answer.
    """
    if not fills_gaps(runtime):
        return _asked(faulty, place, state, runtime)
    line = place.within(faulty.source)
    gap = _gap(faulty, place, state, runtime)
    most = MOST_LINES * max(state.debug_rounds, 1)
    lines, call = gap.lines(line, most=most, ordinal=state.asked("coding"))
    both = [each for line in lines for each in (line, *for_each_number(line))]
    return [Change(place, each, proposed=True) for each in both], _with(state, call)


def likeliest_first(
    faulty: Faulty, changes: Sequence[Change], state: RunState, runtime: Runtime[RunSettings]
) -> tuple[list[Change], RunState]:
    """``changes`` with their gains, in the order of these, and the state with the calls added.

    A model that fills no gaps cannot say; then its own come first, and what leaves most unchanged.

    Raises:
        nodes.models.errors.ModelError: the model gave no answer.
    """
    if not fills_gaps(runtime):
        return sorted(changes, key=lambda c: (not c.proposed, -c.unchanged)), state
    count = len(state.calls)
    known = [change for change in changes if change.gain is not None]
    new = [change for change in changes if change.gain is None]
    for place in dict.fromkeys(change.place for change in new):
        there = [change for change in new if change.place == place]
        gap = _gap(faulty, place, state, runtime)
        lines = [place.within(faulty.source), *(change.instead for change in there)]
        try:
            odds, call = gap.odds(lines, ordinal=state.asked("coding"))
        except ModelError as error:
            error.calls = [*state.calls[count:], *error.calls]
            raise
        state = _with(state, call)
        # Where that is too long to tell, no other line there is likelier.
        present = odds[0] if math.isfinite(odds[0]) else max(odds)
        for change, each in zip(there, odds[1:], strict=True):
            gain = (each - present if math.isfinite(each) else each) + UNCHANGED * change.unchanged
            known.append(replace(change, gain=gain))
    return sorted(known, key=lambda change: -(change.gain or 0.0)), state


def fills_gaps(runtime: Runtime[RunSettings]) -> bool:
    """Whether the model of the run was trained to fill gaps in code."""
    return runtime.context.model is not None and runtime.context.model.wire.fills


def _with(state: RunState, call: ModelCall) -> RunState:
    return state.model_copy(update={"calls": [*state.calls, call]})


def _gap(faulty: Faulty, place: Place, state: RunState, runtime: Runtime[RunSettings]) -> Gap:
    settings = runtime.context
    assert settings.model is not None
    # What was found may lead away from what is right, so that every other round goes without.
    told = faulty.own(state.remarks)[:1] if state.debug_rounds % 2 else []
    template = prompt_templates().get_template("fill.md")
    words = template.render(body=faulty.body, quantities=faulty.quantities, remarks=told).strip()
    before, behind = around(faulty.source, place)
    return Gap(
        settings.model,
        f"import numpy as np\n\n\n{indent(words, '# ', lambda line: True)}\n{before}",
        behind,
        agent="coding",
        budget=budget_of(state, settings),
        journal=journal_of(state),
    )


def _asked(
    faulty: Faulty, place: Place, state: RunState, runtime: Runtime[RunSettings]
) -> tuple[list[Change], RunState]:
    source, body = faulty.source, faulty.body
    try:
        answer = ask(
            "coding", LineChange, state, runtime, body=body, quantities=faulty.quantities,
            first=False,
            check=lambda change: change_complaints(faulty, Change(place, change.instead)),
            remarks_prompt="line_change", blank=with_blank(source, place),
            line=place.within(source), unused=unused(source, body),
            temperature=0.0 if state.debug_rounds <= 1 else WARM, repair_temperature=WARM,
            max_output_tokens=LONGEST_CHANGE,
        )  # fmt: skip
    except ReplyInvalid as error:
        return [], state.model_copy(update={"calls": [*state.calls, *error.calls]})
    change = Change(place, answer.value.instead, proposed=True)
    return [change], state.model_copy(update={"calls": answer.calls})


def change_complaints(faulty: Faulty, change: Change) -> list[str]:
    """What keeps ``change`` from being a change that leaves a function."""
    changed = change.of(faulty.source)
    words = [line.strip() for line in change.instead.splitlines()]
    if all(line.startswith("#") for line in words if line):
        return ["nothing would be done there; write a statement"]
    if same_code(changed, faulty.source):
        return ["that is what stood there, and it is wrong; write something else"]
    wrong = body_complaints(changed, faulty.body)
    if wrong:
        return wrong
    lost = set(unused(changed, faulty.body)) - set(unused(faulty.source, faulty.body))
    idle = set(never_read(changed)) - set(never_read(faulty.source))
    return [
        *(f"{name} is not used any more" for name in sorted(lost)),
        *(f"{name} is set and never used" for name in sorted(idle)),
    ]


def unused(source: str, body: CodeBody) -> list[str]:
    """What ``body`` is said to read and ``source``, if it is Python at all, does not."""
    tree = tree_of(source)
    if tree is None:
        return []
    words = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return [name for name in body.reads if name not in words]


def never_read(source: str) -> list[str]:
    """Names that ``source``, if it is Python, gives values and does nothing with.

    A name that begins with an underscore says so itself.
    """
    tree = tree_of(source)
    if tree is None:
        return []
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    return [node.id for node in names if node.id not in read and node.id[0] != "_"]
