"""The checks that run the environment, in the order in which they are climbed.

Every check is a function of the ``Subject``; it returns when it finds nothing and raises
``CheckFailed``, or whatever the generated code raises, when it does.
"""

from sandbox.programs.behaviour_checks import (
    actions_matter,
    copies_step_alike,
    other_seed_other_trajectory,
    same_seed_same_trajectory,
)
from sandbox.programs.draw_checks import draws_as_declared
from sandbox.programs.rule_checks import (
    begins_as_the_rules_say,
    counts_the_objective,
    decides_what_is_chosen,
    ends_as_the_spec_says,
    moves_on_as_the_rules_say,
    shows_what_is_seen,
)
from sandbox.programs.space_checks import observation_inside_its_space, spaces_as_declared
from sandbox.programs.standard_checkers import standard_checkers
from sandbox.programs.step_checks import (
    constraints_hold,
    ends_by_the_horizon,
    finite_numbers,
    ranges_hold,
    reward_is_the_sum_of_its_terms,
)
from sandbox.programs.subject import Check

GENERATED_CHECKS: list[Check] = [
    spaces_as_declared,
    observation_inside_its_space,
    same_seed_same_trajectory,
    other_seed_other_trajectory,
    finite_numbers,
    ends_by_the_horizon,
    ranges_hold,
    constraints_hold,
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
    standard_checkers,
]


STANDARD_CHECKS: list[Check] = [spaces_as_declared, same_seed_same_trajectory]
