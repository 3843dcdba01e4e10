"""Lines that a model of code would write in the place of a given one."""

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from nodes.models.chosen import Fills
from nodes.models.generation import GUESSED_AHEAD, Generated, Generator
from nodes.models.lookup import Lookup

LONGEST_LINE = 64
"""Tokens."""
LONGEST_TOLD = 200
"""Tokens of a line whose probability is told."""
MOST_TOKENS = 400
"""Tokens read or written for all lines of one gap."""
OTHERS = 5
"""Tokens that may stand in the place of one."""
LEAST = 0.01
"""Probability of such a token."""
LEAST_OF_ALL = 0.002
"""What of a line is left of its probability, see ``likely_lines``."""


@dataclass(order=True)
class _Branch:
    """A line that begins with ``tokens``; whole, or to be written on."""

    improbability: float
    number: int
    tokens: list[int] = field(compare=False)
    whole: bool = field(compare=False)


@dataclass
class _Search:
    generator: Generator
    prompt: list[int]
    line: str
    branches: list[_Branch] = field(default_factory=list)
    number: int = 0
    read: int = 0

    def rows(self, tokens: list[int], last: int) -> list[NDArray[np.float32]]:
        """Logits behind the last ``last + 1`` of ``tokens``, which stand behind the prompt."""
        self.read += last + 1
        return self.generator.rows_behind([*self.prompt, *tokens], last)

    def branch_off(
        self, tokens: list[int], rows: Sequence[NDArray[np.float32]], share: float
    ) -> None:
        """Remember what else may stand at each place that ``rows`` are about, the last ones."""
        first = len(tokens) + 1 - len(rows)
        for place, row in enumerate(rows, first):
            chances = _chances(row)
            ended = float(chances[self.generator.line_ends].sum())
            chosen = tokens[place] if place < len(tokens) else None
            if chosen is not None and place > 0 and ended >= LEAST:
                self._push(share * ended, tokens[:place], whole=True)
            for other in np.argpartition(-chances, OTHERS)[:OTHERS].tolist():
                if chances[other] < LEAST or other == chosen or self.generator.line_ends[other]:
                    continue
                begun = [*tokens[:place], other]
                text = self.generator.text(begun).lstrip()
                if text and not self.line.startswith(text):  # the same in other tokens is no other
                    self._push(share * float(chances[other]), begun, whole=False)

    def _push(self, share: float, tokens: list[int], *, whole: bool) -> None:
        if share >= LEAST_OF_ALL:
            self.number += 1
            heapq.heappush(self.branches, _Branch(-share, self.number, tokens, whole))

    def write_on(self, begun: list[int]) -> tuple[list[int], list[NDArray[np.float32]]]:
        """The likeliest line that begins so, and the logits behind ``begun`` and all that follows.

        Empty where it does not end.
        """
        tokens, rows = list(begun), list[NDArray[np.float32]]()
        lookup = Lookup([*self.prompt, *tokens])
        guessed: list[int] = []
        while len(tokens) < LONGEST_LINE:
            for right, row in enumerate(self.rows([*tokens, *guessed], len(guessed))):
                rows.append(row.copy())
                token = int(row.argmax())
                if self.generator.line_ends[token]:
                    return tokens, rows
                tokens.append(token)
                lookup.extend([token])
                if guessed[right : right + 1] != [token]:
                    break
            guessed = lookup.guess(GUESSED_AHEAD)
        return [], []


def likely_lines(generator: Generator, prompt: list[int], line: str) -> Iterator[str]:
    """Lines that may stand behind ``prompt`` in the place of ``line``.

    Each begins like ``line``, or like an earlier one, goes on with another token, and then with
    the likeliest ones. They come in the order of the probability of these other tokens, whatever
    the rest has, so that near relatives of ``line`` come early.
    """
    search = _Search(generator, prompt, line)
    original = generator.pieces(line)[: LONGEST_LINE - 1]
    rows = [row.copy() for row in search.rows(original, len(original))]
    search.branch_off(original, rows, 1.0)
    seen = {line}
    while search.branches and search.read < MOST_TOKENS:
        branch = heapq.heappop(search.branches)
        tokens = branch.tokens
        if not branch.whole:
            tokens, rows = search.write_on(branch.tokens)
            if tokens:
                search.branch_off(tokens, rows, -branch.improbability)
        text = generator.text(tokens).strip()
        if text not in seen and _closed(text):
            seen.add(text)
            yield text


def _closed(text: str) -> bool:
    """Whether ``text`` says something, and all brackets in it are closed."""
    pairs = (("(", ")"), ("[", "]"), ("{", "}"))
    return text != "" and all(text.count(one) == text.count(other) for one, other in pairs)


def fill(generator: Generator, texts: Sequence[str], fills: Fills, most: int) -> Generated:
    """The reply to the ``texts`` of a request about a gap, see ``nodes.models.chosen.Ask``."""
    before, behind, offered = texts
    prompt, lines = generator.gap(before, behind), offered.split("\n")
    if fills == "odds":
        reply = [f"{odds(generator, prompt, line):.3f}" for line in lines]
    else:
        reply = list(islice(likely_lines(generator, prompt, lines[0]), most))
    text = "\n".join(reply)
    return Generated(text, "stop", len(prompt), len(generator.pieces(text)))


def odds(generator: Generator, prompt: list[int], line: str) -> float:
    """Logarithm of the probability that ``line``, and no more, stands behind ``prompt``.

    Minus infinity for a long one.
    """
    tokens = generator.pieces(line)
    if len(tokens) > LONGEST_TOLD:
        return -math.inf
    rows = generator.rows_behind([*prompt, *tokens], len(tokens))
    written = [_chances(row)[token] for row, token in zip(rows, tokens, strict=False)]
    ended = _chances(rows[-1])[generator.line_ends].sum()
    return float(np.log(np.maximum([*written, ended], np.finfo(float).tiny)).sum())


def _chances(row: NDArray[np.float32]) -> NDArray[np.float64]:
    chances = np.exp((row - row.max()).astype(np.float64))
    scaled: NDArray[np.float64] = chances / chances.sum()
    return scaled
