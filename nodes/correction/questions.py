"""What stays in doubt after all re-examinations, as one question to a person."""

import re

from nodes.correction.items import items_of, readings
from state.question import Question
from state.review import REVIEWED, Doubt, OpenPoint, Review, Reviewed
from state.run_state import RunState

MOST_POINTS = 3
"""Points that one question asks about; a person who is asked more at once answers less."""

LONGEST_TEXT = 600
"""Characters of each text that a model wrote for a question."""

HOW_TO_ANSWER = "One of the choices, or anything else in your own words."


def examine_again(review: Review, most: int) -> bool:
    """True while looking again may still change something.

    What two reviews found left open is not the agent's to find.
    """
    findable = [d for d in review.doubts if d.open_point is None or d.seen < 2]
    return bool(findable) and not review.unchanged and review.reexaminations < most


def pending_question(state: RunState) -> tuple[Reviewed, Question] | None:
    """The first agent whose doubts are for a person to settle, and the question to put."""
    for agent in REVIEWED:
        question = question_about(agent, state)
        if question is not None:
            return agent, question
    return None


def question_about(agent: Reviewed, state: RunState) -> Question | None:
    """What to ask about the answer of ``agent``; None where nothing is open, or all is settled.

    Only what the description leaves open is asked: what it does not say, and what two readings
    took differently. Whatever else stays in doubt was merely read badly.
    """
    review = state.reviews.get(agent)
    if review is None or review.settled:
        return None
    now = readings(items_of(agent, state))
    found = [(doubt, point) for doubt in review.doubts if (point := _open(doubt, review, now))]
    ruled = [point for doubt, point in found if doubt.found_by == "rule"]
    rest = [p for d, p in found if d.found_by != "rule" and not any(_same(p, q) for q in ruled)]
    points = list({point.question: point for point in [*ruled, *rest]}.values())[:MOST_POINTS]
    if not points:
        return None
    numbers = [f"{n}. " if len(points) > 1 else "" for n in range(1, len(points) + 1)]
    numbered = list(zip(numbers, points, strict=True))
    return Question(
        kind="clarify",
        agent=agent,
        text=" ".join(_cut(n + point.question) for n, point in numbered),
        choices=[_cut(n + choice) for n, point in numbered for choice in point.choices],
        assumption="; ".join(_cut(n + point.assumption) for n, point in numbered),
        how_to_answer=HOW_TO_ANSWER,
    )


def _open(doubt: Doubt, review: Review, now: dict[str, str]) -> OpenPoint | None:
    if review.reexaminations and doubt.seen < 2:
        return None
    if doubt.open_point is not None:
        return doubt.open_point
    before, after = review.readings.get(doubt.item, ""), now.get(doubt.item, "")
    if not before or not after or before == after:
        return None
    name = doubt.item.replace("_", " ")
    return OpenPoint(
        question=f"Which is right for {name}: {before} or {after}?",
        choices=[before, after],
        assumption=after,
    )


def _same(one: OpenPoint, other: OpenPoint) -> bool:
    """True if most of what a model asks is what a rule asks already, in other words."""
    asked, known = _words(one.question), _words(other.question)
    return bool(asked & known) and 2 * len(asked & known) >= min(len(asked), len(known))


def _words(text: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[^\W\d_]{4,}", text)}


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"
