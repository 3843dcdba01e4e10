"""The graph: which agents and stations there are, and in which order a run passes them."""

from collections.abc import Mapping

from langgraph.graph import END, START, StateGraph

from graph.context import RunContext
from graph.fingerprint import graph_version
from graph.routes import (
    after_coding,
    after_executor,
    after_modeling,
    after_sar,
    after_send_back,
    after_train,
)
from graph.stage import Node, stage
from nodes.coding import coding
from nodes.constraint import constraint
from nodes.debugging import give_up, send_back
from nodes.environment import environment
from nodes.evaluate import evaluate
from nodes.executor import executor
from nodes.heuristic import heuristic
from nodes.intake import intake
from nodes.modeling import modeling
from nodes.objective import objective
from nodes.parameter import parameter
from nodes.report import report
from nodes.sar import sar
from nodes.train import train
from nodes.variable import variable
from state.run_state import RunState

AGENTS: dict[str, Node] = {
    "parameter": parameter,
    "objective": objective,
    "variable": variable,
    "constraint": constraint,
    "modeling": modeling,
    "sar": sar,
    "environment": environment,
    "coding": coding,
    "heuristic": heuristic,
}
STATIONS: dict[str, Node] = {
    "intake": intake,
    "executor": executor,
    "send_back": send_back,
    "give_up": give_up,
    "train": train,
    "evaluate": evaluate,
    "report": report,
}

# From here on no agent is asked again, so that a run can go on to its end without a model.
WITHOUT_MODEL = frozenset({"give_up", "train", "evaluate", "report"})


def build(
    agents: Mapping[str, Node], stations: Mapping[str, Node]
) -> StateGraph[RunState, RunContext, RunState, RunState]:
    """Put the nodes in their order; ``agents`` are those that ask a model."""
    builder = StateGraph(RunState, context_schema=RunContext)
    for name, node in agents.items():
        builder.add_node(name, stage(name, node, asks_model=True))
    for name, node in stations.items():
        builder.add_node(name, stage(name, node))

    builder.add_edge(START, "intake")
    builder.add_edge("intake", "parameter")
    builder.add_edge("parameter", "objective")
    builder.add_edge("objective", "variable")
    builder.add_edge("variable", "constraint")
    builder.add_edge("constraint", "modeling")
    builder.add_conditional_edges("modeling", after_modeling)
    builder.add_conditional_edges("sar", after_sar)
    builder.add_edge("environment", "coding")
    builder.add_conditional_edges("coding", after_coding)
    builder.add_conditional_edges("executor", after_executor)
    builder.add_conditional_edges("send_back", after_send_back)
    builder.add_edge("heuristic", "train")
    builder.add_edge("give_up", "report")
    builder.add_conditional_edges("train", after_train)
    builder.add_edge("evaluate", "report")
    builder.add_edge("report", END)
    return builder


builder = build(AGENTS, STATIONS)
graph = builder.compile(name="a-lamp")


def graph_fingerprint() -> str:
    """Version of the graph: changes with its nodes, its edges or the types of the state."""
    drawn = graph.get_graph()
    edges = [(edge.source, edge.target) for edge in drawn.edges]
    return graph_version(list(drawn.nodes), edges, RunState.model_json_schema())


def recursion_limit(max_debug: int) -> int:
    """Steps that a run takes at most: one pass, and four for each correction round.

    A round is send_back, the agent at fault, coding and executor. A few steps are spare, for the
    graph's own bookkeeping; reaching the limit is always a fault in the routes.
    """
    return len(AGENTS) + len(STATIONS) + 4 * max_debug + 5
