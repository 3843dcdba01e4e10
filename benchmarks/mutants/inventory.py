"""Wrong specifications: readings of the ordering task."""

from benchmarks.mutants.edits import (
    Pieces,
    SpecEdit,
    add_variable,
    constrain,
    parameter,
    rule,
    term,
    variable,
    without_term,
)


def _demand_of_80(spec: Pieces) -> None:
    parameter(spec, "demand_mean")["value"] = 80.0


def _no_holding_cost(spec: Pieces) -> None:
    without_term(spec, "holding_cost_paid")
    measure = spec["model"]["step_measure"]
    spec["model"]["step_measure"] = measure.replace(" - holding_cost * sum(left_over)", "")


def _no_holding_cost_in_the_reward(spec: Pieces) -> None:
    without_term(spec, "holding_cost_paid")


def _no_room_limit(spec: Pieces) -> None:
    rule(spec, "delivered")["expression"] = "order"


def _no_range_either(spec: Pieces) -> None:
    _no_room_limit(spec)
    for name in ("stock", "sold", "left_over"):
        variable(spec, name)["high"] = None


def _demand_seen(spec: Pieces) -> None:
    rule(spec, "demand")["kind"] = "known_before_decision"
    spec["sar"]["observation"].append("demand")


def _term_twice(spec: Pieces) -> None:
    spec["sar"]["reward"].append(dict(term(spec, "sales_income")))


def _undeclared_penalty(spec: Pieces) -> None:
    term(spec, "lost_sale_penalty_paid")["latex"] = r"-\sum_i \text{PenaltyCost}_{i}\, u_i"


def _idle_choice(spec: Pieces) -> None:
    add_variable(spec, name="opening_hours", role="decision", dtype="integer", low=0, high=2)
    spec["sar"]["action"].append("opening_hours")


def _choice_of_one(spec: Pieces) -> None:
    add_variable(spec, name="opening_hours", role="decision", dtype="integer", low=1, high=1)
    spec["sar"]["action"].append("opening_hours")


def _rare_impossible_draw(spec: Pieces) -> None:
    add_variable(spec, name="theft", dtype="boolean")
    spec["dynamics"]["rules"].append(
        {"variable": "theft", "kind": "revealed_after_decision",
         "expression": "bernoulli(1.5) if min(previous_stock) > 39.5 else bernoulli(0.5)"}
    )  # fmt: skip


def _starts_too_full(spec: Pieces) -> None:
    rule(spec, "stock")["initial"] = "uniform_integer(0, 41)"
    variable(spec, "delivered")["low"] = None


def _quiet_days(spec: Pieces) -> None:
    spec["sar"]["reward"].append(
        {"name": "quiet_day", "expression": "300 if sum(order) == 0 else 0"}
    )


def _long_episode(spec: Pieces) -> None:
    spec["model"]["horizon"] = 99


def _stock_not_below_zero(spec: Pieces) -> None:
    constrain(spec, "sold_out", "all(abs(left_over) <= 40)")


SPECS: dict[str, SpecEdit] = {
    "mean demand of 80 for 8": _demand_of_80,
    "holding cost nowhere": _no_holding_cost,
    "holding cost not rewarded": _no_holding_cost_in_the_reward,
    "no limit of room": _no_room_limit,
    "no limit of room in rule and range": _no_range_either,
    "demand seen beforehand": _demand_seen,
    "a term listed twice": _term_twice,
    "a penalty that is not declared": _undeclared_penalty,
    "a decision that nothing reads": _idle_choice,
    "a decision without a choice": _choice_of_one,
    "a chance above one": _rare_impossible_draw,
    "begins beyond its range": _starts_too_full,
    "quiet days are rewarded": _quiet_days,
    "99 days": _long_episode,
}
