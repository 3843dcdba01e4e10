"""The checks on a specification, in the order in which they are made.

Every check is a function of the :class:`~nodes.spec_checks.facts.Facts`; a new one is one more
name in the list, with a mutant that it finds.
"""

from collections.abc import Callable, Iterator

from nodes.codegen.problems import Problems
from nodes.codegen.program import Program
from nodes.spec_checks import decisions, dimensions, goal, names, numbers, ranges, seen
from nodes.spec_checks.facts import Facts
from state.findings import Finding
from state.spec import Spec

SpecCheck = Callable[[Facts], Iterator[Finding]]

SPEC_CHECKS: list[SpecCheck] = [
    names.names_are_unique,
    names.expressions_resolve,
    names.latex_resolves,
    numbers.pieces_come_from_the_words,
    numbers.values_stand_in_their_quotes,
    numbers.horizon_comes_from_the_words,
    numbers.draws_use_numbers_of_the_words,
    numbers.numbers_are_used,
    dimensions.units_as_in_the_words,
    dimensions.logarithms_of_pure_numbers,
    dimensions.sums_of_one_dimension,
    dimensions.reward_has_one_dimension,
    decisions.decisions_are_choices,
    decisions.options_are_as_many_as_said,
    ranges.first_values_lie_in_their_ranges,
    ranges.constraints_can_hold,
    ranges.constraints_agree,
    ranges.draws_can_be,
    seen.what_is_known_is_observed,
    seen.what_is_unknown_is_not_observed,
    goal.sense_is_that_of_the_words,
    goal.reward_follows_the_objective,
    goal.objective_is_in_the_reward,
    goal.idleness_is_not_the_best,
]


def check_spec(
    spec: Spec, compiled: tuple[Program | None, Problems] | None = None
) -> list[Finding]:
    """Everything that is wrong with ``spec`` as such, those findings first that block.

    ``compiled`` spares compiling it again. What the compiler finds is part of the answer.
    """
    facts = Facts(spec, compiled)
    findings = list(facts.compiled[1].findings)
    for check in SPEC_CHECKS:
        findings += check(facts)
    said: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        said.setdefault((finding.place, finding.message), finding)
    return sorted(said.values(), key=lambda finding: not finding.blocking)
