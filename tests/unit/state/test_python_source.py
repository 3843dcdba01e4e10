"""Line breaks that an answer lost are put back where the indentation tells of them."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.artefacts import BodySource
from state.python_source import with_line_breaks

SOURCE = """def drive(rng, row, shelf):
    size = len(shelf)
    for k in range(size):
        if shelf[k] == 1:
            return row
        row = row + 1
    return row"""


def test_line_breaks_are_put_back() -> None:
    flat = SOURCE.replace("\n", "")
    assert BodySource(name="drive", source=flat).source == SOURCE


@pytest.mark.parametrize(
    "source",
    [
        SOURCE,
        SOURCE + "\n",
        "def f(x): return x",
        "def f(x):    return x    # twice",
        "",
        "def f(:",
    ],
)
def test_other_source_stays_as_it_is(source: str) -> None:
    assert with_line_breaks(source) == source


@given(st.text(alphabet="def f(x):=1+#'\n    return ", max_size=80))
def test_what_is_python_stays_so(source: str) -> None:
    kept = with_line_breaks(source)
    if kept != source:
        ast.parse(kept)
        assert "".join(kept.split()) == "".join(source.split())
