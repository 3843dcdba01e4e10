"""Wrong specifications: readings of the delivery task."""

from benchmarks.mutants.edits import (
    Pieces,
    SpecEdit,
    parameter,
    rule,
    term,
    variable,
    without_term,
)


def _blind_to_the_battery(spec: Pieces) -> None:
    spec["sar"]["observation"].remove("energy")


def _seventh_option(spec: Pieces) -> None:
    action = variable(spec, "action")
    action["labels"].append("hover")
    action["high"] = 6.0


def _idleness_wins(spec: Pieces) -> None:
    rule(spec, "action_cost")["expression"] = (
        "0 * failed_action_cost if action == 'pick_up' else ((delivery_cost if delivery_works else "
        "0) if action == 'deliver' else (blocked_flight_cost if leaves_grid else flight_cost))"
    )
    bonus = "(num_packages + delivery_cost) * delivery_works"
    term(spec, "package_delivered")["expression"] = bonus
    spec["model"]["step_measure"] = f"{bonus} - energy_used"


def _second_package(spec: Pieces) -> None:
    rule(spec, "pickup_works")["expression"] = 'action == "pick_up" and any(waiting_here)'


def _small_battery(spec: Pieces) -> None:
    parameter(spec, "initial_energy_max")["value"] = 350.0


def _energy_of_a_flight(spec: Pieces) -> None:
    parameter(spec, "delivery_cost")["value"] = 20.0


def _short_episode(spec: Pieces) -> None:
    spec["model"]["horizon"] = 402


def _energy_rewarded(spec: Pieces) -> None:
    term(spec, "energy_spent")["expression"] = "energy_used"


def _energy_not_rewarded(spec: Pieces) -> None:
    without_term(spec, "energy_spent")


SPECS: dict[str, SpecEdit] = {
    "battery left out of the observation": _blind_to_the_battery,
    "a seventh option": _seventh_option,
    "idleness wins": _idleness_wins,
    "a second package may be carried": _second_package,
    "battery of 350 at most": _small_battery,
    "a delivery costs 20": _energy_of_a_flight,
    "402 steps": _short_episode,
    "energy spent is earned": _energy_rewarded,
    "energy spent does not count": _energy_not_rewarded,
}
