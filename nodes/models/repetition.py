"""What is usable of a reply that went round in circles until it was cut off."""

import json
from dataclasses import dataclass, field
from typing import Any

_CLOSING = {"{": "}", "[": "]"}
_NAMED_BY = ("name", "item", "term")
"""Keys that tell the things of a list apart."""


@dataclass
class _List:
    """An open bracket, and where each whole object directly in it begins and ends."""

    bracket: str
    start: int
    things: list[tuple[int, int]] = field(default_factory=list)


def until_it_repeats(text: str) -> str | None:
    """The reply up to where its last list names a thing again, with all brackets closed.

    Small models enlarge a list with what it holds already, without end. None if the text is whole,
    or cut off in a list that does not repeat itself: there something may be lacking.
    """
    start = text.find("{")
    open_brackets = _still_open(text, start) if start >= 0 else []
    while open_brackets:
        innermost = open_brackets[-1]
        end = _first_repeated(text, innermost.things)
        if end is not None:
            closing = "".join(_CLOSING[opened.bracket] for opened in reversed(open_brackets))
            return text[start:end] + closing
        open_brackets.pop()
    return None


def _still_open(text: str, start: int) -> list[_List]:
    """The brackets that nothing closes, from the outermost to the innermost."""
    stack: list[_List] = []
    quoted = escaped = False
    for place in range(start, len(text)):
        letter = text[place]
        if quoted:
            quoted = escaped or letter != '"'
            escaped = letter == "\\" and not escaped
        elif letter == '"':
            quoted = True
        elif letter in _CLOSING:
            stack.append(_List(letter, place))
        elif letter in _CLOSING.values() and stack:
            closed = stack.pop()
            if closed.bracket == "{" and stack and stack[-1].bracket == "[":
                stack[-1].things.append((closed.start, place + 1))
    return stack


def _first_repeated(text: str, things: list[tuple[int, int]]) -> int | None:
    """Where the thing ends that stands before the first one that was named already."""
    seen: set[str] = set()
    end: int | None = None
    for first, last in things:
        name = _name(text[first:last])
        if name in seen:
            return end
        if name is not None:
            seen.add(name)
        end = last
    return None


def _name(thing: str) -> str | None:
    try:
        value: dict[str, Any] = json.loads(thing, strict=False)
    except ValueError:
        return None
    return next((str(value[key]) for key in _NAMED_BY if key in value), None)
