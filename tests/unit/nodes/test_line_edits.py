"""Small changes of a line, of the kinds that most faults need."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.line_edits import edits_of, for_each_number

NAMES = ["stock", "sold", "price"]


@pytest.mark.parametrize(
    ("line", "edit"),
    [
        ("left = stock", "left = stock - sold"),
        ("left = stock - sold", "left = np.maximum(stock - sold, 0)"),
        ("left = stock - sold", "left = stock + sold"),
        ("left = stock - sold", "left = stock"),
        ("left[k] = stock[k] / 2", "left[k] = (stock[k] - sold[k]) / 2"),
        ("left = min(stock, 5)", "left = np.minimum(stock, 5)"),
        ("left = stock if sold else 0", "left = np.where(sold, stock, 0)"),
        ("left = np.sum(stock)", "left = stock"),
        ("return stock, sold", "return sold, stock"),
        ("return stock, sold", "return stock[k], sold[k]"),
        ("for k in stock:", "for k in range(len(stock)):"),
        ("while stock < sold:", "while stock <= sold:"),
        ("if stock[price] > 3:", "if stock[sold] > 3:"),
        ("elif stock > sold:", "elif stock >= sold:"),
        ("left = np.array([1, 2])", "left = np.array([1, 2])[k]"),
        ("left = np.sort(stock)", "left = np.argsort(stock)"),
        ("left = f(1, stock)", "left = f(stock)"),
        ("left = f(stock, sold, axis=0)", "left = f(sold, stock, axis=0)"),
    ],
)
def test_the_usual_changes_are_among_them(line: str, edit: str) -> None:
    assert edit in edits_of(line, NAMES, ["k"])


@pytest.mark.parametrize("line", ["", "left =", "else:", "# sold", "größe = stock", "a = 1; b = 2"])
def test_what_is_no_line_of_its_own_has_none(line: str) -> None:
    assert list(edits_of(line, NAMES, ["k"])) == []
    assert for_each_number(line) == []


LINES = st.sampled_from(
    [
        "left = stock", "left -= np.sum(stock * price)", "return stock, -sold", "pass", "f(stock)",
        "for a, b in zip(stock, sold):", "if not (0 <= stock < 5) or sold[1, 2] == 3:",
        "left[k] = [s for s in stock if s]", "x = (stock + sold) * 2 ** price", "return",
        "left: int = stock[sold][price]", "assert stock", "while True:", "x = lambda s: s + sold",
    ]
)  # fmt: skip


@given(LINES, st.lists(st.sampled_from([*NAMES, "rng", "k"]), max_size=4))
def test_every_change_is_another_line(line: str, names: list[str]) -> None:
    head = line.endswith(":")
    for edit in [*edits_of(line, names, ["k"]), *for_each_number(line)]:
        assert edit != line
        assert edit.endswith(":") is head
        ast.parse(f"{edit} pass" if head else edit)
        # What a line sets or counts stays what it was.
        assert edit.split("=")[0].split(" in ")[0] == line.split("=")[0].split(" in ")[0] or (
            "return" in line or "=" not in line.replace("==", "").replace("<=", "")
        )


def test_lines_too_long_to_be_written_down_again_are_left_alone() -> None:
    line = "x = " + " + ".join(["a"] * 450)
    assert list(edits_of(line, ["a", "c"], [])) == []
    assert for_each_number(f"{line} + min(a, b)") == []


def test_conditions_and_bounds_are_worked_out_for_each_number() -> None:
    assert for_each_number("x = a / b if b > 0 else 1") == ["x = np.where(b > 0, a / b, 1)"]
    assert for_each_number("x = max(a, b) + min(c, 1)") == [
        "x = np.maximum(a, b) + min(c, 1)",
        "x = max(a, b) + np.minimum(c, 1)",
    ]
    assert for_each_number("elif min(a, b) > 0:") == ["elif np.minimum(a, b) > 0:"]
    assert for_each_number("x = a + b") == []
