"""What is usable of a reply that ran on until it was cut off."""

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
    ends = ((o, _first_repeated(text, o[-1].things)) for o in _open_lists(text))
    return next((_closed(text, opened, end) for opened, end in ends if end is not None), None)


def whole_things(text: str) -> list[str]:
    """The reply up to the last whole thing of a list that was cut off, with all brackets closed.

    Of lists within others that of the innermost comes first. Something may be lacking in all of
    them; empty if the text is whole.
    """
    return [
        _closed(text, opened, opened[-1].things[-1][1])
        for opened in _open_lists(text)
        if opened[-1].things
    ]


def _open_lists(text: str) -> list[list[_List]]:
    """What was open where ``text`` was cut off: all brackets, all but the innermost, and so on."""
    start = text.find("{")
    opened = _still_open(text, start) if start >= 0 else []
    return [opened[:count] for count in range(len(opened), 0, -1)]


def _closed(text: str, opened: list[_List], end: int) -> str:
    closing = "".join(_CLOSING[each.bracket] for each in reversed(opened))
    return text[opened[0].start : end] + closing


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
