"""Saying what is wrong: findings as plain dictionaries, and exceptions boiled down to a line."""

from dataclasses import asdict, dataclass
from typing import Any

from sandbox.programs.faults import ForeignCodeRaised
from sandbox.programs.wire import printable


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong; the same fields as ``state.findings.Finding``."""

    check: str
    owner: str
    message: str
    place: str = ""
    expected: str = ""
    found: str = ""
    blocking: bool = True

    def as_json(self) -> dict[str, Any]:
        """Fields, each cut to a length that leaves the whole under 1,200 characters."""
        limits = {"place": 220, "expected": 260, "found": 320, "message": 300}
        return {
            name: shorten(value, limits[name]) if name in limits else value
            for name, value in asdict(self).items()
        }


class CheckFailed(Exception):
    """A check that found something."""

    def __init__(
        self,
        owner: str,
        message: str,
        place: str = "",
        expected: str = "",
        found: str = "",
        *,
        blocking: bool = True,
    ) -> None:
        super().__init__(message)
        self.owner, self.message, self.blocking = owner, message, blocking
        self.place, self.expected, self.found = place, expected, found

    def finding(self, check: str) -> Finding:
        """The finding of the check called ``check``."""
        texts = self.message, self.place, self.expected, self.found
        return Finding(check, self.owner, *texts, blocking=self.blocking)


def shorten(text: str, length: int) -> str:
    """``text`` on one line, cut to ``length`` characters, all of which can be printed."""
    line = " ".join(printable(text).split())
    return line if len(line) <= length else line[: length - 3] + "..."


def owner_of(function: str, code_bodies: list[str]) -> str:
    """Agent that wrote the method called ``function``."""
    bare = function.strip("_")
    if function in code_bodies or bare in code_bodies:
        return "coding"
    if "reward" in bare or "observation" in bare:
        return "sar"
    if "constraint" in bare:
        return "modeling"
    return "environment"


def from_exception(check: str, error: BaseException, code_bodies: list[str]) -> Finding:
    """Boil ``error`` down to its kind, its words and the generated line that caused it."""
    if not isinstance(error, ForeignCodeRaised):
        return Finding(
            check, "environment", f"{check} failed", found=f"{type(error).__name__}: {error}"
        )
    fault = error.fault
    if not fault.lines:
        return Finding(check, "environment", f"{check} failed", found=fault.said)
    last = fault.lines[-1]
    functions = [line.function for line in reversed(fault.lines)]
    body = next((f for f in functions if owner_of(f, code_bodies) == "coding"), "")
    function = body or last.function
    return Finding(
        check,
        owner_of(function, code_bodies),
        f"{function} in {last.file} raises {fault.kind}",
        place=f"{last.file}, line {last.number}, in {function}: {last.text}",
        expected="no exception",
        found=fault.said,
    )
