"""Wrong specifications: readings of the scheduling task."""

from benchmarks.mutants.edits import (
    Pieces,
    SpecEdit,
    constrain,
    parameter,
    rule,
    term,
    variable,
)


def _bandwidth_in_hertz(spec: Pieces) -> None:
    parameter(spec, "bandwidth")["unit"] = "Hz"


def _noise_as_power(spec: Pieces) -> None:
    rule(spec, "data_rate")["expression"] = "bandwidth * log2(1 + signal_power / noise_density)"


def _noise_in_linear_units(spec: Pieces) -> None:
    parameter(spec, "noise_density")["unit"] = "mW/Hz"


def _wide_shadowing(spec: Pieces) -> None:
    parameter(spec, "shadowing_std")["value"] = 80.0


def _invented_spread(spec: Pieces) -> None:
    rule(spec, "shadowing")["expression"] = "normal(shadowing_mean + 13, shadowing_std)"


def _long_episode(spec: Pieces) -> None:
    spec["model"]["horizon"] = 101


def _reward_turned(spec: Pieces) -> None:
    term(spec, "rate_of_served_user")["expression"] = "-data_rate"


def _both_turned(spec: Pieces) -> None:
    spec["objective"]["sense"] = "minimize"
    term(spec, "rate_of_served_user")["expression"] = "-data_rate"


def _always_the_first(spec: Pieces) -> None:
    rule(spec, "signal_power")["expression"] = "transmit_power * channel_gain[0]"


def _power_subtracted(spec: Pieces) -> None:
    term(spec, "rate_of_served_user")["expression"] = "data_rate - 0.0001 * signal_power"


def _power_apart(spec: Pieces) -> None:
    spec["sar"]["reward_unit"] = ""
    spec["sar"]["reward"].append({"name": "power", "expression": "-0.0001 * signal_power"})


def _impossible_limit(spec: Pieces) -> None:
    constrain(spec, "quiet", "abs(interference) <= 1")


def _gain_open(spec: Pieces) -> None:
    rule(spec, "channel_gain")["expression"] = (
        "mean_gain_intercept - mean_gain_slope * log10(user_distance) + 3 * shadowing"
    )


def _gain_without_any_limit(spec: Pieces) -> None:
    _gain_open(spec)
    variable(spec, "channel_gain").update(low=None, high=None)


def _slow_rates(spec: Pieces) -> None:
    variable(spec, "data_rate")["high"] = 50.0


def _seen_is_nothing(spec: Pieces) -> None:
    spec["sar"]["observation"] = ["time_step"]
    variable(spec, "channel_gain")["quote"] = (
        "The station measures the gains of all four users at the start of a slot, so it knows "
        "them before it decides."
    )


def _made_up_words(spec: Pieces) -> None:
    parameter(spec, "transmit_power")["quote"] = "The full power is 200 mW on all days."


SPECS: dict[str, SpecEdit] = {
    "bandwidth of 10 Hz": _bandwidth_in_hertz,
    "noise density taken for a power": _noise_as_power,
    "decibels declared as linear": _noise_in_linear_units,
    "deviation of 80 for 8": _wide_shadowing,
    "a number nobody gave": _invented_spread,
    "101 slots": _long_episode,
    "reward against the objective": _reward_turned,
    "minimises what is to be large": _both_turned,
    "always the first user's rate": _always_the_first,
    "milliwatts off megabits": _power_subtracted,
    "rates and powers added": _power_apart,
    "a constraint on what is not there": _impossible_limit,
    "rule without the limits": _gain_open,
    "limits neither in the rule nor in the range": _gain_without_any_limit,
    "rates of at most 50": _slow_rates,
    "gains not observed": _seen_is_nothing,
    "a quote that nobody wrote": _made_up_words,
}
