"""The description as numbered sentences, so that what is said can be pointed at."""

import re

_ENDS = re.compile(r"(?<=[.!?。！？])\s+(?=\S)|\n\s*\n|\n(?=\s*(?:[-*•#]|\d+[.)])\s)")
_ABBREVIATIONS = re.compile(r"(?:\b(?:e\.g|i\.e|approx|resp|no|vs|cf|ca|etc|z\.B|d\.h)\.)$", re.I)


def sentences_of(description: str) -> list[str]:
    """Sentences, headings and list items of ``description``, each on one line."""
    found: list[str] = []
    for part in _ENDS.split(description):
        text = " ".join(part.split())
        if not re.search(r"\w", text):
            continue
        if found and _ABBREVIATIONS.search(found[-1]):
            found[-1] = f"{found[-1]} {text}"
        else:
            found.append(text)
    return found


def sentence_number(description: str, quote: str) -> int:
    """The number of the sentence ``quote``, counted from 1; 0 if it is none."""
    sentences = sentences_of(description)
    return sentences.index(quote) + 1 if quote in sentences else 0


def quoted(description: str, number: int) -> tuple[str, str]:
    """Quote and assumption for a piece that points at sentence ``number``, counted from 1.

    A number that is none of a sentence makes the piece an assumption.
    """
    sentences = sentences_of(description)
    if 1 <= number <= len(sentences):
        return sentences[number - 1], ""
    return "", "the description does not say it"
