"""Which verdicts turn a description away."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.triage import GOOD, OPENINGS, TriageReply, account_of, consistent, turns_away
from state.verdict import Verdict


def reply(verdict: Verdict = GOOD, wrong: str = "", **words: str) -> TriageReply:
    found = {"decided": "orders", "wanted": "profit", "happens": "sales", "would_help": ""}
    return TriageReply.model_validate({**found, **words, "verdict": verdict, "wrong": wrong})


@pytest.mark.parametrize("verdict", OPENINGS)
@pytest.mark.parametrize(("wrong", "away"), [("no goal", True), ("", False), ("None.", False)])
def test_a_verdict_must_name_what_is_wrong(verdict: Verdict, wrong: str, away: bool) -> None:
    assert turns_away(reply(verdict, wrong)) is away
    assert not turns_away(reply(GOOD, wrong))


def test_every_verdict_but_one_has_its_sentence() -> None:
    assert account_of(reply("contradiction", "At least 40 and at most 25.", would_help="n/a")) == (
        "The description contradicts itself: At least 40 and at most 25."
    )
    assert account_of(reply("prediction task", "a forecast", would_help="a decision.")).endswith(
        ": a forecast. What would help: a decision."
    )


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        ({}, GOOD),
        ({"happens": "none"}, GOOD),
        ({"decided": "Nothing.", "happens": ""}, "too little to simulate"),
        ({"decided": "n/a", "happens": "none", "wanted": "none"}, "no description"),
    ],
)
def test_a_reply_that_found_too_little_gets_another_verdict(
    words: dict[str, str], verdict: Verdict
) -> None:
    judged = consistent(reply(**words))
    assert judged.verdict == verdict
    assert turns_away(judged) is (verdict != GOOD)


@given(st.text(min_size=1), st.text(min_size=1), st.text(min_size=1))
def test_a_verdict_of_the_model_itself_stays(decided: str, wanted: str, happens: str) -> None:
    given_reply = reply("prediction task", decided=decided, wanted=wanted, happens=happens)
    assert consistent(given_reply) == given_reply
