"""A heuristic is plain functions over what is seen, or it is not run at all."""

import pytest

from nodes.heuristic_rules import heuristic_complaints

GOOD = "def heuristic(seen):\n    return max(seen['level'], 1)"
HELPED = (
    "import math\nfrom numpy import clip\n\ndef half(x):\n    return math.floor(x / 2)\n\n" + GOOD
)


@pytest.mark.parametrize("source", [GOOD, HELPED])
def test_plain_functions_are_taken(source: str) -> None:
    assert heuristic_complaints(source) == []


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def heuristic(seen)\n    return 1", "not valid Python"),
        ("X = 1\n" + GOOD, "functions only"),
        (GOOD.replace("(seen)", "(observation)"), "def heuristic(seen):"),
        (GOOD.replace("heuristic", "decide"), "def heuristic(seen):"),
        (GOOD + "\n" + GOOD, "give one function"),
        (GOOD.replace("return ", ""), "returns nothing"),
        ("def act(x):\n    return x\n\n" + GOOD, "the name act is taken"),
        ("import os\n" + GOOD, "os may not be imported"),
        ("import numpy.random\n" + GOOD, "numpy.random may not be imported"),
        ("from numpy import random\n" + GOOD, "random may not be imported"),
        ("from numpy import *\n" + GOOD, "* may not be imported"),
        ("from . import numpy\n" + GOOD, "may not be imported"),
        (GOOD.replace("1)", "np.random.rand())"), "nothing random"),
        (GOOD.replace("1)", "np.load('x'))"), ".load may not be used"),
        (GOOD.replace("max(", "eval("), "eval may not be used"),
        (GOOD.replace("1)", "seen.__class__)"), ".__class__ may not be used"),
        (GOOD.replace("return", "global kept\n    kept = 1\n    return"), "global names"),
        (GOOD + "#" * 12_000, "longer than"),
    ],
)
def test_everything_else_is_refused_with_a_reason(source: str, said: str) -> None:
    assert any(said in complaint for complaint in heuristic_complaints(source))
