"""The checks that run the environment, in the order in which they are climbed.

Every check is a function of the ``Subject``; it returns when it finds nothing and raises
``CheckFailed``, or whatever the generated code raises, when it does.
"""

from sandbox.programs.behaviour_checks import (
    actions_matter,
    copies_step_alike,
    every_component_matters,
    other_seed_other_trajectory,
    same_seed_same_trajectory,
)
from sandbox.programs.draw_checks import draws_as_declared
from sandbox.programs.probe_checks import reward_serves_the_objective
from sandbox.programs.requests import CheckRequest
from sandbox.programs.rule_checks import (
    begins_as_the_rules_say,
    counts_the_objective,
    decides_what_is_chosen,
    ends_as_the_spec_says,
    moves_on_as_the_rules_say,
    shows_what_is_seen,
)
from sandbox.programs.second_reading_check import second_reading_agrees
from sandbox.programs.space_checks import observation_inside_its_space, spaces_as_declared
from sandbox.programs.standard_checkers import standard_checkers
from sandbox.programs.step_checks import (
    constraints_hold,
    constraints_hold_from_anywhere,
    ends_by_the_horizon,
    finite_numbers,
    ranges_hold,
    reward_is_the_sum_of_its_terms,
    reward_lies_in_its_range,
    what_is_seen_lies_in_its_ranges,
)
from sandbox.programs.subject import Check
from sandbox.programs.twin_checks import does_what_the_standard_one_does

GENERATED_CHECKS: list[Check] = [
    spaces_as_declared,
    finite_numbers,
    ranges_hold,
    observation_inside_its_space,
    same_seed_same_trajectory,
    other_seed_other_trajectory,
    ends_by_the_horizon,
    constraints_hold,
    constraints_hold_from_anywhere,
    reward_is_the_sum_of_its_terms,
    begins_as_the_rules_say,
    decides_what_is_chosen,
    moves_on_as_the_rules_say,
    ends_as_the_spec_says,
    shows_what_is_seen,
    counts_the_objective,
    draws_as_declared,
    copies_step_alike,
    actions_matter,
    every_component_matters,
    reward_serves_the_objective,
    standard_checkers,
]
"""Where the spec says by rules how the environment moves on.

What is wrong with a quantity comes before what is wrong with an observation or a reward that shows
it, for the first finding says who is asked to mend it.
"""

STANDARD_CHECKS: list[Check] = [
    spaces_as_declared,
    same_seed_same_trajectory,
    finite_numbers,
    ends_by_the_horizon,
    what_is_seen_lies_in_its_ranges,
    reward_lies_in_its_range,
]
"""Of a standard environment, which somebody else has tested."""

DECLARED_CHECKS: list[Check] = [
    *STANDARD_CHECKS,
    observation_inside_its_space,
    copies_step_alike,
    actions_matter,
    every_component_matters,
    standard_checkers,
]
"""Where the spec declares no more than spaces, ranges, horizon and reward."""

TWIN_CHECKS: list[Check] = [*STANDARD_CHECKS, does_what_the_standard_one_does]
"""Of an environment.py that is said to be a standard environment."""


def checks_for(request: CheckRequest) -> list[Check]:
    """The checks that ``request`` calls for."""
    if request.gymnasium_id:
        return STANDARD_CHECKS
    if request.twin:
        return TWIN_CHECKS
    if not request.rules:
        return DECLARED_CHECKS
    return [*GENERATED_CHECKS, second_reading_agrees] if request.double_check else GENERATED_CHECKS
