import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.approval.gate import LONGEST_SHOWN, excerpt
from nodes.approve_spec import agent_for
from state.parameters import Parameter
from tests.specs.wireless import wireless


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(0, 40_000))
def test_an_excerpt_is_small_whatever_it_holds(text: str, times: int) -> None:
    whole = text * (times // (len(text) or 1))
    shown = excerpt(whole, "spec.md")
    assert len(json.dumps(shown, ensure_ascii=False).encode()) <= LONGEST_SHOWN + 100
    assert shown == whole or (
        shown.endswith("the whole is in spec.md") and whole.startswith(shown.rpartition("\n...")[0])
    )


@pytest.mark.parametrize(
    ("remark", "agent"),
    [
        ("The rewards are wrong.", "sar"),
        ("rate_reward should be halved", "sar"),
        ("The channel gain is drawn once.", "environment"),
        ("Transmit power is 100 mW", "parameter"),
        ("a transmitter is missing", "modeling"),
        ("Der Zeithorizont stimmt nicht.", "modeling"),
    ],
)
def test_a_remark_finds_its_agent_by_whole_names(remark: str, agent: str) -> None:
    spec = wireless()
    spec.parameters.append(Parameter(name="a", definition="a number", value=1))
    assert agent_for(remark, spec) == agent
