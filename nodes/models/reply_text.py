"""Find the JSON in what a model wrote: behind its thoughts, inside fences, between prose."""

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn

MOST_STARTS = 200
"""Opening braces tried before giving up, so that hostile text costs bounded time."""

_FENCE = re.compile(r"```[A-Za-z0-9_-]*\s*\n?(.*?)(?:```|\Z)", re.DOTALL)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_constant, strict=False)
"""It takes line breaks within strings, which models write into code instead of ``\\n``."""


def without_thoughts(text: str) -> str:
    """Return what follows a ``<think>`` block; an unclosed block loses only its tag."""
    stripped = text.lstrip()
    opened = stripped.startswith("<think>")
    head, closed, rest = stripped.partition("</think>")
    if closed and (opened or "{" not in head):
        return rest
    return stripped.removeprefix("<think>") if opened else text


_REFUSAL = re.compile(
    r"(?:(?:i['’]?m|i am) (?:very |really |so )?sorry|sorry\b|i (?:can['’]?t|can ?not|won['’]?t"
    r"|will not|am (?:unable|not able)|must decline|must refuse)|i['’]m (?:unable|not able)"
    r"|as an ai\b|unfortunately,? i (?:can|am)|es tut mir leid|ich kann (?:das |dir |ihnen )"
    r"|lo siento|no puedo|je suis désolé|je ne peux pas)",
    re.I,
)
_UNREADABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def json_objects(text: str) -> list[dict[str, Any]]:
    """Return the JSON objects in a reply, the likeliest answer first.

    Tried in turn: the whole text, each fenced block, then each object that starts in the text,
    longest first. An empty list means that there is none.
    """
    answer = without_thoughts(text).strip()
    whole = _decode(answer)
    if whole is not None:
        return [_readable(whole)]
    fenced = [block for found in _FENCE.findall(answer) if (block := _decode(found.strip()))]
    if fenced:
        return [_readable(block) for block in fenced]
    spans = sorted(_scan(answer), key=lambda found: -found[0])
    return [_readable(value) for _, value in spans]


def _readable(value: Any) -> Any:
    """``value`` without what no file and no Python source can hold: NUL, lone surrogates."""
    if isinstance(value, str):
        return _UNREADABLE.sub("", value)
    if isinstance(value, list):
        return [_readable(item) for item in value]
    if isinstance(value, dict):
        return {_readable(key): _readable(item) for key, item in value.items()}
    return value


def refusal_in(text: str) -> str:
    """The first sentence of a reply that declines to answer in plain words, or an empty string."""
    answer = " ".join(without_thoughts(text).split())
    if "{" in answer or not _REFUSAL.match(answer):
        return ""
    return re.split(r"(?<=[.!?])\s", answer, maxsplit=1)[0][:200]


def runs_on(text: str, tail: int = 40, often: int = 4) -> bool:
    """Whether a text ends in a loop: its last ``tail`` characters occur ``often`` times in it."""
    return len(text) > tail and text.count(text[-tail:]) >= often


def _decode(text: str) -> dict[str, Any] | None:
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _scan(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield length and value of each outermost object in ``text``."""
    position = text.find("{")
    for _ in range(MOST_STARTS):
        if position < 0:
            return
        try:
            value, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            end = position + 1
        else:
            if value:
                yield end - position, value
        position = text.find("{", end)
