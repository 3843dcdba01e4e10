"""Is it in the description? Deterministic checks of quotes and numbers."""

import re
import unicodedata

_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?")
_WORDS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen twenty".split()
    )
} | {
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100, "thousand": 1000,
    "half": 0.5, "once": 1, "twice": 2, "single": 1, "dozen": 12, "pair": 2, "quarter": 0.25,
}  # fmt: skip


def simplified(text: str) -> str:
    """``text`` in lower case, with plain quotes and dashes, and single spaces."""
    plain = unicodedata.normalize("NFKC", text).lower()
    plain = re.sub(r"[‐-―−]", "-", plain)
    plain = re.sub(r"[‘’“”\"'`*_]", "", plain)
    return " ".join(plain.split()).strip(" .,;:")


def is_quoted(quote: str, description: str) -> bool:
    """True if ``quote`` stands in ``description``, letter case and spacing aside.

    Parts left out with ``...`` are allowed between pieces that stand there in this order.
    """
    text, position = simplified(description), 0
    pieces = [simplified(piece) for piece in re.split(r"\.\.\.|…", quote)]
    pieces = [piece for piece in pieces if piece]
    for piece in pieces:
        found = text.find(piece, position)
        if found < 0:
            return False
        position = found + len(piece)
    return bool(pieces)


def numbers_in(text: str) -> set[float]:
    """Magnitudes of all numbers in ``text``, written as digits or as small number words."""
    found = {abs(float(number.replace(",", ""))) for number in _NUMBER.findall(_opened(text))}
    found |= {float(_WORDS[w]) for w in re.findall(r"[a-z]+", text.lower()) if w in _WORDS}
    return found


def _opened(text: str) -> str:
    """``text`` with a gap between a number and a unit or sign that touches it."""
    plain = re.sub(r"[‐-―−]", "-", unicodedata.normalize("NFKC", text))
    return re.sub(r"(?<=[A-Za-z(])(?=[-+]?\d)", " ", re.sub(r"(?<=\d)-(?=\d)", " - ", plain))


def has_number(value: float, text: str) -> bool:
    """True if ``value`` stands in ``text``, also as a percentage or without its sign."""
    magnitudes = numbers_in(text)
    candidates = (abs(value), abs(value) * 100)
    return any(abs(c - m) <= 1e-9 * max(1.0, m) for c in candidates for m in magnitudes)


def sentence_with(value: float, description: str) -> str:
    """The first sentence of ``description`` that holds the number ``value``, or nothing."""
    for sentence in re.split(r"(?<=[.!?])\s+|\n\s*\n", description):
        if has_number(value, sentence):
            return " ".join(sentence.split())
    return ""
