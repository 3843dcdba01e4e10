"""Names: each stands for one thing, and each that is used stands for something."""

import re
from collections import Counter
from collections.abc import Iterator

from nodes.codegen.units import parse_unit
from nodes.spec_checks.facts import Facts
from nodes.spec_checks.saying import finding
from state.expressions import ExpressionError
from state.findings import Finding, Owner
from state.piece import check_identifier

_WORD_IN_LATEX = re.compile(
    r"\\(?:text|mathrm|mathit|mathsf|mathbf|operatorname)\*?\s*\{\s*((?:[^{}\\]|\\_)+?)\s*\}"
)
_COMPOUND = re.compile(r"[a-z0-9]_[A-Za-z0-9]|[a-z][A-Z]")


def names_are_unique(facts: Facts) -> Iterator[Finding]:
    """No two pieces of one kind share a name, and no parameter is called like a variable."""
    spec = facts.spec
    kinds: list[tuple[Owner, str, list[str]]] = [
        ("variable", "quantity", [p.name for p in spec.parameters]
         + [v.name for v in spec.variables]),
        ("constraint", "constraint", [c.name for c in spec.constraints]),
        ("modeling", "constraint equation", [c.name for c in spec.model.constraints]),
        ("sar", "reward term", [term.name for term in spec.sar.reward]),
        ("sar", "observation", list(spec.sar.observation)),
        ("sar", "action", list(spec.sar.action)),
    ]  # fmt: skip
    for owner, kind, names in kinds:
        for name, times in Counter(names).items():
            if times > 1:
                yield finding(
                    "names_are_unique", owner, f"{kind} {name}",
                    f"{times} times there is a {kind} called {name}",
                    expected="one name for one thing", found=f"{name} {times} times",
                )  # fmt: skip


def expressions_resolve(facts: Facts) -> Iterator[Finding]:
    """What the compiler does not read on its way to the code can be compiled as well."""
    compiled_elsewhere = (
        "rule of",
        "initial value of",
        "termination",
        "reward term",
        "step_measure",
    )
    for e in facts.expressions:
        if e.place.startswith(compiled_elsewhere) and facts.spec.dynamics.ruled:
            continue
        try:
            facts.compiler().compile(e.text)
        except ExpressionError as error:
            yield finding(
                "expressions_resolve", e.owner, e.place, f"{e.place}: {error}",
                expected="names of parameters and variables", found=e.text,
            )  # fmt: skip


def latex_resolves(facts: Facts) -> Iterator[Finding]:
    """Whole words in the equations are names that the specification declares.

    Single letters are free; so are words with blanks between them, which are prose, and plain
    words that may be prose.
    """
    model, sar = facts.spec.model, facts.spec.sar
    equations: list[tuple[Owner, str, str]] = [("modeling", "objective", model.objective_latex)]
    equations += [("modeling", f"constraint {c.name}", c.latex) for c in model.constraints]
    equations += [("sar", f"reward term {term.name}", term.latex) for term in sar.reward]
    known = {name.replace("_", "") for name in facts.symbols.symbols}
    for variable in facts.spec.variables:
        known |= {label.lower().replace("_", "") for label in variable.labels}
    for owner, place, latex in equations:
        words = [word.replace("\\_", "_") for word in _WORD_IN_LATEX.findall(latex)]
        for word in dict.fromkeys(words):
            if not _COMPOUND.search(word) or not parse_unit(word).plain_word:
                continue
            try:
                name = check_identifier(word)
            except ValueError:
                continue
            stem = re.sub(r"_(?:t|i|j|k|min|max|\d+)$", "", name)
            if not known & {name.replace("_", ""), stem.replace("_", "")}:
                yield finding(
                    "latex_resolves", owner, place,
                    f"the equation of {place} uses {word}, which is declared nowhere",
                    expected=f"a declared name; {facts.symbols.nearest(name)}", found=word,
                    blocking=False,
                )  # fmt: skip
