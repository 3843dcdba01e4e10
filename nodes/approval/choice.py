"""Reading an answer at a gate: approved, an edit, or a remark for an agent."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from state.approval import Decision, Gate
from state.findings import Owner
from state.question import LONGEST_ANSWER

LONGEST_EDIT = 60_000
"""Characters of a piece that is given as an answer."""

_APPROVING = frozenset("a approve approved ok okay y yes".split())
_SAYING_NOTHING = frozenset("n no nope reject rejected edit".split())
_EDIT = re.compile(r"edit\s*:\s*(.*)", re.IGNORECASE | re.DOTALL)
_SEND_BACK = re.compile(
    r"send\s+(?:it\s+)?back\b(?:\s+to)?(?:\s+the)?\s*(\w*)(?:\s+agent)?\s*(?::\s*(.*))?",
    re.IGNORECASE | re.DOTALL,
)


class NotUnderstood(ValueError):
    """An answer that cannot be followed; the message is one sentence with what would help."""


@dataclass(frozen=True)
class Choice:
    """What a person chose; ``text`` is the edit or the remark, ``agent`` who is to read it."""

    decision: Decision
    text: str = ""
    agent: Owner | None = None


def choice_of(answer: str, gate: Gate, agents: Sequence[Owner]) -> Choice:
    """What ``answer``, a text without white space around it, says at ``gate``.

    Raises:
        NotUnderstood: it says no more than "no", or names an agent who is not in ``agents``.
    """
    word = answer.strip(" .!").lower()
    if word in _APPROVING:
        return Choice("approved")
    if word in _SAYING_NOTHING:
        raise NotUnderstood("Say what is wrong with it, or `edit: FILE` with it put right.")
    edit = _EDIT.fullmatch(answer)
    if edit or _is_piece(answer, gate):
        text = edit[1].strip() if edit else answer
        if not text:
            raise NotUnderstood("Name the file with the edit: `edit: FILE`.")
        return Choice("edited", text)
    if len(answer) > LONGEST_ANSWER:
        raise NotUnderstood(
            f"The remark is too long: {len(answer):,} characters where at most "
            f"{LONGEST_ANSWER:,} are taken."
        )
    sent = _SEND_BACK.fullmatch(answer)
    return _sent_back(sent[1].lower(), sent[2], agents) if sent else Choice("sent_back", answer)


def _is_piece(answer: str, gate: Gate) -> bool:
    """True for what is plainly the piece itself and no words about it."""
    if gate == "spec":
        return answer.startswith("{")
    return gate == "code" and re.search(r"^class Environment\b", answer, re.MULTILINE) is not None


def _sent_back(name: str, remark: str | None, agents: Sequence[Owner]) -> Choice:
    agent = next((known for known in agents if known == name), None)
    if name and agent is None:
        raise NotUnderstood(f"There is no agent {name!r} here; known are {', '.join(agents)}.")
    if not remark or not remark.strip():
        raise NotUnderstood("Say what is wrong with it: `send back AGENT: what is wrong`.")
    return Choice("sent_back", remark.strip(), agent)
