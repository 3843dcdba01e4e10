"""The published flaws of the paper's own specifications are found before there is any code."""

from nodes.spec_checks.ladder import check_spec
from state.findings import Finding
from state.spec import Spec
from tests.specs import appendix


def found(spec: Spec) -> dict[str, Finding]:
    return {finding.check: finding for finding in check_spec(spec)}


def test_decibels_in_shannons_formula() -> None:
    findings = found(appendix.wireless())
    ratio = findings["logarithms_of_pure_numbers"]
    assert ratio.blocking
    assert "noise_density" in ratio.message
    assert "1 / MHz" in ratio.message
    never = findings["constraints_can_hold"]
    assert never.place == "constraint noise_density_not_negative"
    assert set(findings) == {"logarithms_of_pure_numbers", "constraints_can_hold"}


def test_a_cart_that_may_only_be_on_one_side() -> None:
    findings = found(appendix.cart_pole())
    assert set(findings) == {"constraints_agree"}
    finding = findings["constraints_agree"]
    assert finding.place == "constraint position_not_negative"
    assert "-2.4" in finding.found
    assert finding.blocking
    assert finding.owner == "modeling"


def test_a_penalty_that_was_never_declared() -> None:
    finding = found(appendix.inventory(only_in_the_equation=False))["compile"]
    assert "penalty_cost" in finding.message
    assert finding.owner == "sar"


def test_a_penalty_that_stands_in_an_equation_only() -> None:
    findings = found(appendix.inventory(only_in_the_equation=True))
    assert set(findings) == {"latex_resolves"}
    assert "PenaltyCost" in findings["latex_resolves"].message


def test_a_drone_that_is_rewarded_for_staying_put() -> None:
    findings = found(appendix.drone())
    assert set(findings) == {"idleness_is_not_the_best"}
    finding = findings["idleness_is_not_the_best"]
    assert "pick_up_package" in finding.message
    assert finding.blocking
    assert finding.owner == "sar"


def test_a_car_that_is_to_lose_as_many_points_as_it_can() -> None:
    findings = found(appendix.mountain_car())
    assert set(findings) == {"reward_follows_the_objective"}
    assert findings["reward_follows_the_objective"].blocking
