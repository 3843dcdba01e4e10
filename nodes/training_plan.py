"""Choosing how to train, from the spec alone and with reasons in words."""

import math

from nodes.dependence import decision_shapes_the_future
from sandbox.programs.requests import ActionSpace
from state.spec import Spec
from state.training import Algorithm, TrainingPlan

# Up to this many joint actions, a vector of choices is one choice among all of them.
FLAT_ACTIONS = 64
LONGEST_VIEW = 0.99
SHORTEST_VIEW = 0.9
DEFAULT_STEPS: dict[Algorithm, int] = {"DQN": 100_000, "PPO": 300_000, "SAC": 20_000}
# Where no later step counts, learning is plain regression and needs less.
DEFAULT_STEPS_OF_ONE_STEP_PROBLEMS: dict[Algorithm, int] = {
    "DQN": 40_000,
    "PPO": 200_000,
    "SAC": 20_000,
}
DEFAULT_TIME_BUDGET = 180.0


def plan_training(
    spec: Spec,
    action_space: ActionSpace,
    *,
    steps: int | None = None,
    time_budget: float | None = None,
    seed: int = 0,
) -> TrainingPlan:
    """The plan for ``spec`` whose decisions form ``action_space``.

    Args:
        spec: the whole specification.
        action_space: the action space of the environment made from it.
        steps: training steps at most, None for a default by algorithm.
        time_budget: seconds of training at most, None for the default.
        seed: seed of the training.
    """
    algorithm, reason = _algorithm(action_space)
    shapes_future = decision_shapes_the_future(spec)
    discount, discount_reason = _discount(spec, shapes_future)
    defaults = DEFAULT_STEPS if discount > 0 else DEFAULT_STEPS_OF_ONE_STEP_PROBLEMS
    return TrainingPlan(
        algorithm=algorithm,
        discount=discount,
        total_timesteps=steps or defaults[algorithm],
        time_budget=time_budget or DEFAULT_TIME_BUDGET,
        seed=seed,
        reasons=[reason, discount_reason],
    )


def is_flattened(action_space: ActionSpace) -> bool:
    """Whether the joint actions are few enough to be numbered and chosen among as one."""
    few = math.prod(action_space.sizes) <= FLAT_ACTIONS
    return action_space.kind == "multi_discrete" and few


def _algorithm(space: ActionSpace) -> tuple[Algorithm, str]:
    if space.kind == "discrete":
        return "DQN", f"DQN, for the decision is one choice among {space.sizes[0]}."
    if is_flattened(space):
        count = math.prod(space.sizes)
        return "DQN", f"DQN, for the decisions together are one choice among only {count}."
    if space.kind == "multi_discrete":
        return (
            "PPO",
            f"PPO, for {len(space.sizes)} choices at once have far too many combinations to list, "
            "and PPO decides on each of them separately.",
        )
    return "SAC", f"SAC, for the decision is {len(space.low)} real number(s)."


def _discount(spec: Spec, shapes_future: bool) -> tuple[float, str]:
    if not shapes_future:
        return 0.0, (
            "Discount 0, for no decision changes anything that comes after its own step: the best "
            "decision is the one with the best reward now."
        )
    horizon, asked = spec.model.horizon, spec.model.discount
    if horizon == 1:
        return 0.0, "Discount 0, for an episode has a single step."
    fitted = min(max(1 - 1 / horizon, SHORTEST_VIEW), LONGEST_VIEW)
    if asked > LONGEST_VIEW:
        return LONGEST_VIEW, (
            f"Discount {LONGEST_VIEW} instead of the formulation's {asked:g}: learning by "
            "bootstrapping is not stable without some discount; returns are judged undiscounted."
        )
    if asked >= fitted:
        return asked, f"Discount {asked:g} as formulated, long enough for {horizon} steps."
    return round(fitted, 4), (
        f"Discount {fitted:.4g} instead of the formulation's {asked:g}, which sees only about "
        f"{1 / (1 - asked):.0f} of the {horizon} steps ahead; returns are judged undiscounted."
    )
