import subprocess
import sys
from itertools import pairwise

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver

from graph.build import (
    AGENTS,
    REVIEWS,
    STATIONS,
    builder,
    graph,
    graph_fingerprint,
    recursion_limit,
)
from state.approval import Approval
from state.review import REVIEWED

HEAVY = {
    "torch", "optuna", "tensorboard", "gymnasium", "stable_baselines3", "matplotlib", "pint",
    "langchain_openai", "langchain_ollama", "openai", "ollama", "llama_cpp",
}  # fmt: skip

LOAD = f"""
import resource, sys
import graph.build
spent = resource.getrusage(resource.RUSAGE_SELF)
print(spent.ru_utime + spent.ru_stime, sorted({HEAVY!r} & set(sys.modules)))
"""


def test_loading_the_graph_is_cheap() -> None:
    done = subprocess.run([sys.executable, "-c", LOAD], capture_output=True, text=True, check=True)
    # Processor time: what the clock on the wall says depends on who else is at work.
    seconds, loaded = done.stdout.split(maxsplit=1)
    assert loaded.strip() == "[]"
    assert float(seconds) < 2


def test_drawing_shows_every_agent_and_every_loop() -> None:
    drawn = graph.get_graph()
    edges = {(edge.source, edge.target) for edge in drawn.edges}
    assert set(drawn.nodes) == {"__start__", "__end__", *AGENTS, *REVIEWS, *STATIONS}
    first_pass = [
        "__start__", "intake", "triage", *REVIEWED, "environment", "coding", "executor",
        "heuristic", "train", "evaluate", "report", "__end__",
    ]  # fmt: skip
    assert set(pairwise(first_pass)) <= edges
    for mender in ("coding", "environment", "sar", "modeling"):
        assert ("send_back", mender) in edges
        assert mender == "coding" or (mender, "coding") in edges
    for checked in ("coding", "executor", "heuristic"):
        assert {(checked, "send_back"), (checked, "give_up")} <= edges
    following = dict(pairwise([*REVIEWED, "environment"]))
    for agent in REVIEWED:
        reviewer = f"review_{agent}"
        assert {(agent, reviewer), (reviewer, agent), (reviewer, following[agent])} <= edges
        assert {(reviewer, "clarify"), ("clarify", agent)} <= edges
    assert ("triage", "__end__") in edges
    assert {("give_up", "report"), ("train", "report")} <= edges
    assert {("train", "reconsider"), ("reconsider", "sar")} <= edges


def test_drawing_shows_the_gates_and_where_they_lead() -> None:
    edges = {(edge.source, edge.target) for edge in graph.get_graph().edges}

    def from_(source: str) -> set[str]:
        return {target for origin, target in edges if origin == source}

    on = {"heuristic", "send_back", "report"}
    assert from_("approve_spec") == {"approve_code", "coding", *on}
    assert from_("approve_code") == {"executor", *on}
    assert from_("approve_policy") == {"train", "send_back", "report"}
    assert {("executor", "approve_spec"), ("executor", "approve_code")} <= edges
    assert {("evaluate", "approve_policy"), ("evaluate", "report")} <= edges
    agents = "parameter objective variable constraint modeling sar environment coding"
    assert from_("send_back") == set(agents.split())


def test_state_can_be_changed_behind_every_node() -> None:
    app = builder.compile(checkpointer=InMemorySaver())
    for node in set(builder.nodes) - {"clarify"}:
        config: RunnableConfig = {"configurable": {"thread_id": node}}
        approval = Approval(gate="spec", decision="sent_back", sha256="")
        app.update_state(config, {"description": "d", "approvals": [approval]}, as_node=node)
        assert app.get_state(config).next or node == "report"


def test_server_can_read_input_and_context() -> None:
    assert "description" in graph.get_input_jsonschema()["properties"]
    context = graph.get_context_jsonschema()
    assert context is not None
    assert context["properties"]["model"]["default"] == "auto"


def test_version_of_the_graph_is_stable() -> None:
    assert graph_fingerprint() == graph_fingerprint()
    assert len(graph_fingerprint()) == 12


def test_limit_of_steps_grows_with_the_rounds() -> None:
    assert recursion_limit(5) - recursion_limit(0) == 25
