"""One description read by all agents up to the last review, and what became of its doubts."""

import time
from dataclasses import dataclass
from pathlib import Path

from graph.build import builder, recursion_limit
from graph.context import RunContext
from graph.routes import NEXT_AGENT
from nodes.models.errors import ModelError
from nodes.triage import GOOD
from state.review import REVIEWED
from state.run_state import RunState
from state.usage import Usage


@dataclass(frozen=True)
class Reading:
    """What happened while a description was read.

    ``examined`` are the agents that looked at their answer again; ``asked`` are the questions
    that a person would have been put; ``doubts`` is every doubt of every review in words.
    """

    turned_away: str
    examined: list[str]
    asked: list[str]
    doubts: list[str]
    failed: str
    calls: int
    seconds: float

    @property
    def noticed(self) -> bool:
        """True if anything was looked at again, asked or turned away."""
        return bool(self.turned_away or self.examined or self.asked)

    @property
    def bothered(self) -> bool:
        """True if a person would have been asked, or told to write another description."""
        return bool(self.turned_away or self.asked)


def last_stop(context: RunContext) -> str:
    """The node before which all reviews that ``context`` asks for are over."""
    return NEXT_AGENT[[agent for agent in REVIEWED if agent in context.corrected()][-1]]


def read(description: str, context: RunContext, folder: Path) -> Reading:
    """Run ``description`` under ``context`` up to the last review that it asks for.

    Whatever is open is assumed away, so that one reading shows all questions.
    """
    app = builder.compile()
    folder.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    state = RunState(description=description, run_folder=str(folder))
    doubts: list[str] = []
    failed = ""
    limit = recursion_limit(context.max_debug, context.max_reexaminations)
    try:
        for values in app.stream(
            state,
            {"recursion_limit": limit},
            context=context,
            stream_mode="values",
            interrupt_before=[last_stop(context)],
        ):
            state = RunState.model_validate(values)
            for agent, review in state.reviews.items():
                lines = (f"{agent}: {d.item}: {d.reason} {d.evidence}" for d in review.doubts)
                doubts += [line for line in lines if line not in doubts]
    except ModelError as error:
        failed = str(error)
    triage = [n for n in state.notes if n.startswith("triage:") and GOOD not in n]
    return Reading(
        turned_away=state.account if state.status == "turned_away" else "",
        examined=[a for a, review in state.reviews.items() if review.reexaminations],
        asked=[f"{a.question} [{a.assumption}]" for a in state.assumptions],
        doubts=[*triage, *doubts],
        failed=failed,
        calls=Usage.of(state.calls).calls,
        seconds=time.monotonic() - started,
    )
