"""Review: an agent scores its own answer against the description (paper, error correction).

What a rule doubts counts too, whatever score the model gave.
"""

from collections.abc import Callable
from typing import Any, Literal

from langgraph.runtime import Runtime
from pydantic import Field, create_model, field_validator

from nodes.accounts import StageClock
from nodes.agent import ask, noted
from nodes.correction.items import Item, items_of
from nodes.correction.rules import rule_doubts
from nodes.models.errors import ContextTooLong, ModelRefused, RecordingMissing, ReplyInvalid
from nodes.sentences import quoted
from nodes.settings import RunSettings
from state.piece import Piece
from state.review import Doubt, OpenPoint, Review, Reviewed
from state.run_state import RunState

MOST_ITEMS = 40
"""Items that are scored one by one; beyond that a reviewer only loses its way."""


class ItemScore(Piece):
    """How sure the reviewer is of one item; ``sentence`` is where to look, 0 for nowhere."""

    item: str
    sentence: int
    reason: str
    score: float = Field(ge=0, le=1)

    @field_validator("score", mode="before")
    @classmethod
    def _of_one(cls, given: Any) -> Any:
        """Per cent as a number from 0 to 1."""
        percent = isinstance(given, int | float) and 1 < given <= 100
        return given / 100 if percent else given


class Unsaid(Piece):
    """Something that the description leaves open."""

    item: str
    why: str
    question: str
    choices: list[str] = Field(max_length=4)
    assumption: str


class ReviewReply(Piece):
    """What the model answers."""

    items: list[ItemScore]
    open: list[Unsaid] = Field(default_factory=list, max_length=3)


def review(agent: Reviewed) -> Callable[[RunState, Runtime[RunSettings]], dict[str, Any]]:
    """The node that reviews the answer of ``agent``."""

    def review_answer(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
        """Score each item of the answer and keep what is doubtful."""
        return _reviewed(agent, state, runtime)

    return review_answer


def _reviewed(agent: Reviewed, state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    clock = StageClock(f"review_{agent}")
    earlier = state.reviews.get(agent, Review())
    items = items_of(agent, state)[:MOST_ITEMS]
    open_before = [d for d in earlier.doubts if d.open_point and d.found_by == "model"]
    if not items or (earlier.unchanged and not open_before):
        # The same answer would only get the same review; what is open has to be insisted on.
        doubts = [d.model_copy(update={"seen": d.seen + 1}) for d in earlier.doubts]
        kept = earlier.model_copy(update={"doubts": doubts})
        return _update(agent, state, kept, clock, "skipped")
    calls, notes = state.calls, state.notes
    scores: dict[str, float] = {}
    doubts = rule_doubts(agent, state)
    try:
        answer = ask(
            f"review_{agent}", reply_schema(items), state, runtime, check=lambda reply: [],
            prompt="review", items=items, reviewed=agent, settled=settled(state),
            open_before=open_before, max_output_tokens=2000,
        )  # fmt: skip
    except RecordingMissing:
        notes = noted(state, agent, "not reviewed: the recording holds no review")
        return {**_update(agent, state, earlier, clock, "skipped"), "notes": notes}
    except (ReplyInvalid, ModelRefused, ContextTooLong) as error:
        calls = [*calls, *error.calls]
        notes = noted(state, agent, f"reviewed by rules alone: {error}")
    else:
        calls = answer.calls
        scores = {given.item: given.score for given in answer.value.items}
        doubts += model_doubts(answer.value, state, runtime.context.threshold)
    doubts = with_count(doubts, earlier.doubts)
    found = earlier.model_copy(update={"scores": scores, "doubts": doubts})
    return {**_update(agent, state, found, clock, "done"), "calls": calls, "notes": notes}


def reply_schema(items: list[Item]) -> type[ReviewReply]:
    """A reply that scores each of ``items`` by its name, and no other."""
    names = tuple(dict.fromkeys(item.name for item in items))
    name: Any = Literal[names]
    named: Any = create_model("ItemScore", __base__=ItemScore, item=(name, ...))
    listed: Any = (list[named], Field(min_length=len(names), max_length=len(names)))
    return create_model("ReviewReply", __base__=ReviewReply, items=listed)


def model_doubts(reply: ReviewReply, state: RunState, threshold: float) -> list[Doubt]:
    """What the model scored under ``threshold`` or found left open."""
    found = [
        Doubt(
            item=given.item,
            score=given.score,
            reason=given.reason,
            evidence=quoted(state.told, given.sentence)[0],
            found_by="model",
        )
        for given in reply.items
        if given.score < threshold
    ]
    known = [asked for asked, _ in settled(state)]
    for unsaid in reply.open:
        question = unsaid.question.strip()
        if question and not any(question in asked for asked in known):
            point = OpenPoint(
                question=question,
                choices=[c for c in dict.fromkeys(unsaid.choices) if c.strip()],
                assumption=unsaid.assumption,
            )
            found.append(
                Doubt(
                    item=unsaid.item, score=0, reason=unsaid.why, found_by="model",
                    open_point=point,
                )
            )  # fmt: skip
    return found


def with_count(doubts: list[Doubt], earlier: list[Doubt]) -> list[Doubt]:
    """``doubts``, each with the number of reviews in a row that had one about the same.

    What a reviewer finds left open it may name otherwise the next time.
    """

    def subject(doubt: Doubt) -> tuple[str, bool]:
        is_open = doubt.open_point is not None
        return ("" if is_open and doubt.found_by == "model" else doubt.item, is_open)

    seen = {subject(d): d.seen for d in earlier}
    return [d.model_copy(update={"seen": seen.get(subject(d), 0) + 1}) for d in doubts]


def settled(state: RunState) -> list[tuple[str, str]]:
    """Questions that have been answered or assumed away, with what holds now."""
    answers = [(a.question, a.answer) for a in state.answers if a.kind == "clarify"]
    return answers + [(a.question, a.assumption) for a in state.assumptions]


def _update(
    agent: Reviewed,
    state: RunState,
    found: Review,
    clock: StageClock,
    status: Literal["done", "skipped"],
) -> dict[str, Any]:
    names = ", ".join(dict.fromkeys(doubt.item for doubt in found.doubts))
    note = f"in doubt: {names[:120]}" if names else ""
    stages = clock.add_to(state, status, note)
    return {"reviews": {**state.reviews, agent: found}, "stages": stages}
