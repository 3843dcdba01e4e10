"""A faulty code body, a model that fills its gaps, and what trying out says."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field

from nodes.models.chosen import Ask, ChosenModel, Wire
from nodes.settings import RunSettings
from nodes.trial import Attempts, Reports, ScreenReport
from state.dynamics import CodeBody
from state.findings import CheckReport, Finding
from state.run_state import RunState
from tests.unit.models.plain_chat import Plain

SOURCE = """def grow(rng, level, rate):
    share = level * rate
    total = level - share
    return total
"""
BODY = CodeBody(
    name="grow", purpose="Level grows at rate.", when="step", reads=["level", "rate"],
    writes=["total"],
)  # fmt: skip
WRONG = Finding(check="ranges_hold", owner="coding", place="grow", message="total is too small")
RIGHT = SOURCE.replace("level - share", "level + share")


class Filling(Wire):
    fills = True

    def arguments(self, ask: Ask) -> dict[str, Any]:
        return {"fills": ask.fills}


class Gaps(Plain):
    """Fills each gap with what ``lines`` hold for what stands there; likely is a plus."""

    lines: dict[str, str] = Field(default_factory=dict)
    prompts: list[str] = Field(default_factory=list)
    asked: list[str] = Field(default_factory=list)
    no_odds: bool = False

    def _generate(self, messages: list[BaseMessage], *given: Any, **named: Any) -> ChatResult:
        if len(self.asked) == 2 and self.error is not None:
            raise self.error
        before, _, there = (str(message.content) for message in messages)
        if named["fills"] == "odds":
            if self.no_odds:
                return ChatResult(generations=[ChatGeneration(message=AIMessage(content="odd"))])
            content = "\n".join(
                str(5 * ("+" in line) - len(line) / 10) for line in there.split("\n")
            )
        else:
            self.prompts.append(before)
            self.asked.append(there)
            content = self.lines.get(there, "")
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=content))])


Verdict = Callable[[str], CheckReport]


def by_text(*right: str, farther: str = "no such text") -> Verdict:
    """Finds nothing in sources that hold one of ``right``, less in those with ``farther``."""

    def verdict(source: str) -> CheckReport:
        if any(text in source for text in right):
            return CheckReport(passed=["a", "b", "c"])
        return CheckReport(passed=["a", "b"] if farther in source else ["a"], findings=[WRONG])

    return verdict


def attempts(look: Verdict, screen: Verdict | None = None) -> Attempts:
    def short(faulty: str, sources: Sequence[str], last: str) -> Reports:
        reports = [(screen or look)(source) for source in sources]
        return [ScreenReport(**dict(report)) for report in reports]

    return Attempts(look, short)


def settings_of(chat: Plain) -> RunSettings:
    """Settings of a run with a model that fills gaps."""
    return RunSettings(model=ChosenModel("local:plain", "a test", chat, "local", wire=Filling()))


def state_in(folder: Path, rounds: int = 1) -> RunState:
    """A run in the round of that number, in which something was found."""
    return RunState(description="d", remarks=[WRONG], debug_rounds=rounds, run_folder=str(folder))
