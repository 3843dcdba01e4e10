"""The lines that a fault can come from are pointed at."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.code_bodies import suspects
from nodes.suspects import suspect_lines
from state.dynamics import CodeBody
from state.findings import Finding

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


@pytest.mark.parametrize(
    ("names", "found", "lines"),
    [
        (["total"], "above 3", ["total = level.copy()", "total[place] += rate"]),
        (["kept"], "below 0", ["lost, kept = 0, 1"]),
        (["total"], "nan", ["share = level / rate", "rest = np.sqrt(total) * rate"]),
        (["other"], "above 3", []),
    ],
)
def test_lines_that_can_be_at_fault(names: list[str], found: str, lines: list[str]) -> None:
    assert suspect_lines(SOURCE, names, found) == lines


@given(st.text(), st.text())
def test_any_text_can_be_asked_about(source: str, found: str) -> None:
    assert len(suspect_lines(source, ["a"], found)) <= 5


def test_the_lines_of_what_a_finding_names_are_suspected() -> None:
    body = CodeBody(
        name="grow", purpose="grow", when="step", reads=["level", "rate"], writes=["total", "rest"]
    )
    finding = Finding(
        check="ranges_hold", owner="coding", place="total, which code body grow returns",
        message="total leaves its declared range", found="4 at step 2",
    )  # fmt: skip
    total = ["total = level.copy()", "total[place] += rate"]
    assert suspects(SOURCE, body, [finding]) == total
    unnamed = finding.model_copy(update={"place": "grow", "message": "wrong"})
    rest = "rest = np.sqrt(total) * rate"
    assert suspects(SOURCE, body, [unnamed]) == [*total, rest]
