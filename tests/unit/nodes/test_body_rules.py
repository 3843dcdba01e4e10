"""A code body is one plain function of the named arguments, or it is not run at all."""

import pytest

from nodes.body_rules import body_complaints, signature
from state.dynamics import CodeBody

BODY = CodeBody(name="serve", when="step", purpose="p", reads=["queue", "n"], writes=["queue", "m"])
GOOD = "def serve(rng, queue, n):\n    m = min(queue, n)\n    return queue - m, m"


def test_what_was_asked_for_is_taken() -> None:
    assert signature(BODY) == "serve(rng, queue, n)"
    assert body_complaints(GOOD, BODY) == []


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def serve(rng, queue, n)\n    return 1", "not valid Python"),
        ("x = 1\n" + GOOD, "exactly one function"),
        (GOOD.replace("queue, n)", "n, queue)"), "must begin with 'def serve(rng, queue, n):'"),
        (GOOD.replace("    m =", "    import os\n    m ="), "nothing is imported"),
        (GOOD.replace("min(", "eval("), "eval may not be used"),
        (GOOD.replace("min(queue, n)", "queue.__class__"), "__class__ may not be used"),
        (GOOD.replace("min(queue, n)", "np.random.poisson(n)"), "from rng only"),
        (GOOD.replace("queue - m, m", "queue, n, m"), "2 values must be returned, not 3"),
        (GOOD.replace("return", "pass  #"), "returns nothing"),
        ("def serve(rng, queue, n):\n    return " + "-" * 7000 + "n, n", "nested too deeply"),
        (GOOD + "#" * 8000, "longer than"),
    ],
)
def test_everything_else_is_refused_with_a_reason(source: str, said: str) -> None:
    assert any(said in complaint for complaint in body_complaints(source, BODY))
