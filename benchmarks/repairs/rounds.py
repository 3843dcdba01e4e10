"""The coding rounds alone, from a start to their end."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from benchmarks.repairs.judging import difference
from benchmarks.repairs.plain_executor import PLAIN, plain_executor
from benchmarks.repairs.starts import Start, sources
from nodes.coding import coding
from nodes.debugging import blocking_findings, send_back
from nodes.executor import executor
from nodes.models.errors import ContextTooLong, ReplyInvalid
from nodes.settings import RunSettings
from nodes.trial import CHECKED, Trial
from state.run_state import RunState
from state.usage import Usage

Look = Callable[[RunState, Runtime[RunSettings]], dict[str, Any]]

LOOKS: dict[str, Look] = {"ladder": executor, "traceback": plain_executor}
"""What the agent is told comes from one of these."""
TRIALS: dict[str, Trial] = {"ladder": CHECKED, "traceback": PLAIN}
"""So it tries out what may mend the code."""


@dataclass(frozen=True)
class Repair:
    """What became of a start.

    ``round`` counts the coding rounds to the repair (0 where the first answer of an agent that had
    no code was right); None where there was none. ``told`` says whether there was anything to tell
    the agent at first, ``ended`` how it ended. ``seconds`` are those of rounds and checks.
    """

    round: int | None
    told: bool
    ended: str
    calls: int
    seconds: float


def repair(start: Start, messages: str, settings: RunSettings, folder: Path, rounds: int) -> Repair:
    """Have the coding agent repair ``start``, told what ``LOOKS[messages]`` finds.

    Raises:
        nodes.models.errors.ModelError: the model does not answer.
        SandboxUnavailable: this machine cannot contain generated code.
    """
    folder.mkdir(parents=True, exist_ok=True)
    runtime = Runtime(context=settings)
    look, trial, began = LOOKS[messages], TRIALS[messages], time.monotonic()
    state, made, told = start.state(folder), 0, False
    ended = "it is never as it should be"
    try:
        state = _after(state, coding(state, runtime, trial))
        while True:
            if state.code is not None:
                state = _after(state, look(state, runtime))
            told = told or (made == 0 and bool(blocking_findings(state)))
            if not blocking_findings(state) or made == rounds:
                break
            state = _after(state, send_back(state, runtime))
            state = _after(state, coding(state, runtime, trial))
            made += 1
    except (ReplyInvalid, ContextTooLong) as error:
        state = _after(state, {"calls": [*state.calls, *error.calls], "code": None})
        ended = f"no usable answer: {error}"
    seconds, calls = time.monotonic() - began, Usage.of(state.calls).calls
    if state.code is None:
        return Repair(None, told, ended, calls, seconds)
    wrong = still_wrong(start, state, settings, checked=look is executor)
    return Repair(None if wrong else made, told, wrong or "right", calls, seconds)


def still_wrong(start: Start, state: RunState, settings: RunSettings, *, checked: bool) -> str:
    """What keeps the code of ``state`` from being a repair, or empty.

    ``checked`` says that the findings in ``state`` are those of the ladder.
    """
    if not checked:
        state = _after(state, executor(state, Runtime(context=settings)))
    findings = blocking_findings(state)
    if findings:
        return f"{findings[0].check}: {findings[0].message}"
    other = difference(start.spec, sources(start.right), state.bodies, settings)
    return f"passes all checks, and is another: {other}" if other else ""


def _after(state: RunState, update: dict[str, Any]) -> RunState:
    """The state with what a node returned."""
    return state.model_copy(update=update)
