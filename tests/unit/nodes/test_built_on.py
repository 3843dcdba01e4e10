"""What each piece is built on: a change elsewhere leaves its hashes as they are."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.built_on import PIECE_OF, reads_of
from nodes.revising import decision, noting, revision_of
from state.dynamics import Rule
from state.parameters import Parameter
from state.revision import PieceChange, Redone, Revision
from state.run_state import RunState
from tests.environments.scheduling_spec import scheduling_spec

AGENTS = tuple(PIECE_OF)


def finished() -> RunState:
    spec = scheduling_spec()
    return RunState(**{name: getattr(spec, name) for name in type(spec).model_fields})


def changed_for(after: RunState) -> set[str]:
    """Agents whose piece is built on something that is different in ``after``."""
    before = finished()
    return {
        agent
        for agent in AGENTS
        if any(
            reads_of(agent, after).get(name) != digest
            for name, digest in reads_of(agent, before).items()
        )
    }


def with_parameter(name: str, **update: Any) -> RunState:
    state = finished()
    parameters = [p.model_copy(update=update) if p.name == name else p for p in state.parameters]
    return state.model_copy(update={"parameters": parameters})


def test_nothing_changed_is_nothing_to_do() -> None:
    assert changed_for(finished()) == set()


@given(st.floats(-1e6, 1e6, allow_nan=False))
def test_another_value_matters_only_where_it_was_written_out(value: float) -> None:
    # No piece holds the 8 dB of the spread as a number.
    assert changed_for(with_parameter("spread", value=value)) == set()


def test_value_that_a_piece_wrote_out_matters_to_it() -> None:
    # The constraint's expression says 3 where it could have named the number of links.
    links = Parameter(name="last_link", definition="number of the last link", value=3)
    before = finished().model_copy(update={"parameters": [*finished().parameters, links]})
    other = links.model_copy(update={"value": 4.0})
    after = before.model_copy(update={"parameters": [*finished().parameters, other]})
    one, two = reads_of("modeling", before), reads_of("modeling", after)
    assert [name for name in one if one[name] != two.get(name)] == ["the value of last_link"]


@given(st.text(max_size=20), st.text(max_size=20))
def test_words_that_explain_a_piece_matter_to_none(definition: str, quote: str) -> None:
    assert changed_for(with_parameter("spread", definition=definition, quote=quote)) == set()


def test_another_unit_matters_to_those_who_name_the_parameter() -> None:
    assert changed_for(with_parameter("spread", unit="")) == {"environment"}


def test_new_parameter_matters_to_none_until_a_piece_uses_it() -> None:
    state = finished()
    new = Parameter(name="price", definition="price", value=3)
    assert changed_for(state.model_copy(update={"parameters": [*state.parameters, new]})) == set()


def test_another_goal_matters_to_those_who_pursue_it() -> None:
    state = finished()
    assert state.objective is not None
    goal = state.objective.model_copy(update={"statement": "Send as little as possible."})
    after = state.model_copy(update={"objective": goal})
    assert changed_for(after) == {"variable", "modeling", "sar"}


def test_another_horizon_matters_to_the_environment() -> None:
    state = finished()
    assert state.model is not None
    model = state.model.model_copy(update={"horizon": 200})
    assert changed_for(state.model_copy(update={"model": model})) - {"modeling"} == {"environment"}


def revised(*changes: PieceChange, **update: Any) -> RunState:
    state = finished()
    planned = {"planned": True, "changes": list(changes)}
    revision = revision_of(state, "some-thread", "a remark").model_copy(update=planned)
    return state.model_copy(update={"revision": revision, **update})


def test_decision_keeps_what_nothing_touches_and_says_why() -> None:
    change = PieceChange(piece="sar", reason="It says so.", instruction="Do so.")
    state = revised(change)
    assert decision(state, "sar") == Redone(node="sar", kept=False, why="It says so.")
    kept = decision(state, "environment")
    assert kept is not None
    assert (kept.kept, kept.why) == (True, "nothing that it is built on has changed")
    assert decision(state, "train") is None
    assert decision(finished(), "sar") is None


def test_node_that_is_reached_again_is_worked_on_as_always() -> None:
    state = revised()
    redone = decision(state, "sar")
    assert redone is not None
    state = state.model_copy(update=noting(state, redone))
    assert decision(state, "sar") is None
    review = decision(state, "review_sar")
    assert review is not None
    assert review.kept
    assert decision(state, "review_modeling") is None


def test_no_decision_before_there_is_a_plan() -> None:
    state = finished()
    revision = revision_of(state, "some-thread", "a remark")
    assert decision(state.model_copy(update={"revision": revision}), "sar") is None


@pytest.mark.parametrize("node", ["coding", "executor", "heuristic", "evaluate"])
def test_what_follows_another_specification_is_done_again(node: str) -> None:
    rule = Rule(variable="rate", kind="computed", expression="log2(2 + gain[user] / reference)")
    state = revised()
    assert state.dynamics is not None
    rules = [*state.dynamics.rules[:1], rule]
    after = state.model_copy(
        update={"dynamics": state.dynamics.model_copy(update={"rules": rules})}
    )
    redone = decision(after, node)
    assert redone is not None
    assert (redone.kept, redone.why) == (False, "dynamics changed")


def test_revision_names_its_changes() -> None:
    change = PieceChange(piece="sar", reason="r", instruction="i")
    revision = Revision(thread_id="t", remark="r", changes=[change])
    assert revision.change("sar") == change
    assert revision.change("coding") is None
