"""Saying what is wrong: findings as plain dictionaries, and exceptions boiled down to a line."""

import re
from dataclasses import asdict, dataclass, field
from typing import Any

from sandbox.programs.faults import Fault, ForeignCodeRaised, Line
from sandbox.programs.requests import CheckRequest
from sandbox.programs.wire import printable

LONGEST_WITH_EPISODE = 1000
SHORTEST_LINE = 30


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
    episode: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Fields, each cut to a length that leaves the whole under 1,200 characters."""
        limits = {"place": 220, "expected": 260, "found": 320, "message": 300}
        told = {
            name: shorten(value, limits[name]) if name in limits else value
            for name, value in asdict(self).items()
        }
        left = LONGEST_WITH_EPISODE - sum(len(told[name]) for name in limits)
        return {**told, "episode": _fitted(self.episode, left)}


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
        episode: list[str] | None = None,
    ) -> None:
        super().__init__(message)
        self.owner, self.message, self.blocking = owner, message, blocking
        self.place, self.expected, self.found = place, expected, found
        self.episode = episode or []

    def finding(self, check: str) -> Finding:
        """The finding of the check called ``check``."""
        texts = self.message, self.place, self.expected, self.found
        return Finding(check, self.owner, *texts, blocking=self.blocking, episode=self.episode)


def shorten(text: str, length: int) -> str:
    """``text`` on one line, cut to ``length`` characters, all of which can be printed."""
    line = " ".join(printable(text).split())
    return line if len(line) <= length else line[: length - 3] + "..."


def _fitted(lines: list[str], length: int) -> list[str]:
    """``lines`` with the long ones cut until all take ``length``; none where little is left."""
    width = max(map(len, lines), default=0)
    # Four more for the quotes and what stands between two lines.
    while width and sum(min(len(line), width) + 4 for line in lines) > length:
        width -= 1
    longest = max(map(len, lines), default=0)
    return [shorten(line, width) for line in lines] if width >= min(SHORTEST_LINE, longest) else []


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


def from_exception(check: str, error: BaseException, request: CheckRequest) -> Finding:
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
    body = next((f for f in functions if owner_of(f, request.code_bodies) == "coding"), "")
    function = body or last.function
    found = f"{fault.said}, where {fault.values}" if fault.values else fault.said
    returned = None if body else _returned(last, request)
    if returned is not None:
        place, message, expected = returned
        found = found.replace("where self.", "where ")
        return Finding(check, "coding", message, place=place, expected=expected, found=found)
    return Finding(
        check,
        owner_of(function, request.code_bodies),
        f"{function} in {last.file} raises {fault.kind}",
        place=f"{last.file}, line {last.number}, in {function}: {last.text}",
        expected=_instead(fault),
        found=found,
    )


def _returned(line: Line, request: CheckRequest) -> tuple[str, str, str] | None:
    """Place, message and what is right, where ``line`` takes what a code body returned."""
    called = re.search(r"= (\w+)\(self\.np_random", line.text)
    if called and called[1] in request.code_bodies:
        names = [written.name for written in request.written if written.body == called[1]]
        values = f"{len(names)} values" if len(names) > 1 else "1 value"
        return (
            f"return of {called[1]}",
            f"{called[1]} does not return {values}, {', '.join(names)}",
            f"each return of {called[1]} gives {', '.join(names)}, in this order",
        )
    taken = re.search(r"self\.(\w+) = [\w.]+\(self\.\1\b", line.text)
    for written in request.written:
        if taken and taken[1] == written.attribute:
            return (
                f"return of {written.body}",
                f"{written.body} does not return {written.name} as {written.form}",
                f"{written.name} is {written.form}, without NaN",
            )
    return None


def _instead(fault: Fault) -> str:
    if fault.kind == "NameError":
        return "no exception; a function knows only its arguments, its own names and np"
    return "no exception"
