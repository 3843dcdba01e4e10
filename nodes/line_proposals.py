"""What a model puts in the place of one statement of faulty code.

One that was trained to fill gaps is given the code without the statement and the body's purpose;
any other is asked, with what was found.
"""

import ast
from dataclasses import dataclass
from textwrap import indent
from typing import Any

from langgraph.runtime import Runtime

from nodes.agent import ask, budget_of, journal_of, prompt_templates
from nodes.body_rules import body_complaints, same_code
from nodes.line_change import LONGEST, LineChange, Place, around, with_blank, with_change
from nodes.models.errors import ReplyInvalid
from nodes.models.fill import fill_in
from nodes.settings import RunSettings
from state.dynamics import CodeBody
from state.python_source import tree_of
from state.run_state import RunState

LONGEST_CHANGE = 500
"""Tokens."""
WARM = 0.8
"""Sampling temperature after the first round, which has the likeliest changes."""


@dataclass(frozen=True)
class Faulty:
    """A code body to be mended, what it is for, and what its names stand for."""

    source: str
    body: CodeBody
    quantities: dict[str, Any]


def proposal(
    faulty: Faulty, place: Place, state: RunState, runtime: Runtime[RunSettings]
) -> tuple[str | None, RunState]:
    """``faulty`` with what the model puts at ``place``, and the state with the calls added.

    None where that leaves no other function of the same form.

    Raises:
        nodes.models.errors.ModelError: the model gave no answer.
    """
    model = runtime.context.model
    propose = _filled if model is not None and model.wire.fills else _asked
    change, state = propose(faulty, place, state, runtime)
    if change is None or change_complaints(faulty.source, place, change, faulty.body):
        return None, state
    return with_change(faulty.source, place, change.instead), state


def _temperature(state: RunState) -> float:
    return 0.0 if state.debug_rounds <= 1 else WARM


def _filled(
    faulty: Faulty, place: Place, state: RunState, runtime: Runtime[RunSettings]
) -> tuple[LineChange | None, RunState]:
    settings = runtime.context
    assert settings.model is not None
    told = prompt_templates().get_template("fill.md")
    words = told.render(body=faulty.body, quantities=faulty.quantities).strip()
    before, behind = around(faulty.source, place)
    line, call = fill_in(
        settings.model,
        f"import numpy as np\n\n\n{indent(words, '# ', lambda line: True)}\n{before}",
        behind,
        agent="coding",
        budget=budget_of(state, settings),
        journal=journal_of(state),
        ordinal=state.asked("coding"),
        temperature=_temperature(state),
    )
    state = state.model_copy(update={"calls": [*state.calls, call]})
    # A remark in place of a statement would leave the statement out.
    told_nothing = not line or line.startswith("#") or len(line) > LONGEST
    return None if told_nothing else LineChange(instead=line), state


def _asked(
    faulty: Faulty, place: Place, state: RunState, runtime: Runtime[RunSettings]
) -> tuple[LineChange | None, RunState]:
    source, body = faulty.source, faulty.body
    try:
        answer = ask(
            "coding", LineChange, state, runtime, body=body, quantities=faulty.quantities,
            first=False,
            check=lambda change: change_complaints(source, place, change, body),
            remarks_prompt="line_change", blank=with_blank(source, place),
            line=place.within(source), unused=unused(source, body),
            temperature=_temperature(state), repair_temperature=WARM,
            max_output_tokens=LONGEST_CHANGE,
        )  # fmt: skip
    except ReplyInvalid as error:
        return None, state.model_copy(update={"calls": [*state.calls, *error.calls]})
    return answer.value, state.model_copy(update={"calls": answer.calls})


def change_complaints(source: str, place: Place, change: LineChange, body: CodeBody) -> list[str]:
    """What keeps ``change`` from being a change that leaves a function."""
    changed = with_change(source, place, change.instead)
    if same_code(changed, source):
        return ["that is what stood there, and it is wrong; write something else"]
    wrong = body_complaints(changed, body)
    lost = [] if wrong else sorted({*unused(changed, body)} - {*unused(source, body)})
    return [*wrong, *(f"{name} is not used any more" for name in lost)]


def unused(source: str, body: CodeBody) -> list[str]:
    """What ``body`` is said to read and ``source``, if it is Python at all, does not."""
    tree = tree_of(source)
    if tree is None:
        return []
    words = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return [name for name in body.reads if name not in words]
