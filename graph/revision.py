"""Revision: a new thread in which only what a remark touches is done again."""

from pathlib import Path

from graph.arguments import Arguments, UsageError
from graph.outcome import RunOutcome
from graph.preparation import new_folder, new_thread, same_graph
from graph.stored import full_id, kept_threads, read_thread
from graph.threads import run_new
from nodes.description import amended, remark_problem
from nodes.revising import revision_of
from nodes.run_copy import copy_run
from nodes.spec_edit import MADE_ANEW
from state.run_state import RunState


def revise(arguments: Arguments) -> RunOutcome:
    """Revise a thread by a remark in a new thread; the old one stays as it is.

    Raises:
        UsageError: there is no such thread, it has no specification yet, or the remark is none;
            nothing is left behind.
        ModelError: the model cannot serve; nothing is left behind.
    """
    assert arguments.revise is not None
    given, remark = arguments.revise
    problem = remark_problem(remark)
    if problem:
        raise UsageError(problem)
    with kept_threads(arguments.checkpoint_db) as store:
        stored = read_thread(store, full_id(store, given))
        same_graph(stored)
        before = stored.state
        if before.dynamics is None:
            raise UsageError(
                f"thread {stored.thread_id} has no whole specification yet to revise; go on with "
                f"it first: --resume {stored.thread_id}"
            )
        description = amended(before.description, [remark])
        thread = new_thread(arguments, stored, description, asks=True)
        with new_folder(arguments, thread, before.title) as folder:
            gone = copy_run(before, Path(before.run_folder), folder)
            beginning = _beginning(before, description, remark, stored.thread_id, folder, gone)
            with store.lock(thread.thread_id):
                return run_new(arguments, thread, store, beginning)


def _beginning(
    before: RunState, description: str, remark: str, thread_id: str, folder: Path, gone: list[str]
) -> RunState:
    """What was made before, with accounts of its own and what is to be revised in it."""
    anew = MADE_ANEW if gone else {"remarks": [], "debug_rounds": 0}
    state = RunState(
        **{
            **dict(before),
            **anew,
            "description": description,
            "amendments": [*before.amendments, remark],
            "run_folder": str(folder),
            "calls": [],
            "stages": [],
            "notes": [*before.notes, f"revises run {thread_id}: {remark}"],
        }
    )
    return state.model_copy(update={"revision": revision_of(state, thread_id, remark)})
