"""The lines that a fault can come from are pointed at."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.line_change import Place, places_in
from nodes.line_proposals import Faulty
from nodes.line_search import MOST_PLACES, places_to_try
from nodes.suspects import at_hand, indices, suspected_first
from state.dynamics import CodeBody
from state.findings import Finding
from state.run_state import RunState
from state.variables import Variable

SOURCE = """def grow(rng, level, rate):
    share = level / rate
    total = level.copy()
    for place in range(3):
        if share > 1:
            total[place] += rate
    lost, kept = 0, 1
    rest = np.sqrt(total) * rate
    return total, rest
"""


RETURN = "return total, rest"


def lines_of(places: list[Place]) -> list[str]:
    return [place.within(SOURCE) for place in places]


@pytest.mark.parametrize(
    ("names", "found", "lines"),
    [
        (["total"], "above 3", ["total = level.copy()", "total[place] += rate", RETURN]),
        (["kept"], "below 0", ["lost, kept = 0, 1", RETURN]),
        (["total"], "nan", ["share = level / rate", "rest = np.sqrt(total) * rate", RETURN]),
        (["other"], "above 3", [RETURN, "share = level / rate"]),
    ],
)
def test_lines_that_can_be_at_fault_come_first(
    names: list[str], found: str, lines: list[str]
) -> None:
    places = lines_of(suspected_first(SOURCE, names, found))
    assert places[: len(lines)] == lines
    assert sorted(places) == sorted(lines_of(list(places_in(SOURCE))))


@given(st.text(), st.text())
def test_any_text_can_be_asked_about(source: str, found: str) -> None:
    assert set(suspected_first(source, ["a"], found)) == set(places_in(source))


def state_of(finding: Finding, rounds: int = 1) -> RunState:
    return RunState(description="d", remarks=[finding], debug_rounds=rounds)


def test_all_lines_of_long_code_are_tried_in_the_end() -> None:
    body = CodeBody(name="grow", purpose="grow", when="step", reads=["level"], writes=["total"])
    lines = "".join(f"    level = level + {k}\n" for k in range(2 * MOST_PLACES))
    source = f"def grow(rng, level):\n{lines}    return level\n"
    finding = Finding(check="c", owner="coding", message="grow raises KeyError")
    tried = [places_to_try(Faulty(source, body, {}), state_of(finding, k)) for k in (1, 2, 3)]
    assert [len(places) for places in tried] == [MOST_PLACES] * 3
    assert {place for places in tried for place in places} == set(places_in(source))


def test_the_lines_of_what_a_finding_names_are_suspected() -> None:
    body = CodeBody(
        name="grow", purpose="grow", when="step", reads=["level", "rate"], writes=["total", "rest"]
    )
    finding = Finding(
        check="ranges_hold", owner="coding", place="total, which code body grow returns",
        message="total leaves its declared range", found="4 at step 2",
    )  # fmt: skip
    total = ["total = level.copy()", "total[place] += rate"]
    assert lines_of(places_to_try(Faulty(SOURCE, body, {}), state_of(finding)))[:3] == [
        *total,
        RETURN,
    ]
    unnamed = finding.model_copy(update={"place": "grow", "message": "wrong"})
    rest = "rest = np.sqrt(total) * rate"
    assert lines_of(places_to_try(Faulty(SOURCE, body, {}), state_of(unnamed)))[:4] == [
        *total,
        rest,
        RETURN,
    ]


def test_what_is_at_hand_is_what_the_code_sets_and_counts() -> None:
    names = ["share", "total", "place", "lost", "kept", "rest"]
    assert at_hand(SOURCE) == names
    assert at_hand("no python") == []


def test_an_index_is_one_whole_number_or_a_counter() -> None:
    quantities = {
        name: Variable(name=name, role="decision", definition="d", dtype=dtype, shape=shape)
        for name, dtype, shape in [
            ("which", "integer", []), ("levels", "integer", [3]), ("rate", "real", []),
        ]
    }  # fmt: skip
    assert indices(SOURCE, {**quantities, "k": None}) == ["which", "place"]
