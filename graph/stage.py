"""What happens around every node: its settings, its entry in the accounts, its last check."""

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, cast

from langgraph.runtime import Runtime

from graph.context import RunContext
from nodes.accounts import StageClock
from nodes.models.errors import ModelRefused, ReplyInvalid
from nodes.models.journal import JOURNAL, CallJournal
from nodes.revising import decision, forgetting, noting
from nodes.settings import RunSettings
from state.run_state import RunState, StageStatus

Node = Callable[[RunState, Runtime[RunSettings]], dict[str, Any]]

# Who hears what a node says while it works. The graph's own "custom" stream would do that too,
# but moves nodes to a thread of their own, where an interruption waits until the node has ended.
LISTENER: ContextVar[Callable[[Any], None] | None] = ContextVar("LISTENER", default=None)


class GraphNode(Protocol):
    """A node as the graph calls it."""

    def __call__(self, state: RunState, *, runtime: Runtime[RunContext]) -> dict[str, Any]:
        """Return the update of the state."""


def stage(name: str, node: Node, *, asks_model: bool = False) -> GraphNode:
    """Make a node of the graph out of ``node``.

    It is given :class:`RunSettings` made from the run context. Its update is validated against
    the state before it is returned, because the graph itself would drop an unknown key and
    notice a wrong value only in the next node. Unless it writes its own entry in ``stages``,
    one is written for it. In a revision, a node is passed over whose work can be kept.
    """

    def run_stage(state: RunState, *, runtime: Runtime[RunContext]) -> dict[str, Any]:
        context = runtime.context or RunContext()
        clock = StageClock(name)
        redone = decision(state, name)
        if redone is not None and redone.kept:
            stages = clock.add_to(state, "skipped", f"kept: {redone.why}")
            return {**noting(state, redone), "stages": stages}
        model = context.chosen_model(state.description) if asks_model else None
        given = replace(
            cast(Runtime[Any], runtime),
            context=context.settings(model),
            stream_writer=LISTENER.get() or runtime.stream_writer,
        )
        forgotten = forgetting(state, redone) if redone is not None else {}
        try:
            update = node(state.model_copy(update=forgotten), given)
        except (ReplyInvalid, ModelRefused) as error:
            CallJournal(Path(state.run_folder) / JOURNAL).give_up(error)
            raise
        if "stages" not in update:
            update = {**update, "stages": clock.add_to(state, _status(state, update))}
        if redone is not None:
            update = {**forgotten, **update, **noting(state, redone)}
        RunState.model_validate({**dict(state), **update})
        return update

    run_stage.__name__ = name
    run_stage.__doc__ = node.__doc__
    return run_stage


def _status(state: RunState, update: dict[str, Any]) -> StageStatus:
    """Repaired, if one of the node's calls to its model was asked again."""
    calls = update.get("calls", state.calls)[len(state.calls) :]
    return "repaired" if any(call.attempt > 1 for call in calls) else "done"
