import subprocess
import sys
from itertools import pairwise

from graph.build import AGENTS, REVIEWS, STATIONS, graph, graph_fingerprint, recursion_limit
from state.review import REVIEWED

HEAVY = {
    "torch", "gymnasium", "stable_baselines3", "matplotlib", "pint",
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
    for checked in ("coding", "executor"):
        assert {(checked, "send_back"), (checked, "give_up")} <= edges
    following = dict(pairwise([*REVIEWED, "environment"]))
    for agent in REVIEWED:
        reviewer = f"review_{agent}"
        assert {(agent, reviewer), (reviewer, agent), (reviewer, following[agent])} <= edges
        assert {(reviewer, "clarify"), ("clarify", agent)} <= edges
    assert ("triage", "__end__") in edges
    assert {("give_up", "report"), ("train", "report")} <= edges


def test_server_can_read_input_and_context() -> None:
    assert "description" in graph.get_input_jsonschema()["properties"]
    context = graph.get_context_jsonschema()
    assert context is not None
    assert context["properties"]["model"]["default"] == "auto"


def test_version_of_the_graph_is_stable() -> None:
    assert graph_fingerprint() == graph_fingerprint()
    assert len(graph_fingerprint()) == 12


def test_limit_of_steps_grows_with_the_rounds() -> None:
    assert recursion_limit(5) - recursion_limit(0) == 20
