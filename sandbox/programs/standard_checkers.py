"""Gymnasium's and Stable-Baselines3's own checkers, their warnings counted.

They look at the object itself, so they run where it lives; what they say comes back as text.
"""

from typing import Any

from sandbox.programs.faults import AnswerInvalid, Fault, ForeignCodeRaised, mapping
from sandbox.programs.findings import CheckFailed
from sandbox.programs.subject import Subject

# Warnings of the two standard checkers that say nothing against an environment of ours.
NOISE = (
    # The trainer rescales actions to [-1, 1] itself; decisions keep their own unit here.
    "symmetric and normalized",
    # A quantity without limits is allowed; the trainer scales what it measures.
    "minimum value is -infinity",
    "maximum value is infinity",
    # The environment is used as a class and draws no pictures.
    "not having a spec",
    "render",
)


def standard_checkers(subject: Subject) -> None:
    """Gymnasium's and Stable-Baselines3's own checkers are content; warnings count."""
    said = subject.ask("standard_checkers")
    if not isinstance(said, list):
        raise AnswerInvalid("what the standard checkers say is no list")
    for account in said:
        _take(subject, mapping(account))


def _take(subject: Subject, account: Any) -> None:
    name = account.get("checker")
    if account.get("fault") is not None:
        fault = Fault.from_plain(account["fault"])
        if fault.kind != "AssertionError":
            raise ForeignCodeRaised(fault)
        words = fault.said.removeprefix("AssertionError: ")
        # Gymnasium's checker takes an episode of a single step for a mistake.
        if subject.request.horizon == 1 and "truncates after 1 step" in words:
            return
        raise CheckFailed(
            "environment", f"the checker of {name} objects", found=words
        ) from ForeignCodeRaised(fault)
    texts = [_plain(str(warning)) for warning in account.get("warnings", [])]
    serious = [text for text in texts if not any(noise in text for noise in NOISE)]
    if serious:
        told = "; ".join(dict.fromkeys(serious))
        raise CheckFailed("environment", f"the checker of {name} warns", found=told)


def _plain(text: str) -> str:
    return text.replace("\x1b[33m", "").replace("\x1b[0m", "").removeprefix("WARN: ")
