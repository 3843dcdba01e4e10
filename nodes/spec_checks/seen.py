"""What is seen: what the words say is known, and nothing that they say is not."""

import re
from collections.abc import Iterator

from nodes.spec_checks.facts import Facts, names
from nodes.spec_checks.saying import finding
from state.findings import Finding

_KNOWN = re.compile(
    r"\b(?:knows?|known|sees?|seen|observes?|measures?|is told|announced|published|visible)\b",
    re.IGNORECASE,
)
_UNKNOWN = re.compile(
    r"\b(?:not (?:yet )?known|unknown|nobody knows|not (?:yet )?(?:seen|observed|visible)|"
    r"(?:does|do|can) ?not (?:know|see|observe))\b",
    re.IGNORECASE,
)


def what_is_known_is_observed(facts: Facts) -> Iterator[Finding]:
    """A quantity whose words say that it is known when deciding is part of the observation.

    Only where it is remembered or new in every step; what follows from the rest need not be seen.
    """
    spec = facts.spec
    if not spec.dynamics.ruled:
        return
    kinds = {r.variable: r for r in spec.dynamics.rules}
    written = {name for body in spec.dynamics.bodies for name in body.writes}
    for v in spec.variables:
        rule = kinds.get(v.name)
        if v.role == "decision" or v.name in spec.sar.observation or rule is None:
            continue
        lasting = rule.kind in ("updated", "known_before_decision", "fixed", "code")
        if rule.kind == "known_before_decision" and _follows_from_the_seen(facts, v.name):
            continue
        if not (lasting or v.name in written) or _never_changes(rule.initial, rule.kind):
            continue
        if _KNOWN.search(v.quote) and not _UNKNOWN.search(v.quote) and _matters(facts, v.name):
            yield finding(
                "what_is_known_is_observed", "sar", f"variable {v.name}",
                f"the description says that {v.name} is known, and the observation lacks it",
                expected=f"{v.name} in the observation, as in “{v.quote}”",
                found=", ".join(spec.sar.observation),
            )  # fmt: skip


def _never_changes(initial: str, kind: str) -> bool:
    """A fixed value without a draw is the same in every episode and tells nothing."""
    return kind == "fixed" and "(" not in initial


def _follows_from_the_seen(facts: Facts, name: str) -> bool:
    """Whether what is seen was worked out from it, as a gain from its shadowing."""
    seen = set(facts.spec.sar.observation)
    return any(
        rule.variable in seen and name in names(rule.expression)
        for rule in facts.spec.dynamics.rules
    )


def _matters(facts: Facts, name: str) -> bool:
    """Whether reward, end or any other rule rests on it."""
    texts = [t.expression for t in facts.spec.sar.reward] + [facts.spec.dynamics.termination]
    return any(name in facts.roots(text) for text in texts)


def what_is_unknown_is_not_observed(facts: Facts) -> Iterator[Finding]:
    """A quantity that is revealed only after the decision is not seen before it."""
    spec = facts.spec
    for name in spec.sar.observation:
        v = spec.variable(name)
        rule = next((r for r in spec.dynamics.rules if r.variable == name), None)
        if v is None or rule is None or rule.kind != "known_before_decision":
            continue
        words = facts.words_about(v.quote)
        if _UNKNOWN.search(words) and not _KNOWN.search(_UNKNOWN.sub(" ", words)):
            yield finding(
                "what_is_unknown_is_not_observed", "environment", f"rule of {name}",
                f"the description says that {name} is not known when deciding, and it is seen",
                expected=f"{name} revealed after the decision, as in “{words}”",
                found="known_before_decision and observed",
            )  # fmt: skip
