"""The graph: which agents and stations there are, and in which order a run passes them."""

from collections.abc import Mapping

from langgraph.graph import END, START

from graph.branching import Builder
from graph.context import RunContext
from graph.fingerprint import graph_version
from graph.routes import (
    MENDERS,
    NEXT_AGENT,
    TRAINING_ROUNDS,
    after_answer,
    after_approval,
    after_clarify,
    after_coding,
    after_evaluate,
    after_executor,
    after_heuristic,
    after_review,
    after_send_back,
    after_start,
    after_train,
    after_triage,
)
from graph.stage import Node, stage
from nodes.approve_code import approve_code
from nodes.approve_policy import approve_policy
from nodes.approve_spec import approve_spec
from nodes.clarify import clarify
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
from nodes.reconsider import reconsider
from nodes.reexamine import reexamining
from nodes.report import report
from nodes.review import review
from nodes.revise import revise
from nodes.sar import sar
from nodes.train import train
from nodes.triage import triage
from nodes.variable import variable
from state.review import REVIEWED
from state.run_state import RunState

AGENTS: dict[str, Node] = {
    "revise": revise,
    "triage": triage,
    "parameter": reexamining("parameter", parameter),
    "objective": reexamining("objective", objective),
    "variable": reexamining("variable", variable),
    "constraint": reexamining("constraint", constraint),
    "modeling": reexamining("modeling", modeling),
    "sar": reexamining("sar", sar),
    "environment": environment,
    "coding": coding,
    "heuristic": heuristic,
}
REVIEWS: dict[str, Node] = {f"review_{agent}": review(agent) for agent in REVIEWED}
STATIONS: dict[str, Node] = {
    "intake": intake,
    "clarify": clarify,
    "executor": executor,
    "send_back": send_back,
    "give_up": give_up,
    "approve_spec": approve_spec,
    "approve_code": approve_code,
    "train": train,
    "reconsider": reconsider,
    "evaluate": evaluate,
    "approve_policy": approve_policy,
    "report": report,
}

# From here on no agent is asked again, so that a run can go on to its end without a model; only
# what training came to may lead back to one, which then is chosen.
WITHOUT_MODEL = frozenset({"give_up", "train", "evaluate", "report"})


def build(agents: Mapping[str, Node], stations: Mapping[str, Node]) -> Builder:
    """Put the nodes in their order; ``agents`` are those that ask a model."""
    builder = Builder(RunState, context_schema=RunContext)
    for name, node in agents.items():
        builder.add_node(name, stage(name, node, asks_model=True))
    for name, node in stations.items():
        builder.add_node(name, stage(name, node))

    builder.add_conditional_edges(START, after_start)
    builder.add_edge("revise", "parameter")
    builder.add_edge("intake", "triage")
    builder.add_conditional_edges("triage", after_triage)
    for agent in REVIEWED:
        reviewer, next_agent = f"review_{agent}", NEXT_AGENT[agent]
        # Only what a finding can send back to comes here in a correction round.
        code = ["coding"] if agent in MENDERS.values() else []
        builder.add_conditional_edges(agent, after_answer(agent), [reviewer, next_agent, *code])
        builder.add_conditional_edges(reviewer, after_review(agent), [agent, "clarify", next_agent])
    builder.add_conditional_edges("clarify", after_clarify, [*REVIEWED, "environment"])
    builder.add_edge("environment", "coding")
    builder.add_conditional_edges("coding", after_coding)
    builder.add_conditional_edges("executor", after_executor)
    builder.add_conditional_edges("send_back", after_send_back)
    builder.add_conditional_edges("heuristic", after_heuristic)
    builder.add_edge("give_up", "report")
    builder.add_conditional_edges("train", after_train)
    builder.add_edge("reconsider", "sar")
    builder.add_conditional_edges("evaluate", after_evaluate)
    checked = ["send_back", "heuristic", "report"]
    builder.add_conditional_edges(
        "approve_spec", after_approval, ["coding", "approve_code", *checked]
    )
    builder.add_conditional_edges("approve_code", after_approval, ["executor", *checked])
    builder.add_conditional_edges(
        "approve_policy", after_approval, ["train", "send_back", "report"]
    )
    builder.add_edge("report", END)
    return builder


builder = build({**AGENTS, **REVIEWS}, STATIONS)


def graph_fingerprint() -> str:
    """Version of the graph: changes with its nodes, its edges or the types of the state."""
    drawn = builder.compile().get_graph()
    edges = [(edge.source, edge.target) for edge in drawn.edges]
    return graph_version(list(drawn.nodes), edges, RunState.model_json_schema())


# A server that runs it keeps the version with each checkpoint, as the command line does.
graph = builder.compile(name="a-lamp").with_config(metadata={"graph_version": graph_fingerprint()})


def recursion_limit(max_debug: int, max_reexaminations: int = 2) -> int:
    """Steps that a run takes at most: one pass, and those of each correction.

    A correction round is send_back, the agent at fault, coding, executor and, where that finds
    nothing, heuristic, which may ask for the next round. An agent that is reviewed is asked and
    reviewed again in each re-examination, and after a question once more. A round that training
    asks for has six, from reconsider to train. A few steps are spare, for the graph's own
    bookkeeping; reaching the limit is always a fault in the routes.
    """
    reviewed = len(REVIEWED) * (2 * max_reexaminations + 3)
    return len(AGENTS) + len(STATIONS) + reviewed + 5 * max_debug + 6 * TRAINING_ROUNDS + 5
