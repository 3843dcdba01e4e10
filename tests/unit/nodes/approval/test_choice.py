import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.approval.choice import Choice, NotUnderstood, choice_of
from state.approval import GATES, Gate, gates_in
from state.findings import Owner

AGENTS: tuple[Owner, ...] = ("parameter", "sar", "coding")
PROGRAM = "import numpy\n\nclass Environment(gymnasium.Env):\n    pass"


@pytest.mark.parametrize(
    ("answer", "choice"),
    [
        ("approve", Choice("approved")),
        ("Yes.", Choice("approved")),
        ("OK!", Choice("approved")),
        ("a", Choice("approved")),
        ("edit: spec.json", Choice("edited", "spec.json")),
        ("EDIT :\n{}", Choice("edited", "{}")),
        ('{"title": "t"}', Choice("edited", '{"title": "t"}')),
        ("yes, but with 20 MHz", Choice("sent_back", "yes, but with 20 MHz")),
        ("Die Kosten fehlen.", Choice("sent_back", "Die Kosten fehlen.")),
        ("send back sar: no costs", Choice("sent_back", "no costs", "sar")),
        ("Send it back to the SAR agent: no\ncosts", Choice("sent_back", "no\ncosts", "sar")),
        ("send back: no costs", Choice("sent_back", "no costs")),
    ],
)
def test_answers_are_read(answer: str, choice: Choice) -> None:
    assert choice_of(answer, "spec", AGENTS) == choice


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("no", "Say what is wrong"),
        ("edit", "Say what is wrong"),
        ("edit:", "Name the file"),
        ("send back", "Say what is wrong"),
        ("send back sar:  ", "Say what is wrong"),
        ("send back training: longer", "no agent 'training' here; known are parameter, sar"),
        ("x" * 4001, "4,001 characters"),
    ],
)
def test_what_cannot_be_followed_is_said(answer: str, says: str) -> None:
    with pytest.raises(NotUnderstood, match=says):
        choice_of(answer, "spec", AGENTS)


def test_a_piece_is_known_by_its_look_where_it_belongs() -> None:
    assert choice_of(PROGRAM, "code", AGENTS) == Choice("edited", PROGRAM)
    assert choice_of(PROGRAM, "spec", AGENTS).decision == "sent_back"
    assert choice_of("{}", "policy", AGENTS).decision == "sent_back"


@given(st.text(min_size=1).map(str.strip).filter(bool), st.sampled_from(GATES))
def test_nothing_but_a_plain_yes_approves(answer: str, gate: Gate) -> None:
    try:
        choice = choice_of(answer, gate, AGENTS)
    except NotUnderstood:
        return
    assert (choice.decision == "approved") == (
        answer.strip(" .!").lower() in {"a", "approve", "approved", "ok", "okay", "y", "yes"}
    )
    assert choice.decision == "approved" or choice.text


def test_gates_are_named_with_commas() -> None:
    assert gates_in("none") == gates_in("") == frozenset()
    assert gates_in("code, spec") == {"spec", "code"}
    with pytest.raises(ValueError, match="no 'speck' to approve; known are spec, code, policy"):
        gates_in("spec,speck")
