"""Decisions: there is a choice, it is finite or bounded, and training can take its size."""

import re
from collections.abc import Iterator
from math import prod

from nodes.codegen.number_words import NUMBER_WORDS
from nodes.codegen.spaces import MOST_OPTIONS
from nodes.spec_checks.facts import Facts
from nodes.spec_checks.saying import finding
from state.findings import Finding

MOST_COMPONENTS = 1_000
_COUNTED = re.compile(
    rf"\b(?P<number>\d+|{'|'.join(NUMBER_WORDS)})\s+(?:\w+\s+)?"
    r"(?:things|choices|options|actions|moves|ways|possibilities|alternatives|directions|pushes)\b",
    re.IGNORECASE,
)


def decisions_are_choices(facts: Facts) -> Iterator[Finding]:
    """Each decision has limits, more than one value, and no more than training can take."""
    decisions = facts.spec.decisions
    total = sum(prod(v.shape) for v in decisions)
    if total > MOST_COMPONENTS:
        yield finding(
            "decisions_are_choices", "variable", "action",
            f"{total} numbers are decided in each step, at most {MOST_COMPONENTS} can be learned",
            expected=f"at most {MOST_COMPONENTS} numbers", found=str(total),
        )  # fmt: skip
    for v in decisions:
        low, high = facts.ranges[v.name]
        if low is None or high is None:
            wrong = "has no lowest or no highest value"
        elif low == high:
            wrong = f"can only be {low:g}"
        elif v.dtype != "real" and high - low >= MOST_OPTIONS:
            wrong = f"has {high - low + 1:.0f} options, at most {MOST_OPTIONS} work"
        else:
            continue
        yield finding(
            "decisions_are_choices", "variable", f"variable {v.name}",
            f"the decision {v.name} {wrong}", expected="a finite choice of at least two values",
            found=f"{low} to {high}",
        )  # fmt: skip


def options_are_as_many_as_said(facts: Facts) -> Iterator[Finding]:
    """Where the words count the options ("one of three things"), there are as many labels."""
    for v in facts.spec.decisions:
        counted = {_number(m.group("number")) for m in _COUNTED.finditer(v.quote)}
        if v.labels and counted and len(v.labels) not in counted:
            shown = " or ".join(f"{n:g}" for n in sorted(counted))
            yield finding(
                "options_are_as_many_as_said", "variable", f"variable {v.name}",
                f"{v.name} has {len(v.labels)} options and its words speak of {shown}",
                expected=f"{shown} options, as in “{v.quote}”", found=", ".join(v.labels),
            )  # fmt: skip


def _number(word: str) -> float:
    return NUMBER_WORDS.get(word.lower()) or float(word if word.isdigit() else 0)
