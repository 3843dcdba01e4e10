"""Every number that the description mentions, so that none has to be copied and none is lost."""

import math
import re
from dataclasses import dataclass

from nodes.codegen.number_words import NUMBER_WORDS
from nodes.sentences import sentences_of

_DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+,\d{1,2}(?![\d,])|\d*\.?\d+)(?:[eE][-+]?\d+)?"
_SIGN = r"(?:(?<![\w)\]])[-+−–]|\bminus\s+)?"
_TIMES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "k": 1e3}
_WORD = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_MENTION = re.compile(
    rf"(?<![A-Za-z0-9_.])(?:(?P<ratio>\d+\s?/\s?\d+)(?![\w/])|(?P<power>(?:\d+(?:\.\d+)?\s?[x×·*]\s?)?"
    rf"10(?:\^|\*\*)\(?[-+−]?\d{{1,2}}\)?)|(?P<digits>{_SIGN}{_DIGITS})|\b(?P<word>{_WORD})(?:-(?P<unit>{_WORD}))?\b)"
    rf"(?:(?:\s+(?P<times>hundred|thousand|million|billion)|(?P<k>k))\b)?",
    re.I,
)
_BETWEEN_ITEMS = re.compile(r"^\s*[^\W\d]{0,4}\s*(?:,|;|,?\s*and\b)\s*$")
_AROUND = 45


@dataclass(frozen=True)
class Mention:
    """A number in the description: its value, its sentence and where in it."""

    value: float
    sentence: int
    start: int
    end: int


def shown(mentions: list[Mention], description: str) -> list[str]:
    """Lines that show ``mentions`` in a prompt; the items of one list share a line."""
    sentences = sentences_of(description)
    lines: list[str] = []
    run: list[Mention] = []
    for mention in [*mentions, None]:
        if run and (mention is None or not _same_list(run[-1], mention, sentences)):
            parts = [run] if len(run) > 2 else [[item] for item in run]
            lines += [_line(part, sentences[run[0].sentence - 1]) for part in parts]
            run = []
        if mention is not None:
            run.append(mention)
    return lines


def _same_list(one: Mention, next_one: Mention, sentences: list[str]) -> bool:
    if one.sentence != next_one.sentence:
        return False
    between = sentences[one.sentence - 1][one.end : next_one.start]
    return bool(_BETWEEN_ITEMS.match(between))


def _line(run: list[Mention], sentence: str) -> str:
    start, end = max(0, run[0].start - _AROUND), run[-1].end + _AROUND
    around = sentence[start:end]
    around = around if start == 0 else around.partition(" ")[2] or around
    around = around if end >= len(sentence) else around.rpartition(" ")[0] or around
    numbers = ", ".join(f"{mention.value:.12g}" for mention in run)
    return f"{numbers} in “{around}”"


def mentions_of(description: str) -> list[Mention]:
    """All numbers in ``description`` in their order, digits and small number words alike.

    "One" is left out where it can be the pronoun; the model can still assume it.
    """
    found: list[Mention] = []
    for index, sentence in enumerate(sentences_of(description), start=1):
        # Separators of thousands that cannot be anything else.
        sentence = re.sub(r"(?<=\d)['’\u00a0\u2009\u202f](?=\d{3}(?!\d))", ",", sentence)
        for match in _MENTION.finditer(sentence):
            value = _value(match)
            if value is None:
                continue
            found.append(Mention(value, index, match.start(), match.end()))
    return found


def _value(match: re.Match[str]) -> float | None:
    times = _TIMES.get((match.group("times") or match.group("k") or "").lower(), 1.0)
    if match.group("word"):
        word = match.group("word").lower()
        if word == "one" and times == 1.0:
            return None
        tens = NUMBER_WORDS[word]
        units = NUMBER_WORDS[match.group("unit").lower()] if match.group("unit") else 0.0
        return (tens + units) * times
    if match.group("ratio"):
        above, below = (float(part) for part in match.group("ratio").split("/"))
        return above / below if below else None
    if match.group("power"):
        factor, _, exponent = match.group("power").replace("**", "^").rpartition("^")
        lead = re.split(r"[x×·*]", factor)[0] if re.search(r"[x×·*]", factor) else "1"
        return float(lead) * 10.0 ** int(re.sub(r"[()]", "", exponent).replace("−", "-"))
    text = re.sub(r"[−–]", "-", match.group("digits").lower())
    text = re.sub(r"minus\s+", "-", text)
    text = re.sub(r"^([-+]?\d+),(\d{1,2})$", r"\1.\2", text).replace(",", "")
    value = float(text) * times
    return value if math.isfinite(value) else None


def closest(value: float, words: str, mentions: list[Mention], description: str) -> Mention | None:
    """The mention of ``value`` whose sentence shares most words with ``words``, or None."""
    same = [m for m in mentions if abs(m.value - value) <= 1e-9 * max(1.0, abs(value))]
    sentences = sentences_of(description)
    wanted = _words(words)

    def shared(mention: Mention) -> tuple[int, int]:
        sentence = sentences[mention.sentence - 1]
        near = sentence[max(0, mention.start - _AROUND) : mention.end + _AROUND]
        return len(wanted & _words(near)), len(wanted & _words(sentence))

    return max(same, key=shared, default=None)


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]+", text.lower()))
