"""A graph builder whose routes know what the caller chose."""

import inspect
from collections.abc import Callable, Hashable
from typing import Any, Self, get_type_hints

from langgraph.graph import StateGraph
from langgraph.runtime import Runtime, get_runtime

from graph.context import RunContext
from state.run_state import RunState


class Builder(StateGraph[RunState, RunContext, RunState, RunState]):
    """A state graph that also routes where its state is changed from outside.

    There, as when somebody forks a thread in a development server, the graph gives no runtime to
    a route that asks for one, and fails. Here such a route finds the default choices.
    """

    def add_conditional_edges(
        self,
        source: str,
        path: Any,
        path_map: dict[Hashable, str] | list[str] | None = None,
    ) -> Self:
        """As in the base class, for a route of the state, or of the state and its runtime."""
        return super().add_conditional_edges(source, _with_runtime(path), path_map)


def _with_runtime(route: Callable[..., Any]) -> Callable[..., Any]:
    if "runtime" not in inspect.signature(route).parameters:
        return route

    def choose(state: RunState) -> Any:
        return route(state, get_runtime(RunContext) or Runtime(context=RunContext()))

    choose.__name__ = route.__name__
    choose.__annotations__["return"] = get_type_hints(route)["return"]
    return choose
