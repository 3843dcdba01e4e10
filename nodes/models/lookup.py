"""What probably comes next in a text that repeats itself: what came next the last time."""

from collections.abc import Iterable

LONGEST = 3
"""Tokens at the end of the text that are looked for first; then fewer."""


class Lookup:
    """Guesses the next tokens from the last place in the text with the same tokens before it.

    An answer in JSON repeats keys, names and sentences of its prompt, so that many guesses come
    true (prompt lookup decoding, github.com/apoorvumang/prompt-lookup-decoding).
    """

    def __init__(self, tokens: Iterable[int]) -> None:
        self.tokens: list[int] = []
        self._followed: dict[tuple[int, ...], int] = {}
        self.extend(tokens)

    def extend(self, tokens: Iterable[int]) -> None:
        """Add ``tokens`` to the end of the text."""
        for token in tokens:
            # What ended here has a token after it from now on.
            self._followed.update(dict.fromkeys(self._endings(), len(self.tokens)))
            self.tokens.append(token)

    def guess(self, count: int) -> list[int]:
        """At most ``count`` tokens; none where nothing like the end of the text was before."""
        for ending in self._endings():
            place = self._followed.get(ending)
            if place is not None:
                return self.tokens[place : place + count]
        return []

    def _endings(self) -> list[tuple[int, ...]]:
        sizes = range(min(LONGEST, len(self.tokens)), 0, -1)
        return [tuple(self.tokens[-size:]) for size in sizes]
