"""How far a learner should look ahead."""

from sandbox.training.problem import Problem

LONGEST_VIEW = 0.99
SHORTEST_VIEW = 0.9


def fitted_discount(problem: Problem) -> tuple[float, str]:
    """The discount to learn with, and why."""
    horizon, asked = problem.horizon, problem.discount
    if not problem.shapes_future:
        return 0.0, (
            "Discount 0, for no decision changes anything that comes after its own step: the best "
            "decision is the one with the best reward now."
        )
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
