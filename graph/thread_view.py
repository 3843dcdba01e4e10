"""One thread as it stands: what was made so far, what was assumed, what it waits for."""

from typing import Any

from pydantic import BaseModel

from graph.answers import question_lines
from graph.arguments import Arguments
from graph.stored import StoredThread, full_id, kept_threads, read_thread
from graph.thread_list import ThreadLine, line_of
from state.piece import Sourced
from state.question import Question
from state.run_state import RunState
from state.usage import Usage

PIECES = (
    "parameters", "objective", "variables", "constraints", "model", "sar", "dynamics",
    "heuristic", "training", "evaluation",
)  # fmt: skip


class ThreadView(BaseModel):
    """A thread in full; ``pieces`` holds what was made so far, as the state has it."""

    thread: ThreadLine
    settings: dict[str, Any]
    description: str
    pieces: dict[str, Any]
    assumptions: list[str]
    notes: list[str]
    questions: list[Question]
    tokens: int
    account: str


def show_thread(arguments: Arguments) -> str:
    """The thread, as text or as JSON.

    Raises:
        UsageError: there is no such thread, or it cannot be read.
    """
    assert arguments.show is not None
    with kept_threads(arguments.checkpoint_db) as store:
        thread_id = full_id(store, arguments.show)
        stored = read_thread(store, thread_id)
        extent = next(e for e in store.extents() if e.thread_id == thread_id)
        line = line_of(store, extent)
    view = _view(stored, line)
    return view.model_dump_json() if arguments.json else "\n".join(_lines(view, stored.state))


def _view(stored: StoredThread, line: ThreadLine) -> ThreadView:
    state = stored.state
    return ThreadView(
        thread=line,
        settings=stored.fingerprint.settings if stored.fingerprint else {},
        description=state.description,
        pieces={n: v for n, v in state.model_dump(mode="json", include=set(PIECES)).items() if v},
        assumptions=_assumptions(state),
        notes=state.notes,
        questions=[Question.model_validate(i.value) for i in stored.snapshot.interrupts],
        tokens=Usage.of(state.calls).tokens,
        account=state.account,
    )


def _assumptions(state: RunState) -> list[str]:
    pieces: list[tuple[str, Sourced]] = [(p.name, p) for p in state.parameters]
    pieces += [("objective", state.objective)] if state.objective else []
    pieces += [(v.name, v) for v in state.variables]
    pieces += [(c.name, c) for c in state.constraints]
    return [f"{name}: {piece.assumed}" for name, piece in pieces if piece.assumed]


def _lines(view: ThreadView, state: RunState) -> list[str]:
    thread = view.thread
    rows = {
        "thread": thread.thread_id,
        "title": thread.title,
        "status": thread.status.replace("_", " "),
        "begun": thread.begun,
        "active last": thread.active,
        "stands": f"before {', '.join(thread.next_nodes)}" if thread.next_nodes else "finished",
        "run folder": thread.run_folder,
        "parameters": ", ".join(p.name for p in state.parameters),
        "objective": state.objective.statement if state.objective else "",
        "variables": ", ".join(v.name for v in state.variables),
        "constraints": ", ".join(c.name for c in state.constraints),
        "reward": "; ".join(t.expression for t in state.sar.reward) if state.sar else "",
        "corrections": str(state.debug_rounds or ""),
        "policy": state.training.algorithm if state.training else "",
        "tokens": f"{view.tokens:,}",
        "account": view.account,
    }
    lines = [f"{name + ':':<13}{value}" for name, value in rows.items() if value]
    lines += [f"assumed:     {assumption}" for assumption in view.assumptions]
    lines += [f"note:        {note}" for note in view.notes]
    for question in view.questions:
        lines += ["", *question_lines(question)]
    return lines
