"""What is strange about a description itself, whatever was made of it.

The words looked for are English, with the commonest German and Spanish ones beside them; each rule
says nothing where it is not sure.
"""

import re
from collections.abc import Iterator
from itertools import combinations

from nodes.mentions import Mention, mentions_of
from nodes.sentences import sentences_of
from state.parameters import Parameter
from state.review import Doubt, OpenPoint

_AT_LEAST = re.compile(
    r"(?:at least|no fewer than|no less than|a minimum of|mindestens|al menos|como mínimo)\s+$",
    re.I,
)
_AT_MOST = re.compile(
    r"(?:at most|no more than|a maximum of|höchstens|maximal|como máximo|a lo sumo)\s+$", re.I
)
_CHANCE = re.compile(
    r"(?:probability|chance|wahrscheinlichkeit|probabilidad)(?:\s+(?:of|is|von|ist|de|es))?\s+$",
    re.I,
)
_WHOLE_OF = re.compile(r"\b(?:has|have|with|owns?|runs?|hat|haben|tiene|tienen)\s+$", re.I)
_THOSE = re.compile(r"(?:\b(?:the|its|their|all|these)|'s)\s+$", re.I)
_WORD_BEHIND = re.compile(r"^[\s-]*([^\W\d_]+)")
_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi rho sigma tau phi chi psi "
    "omega"
).split()
# Letters that are units as well are left out: nobody explains the s of m/s.
_SYMBOL = re.compile(rf"(?<![\w'’])(?:{'|'.join(_GREEK)}|[c-fi-kn-rtu-zD-EG-IO-UX-Z])(?![\w'’])")
_IN_FORMULA = re.compile(r"[-+*/^(=<>≤≥·−×]\s*$")
_GOES_ON = re.compile(r"^\s*[-+*/^)<>≤≥·−×]")
_EXPLAINED = re.compile(r"^\s*(?:=|is\b|are\b|:|stands\b|denotes\b|ist\b|es\b)")


def text_doubts(description: str, parameters: list[Parameter]) -> Iterator[Doubt]:
    """Limits that cross, symbols and counts that do not agree, chances of more than one in all."""
    sentences = sentences_of(description)
    mentions = mentions_of(description)
    for number, sentence in enumerate(sentences, start=1):
        here = [m for m in mentions if m.sentence == number]
        yield from _crossed(sentence, here)
        yield from _chances(sentence, here)
    yield from _symbols(description, sentences, parameters)
    yield from _counts(sentences, mentions)


def _crossed(sentence: str, here: list[Mention]) -> Iterator[Doubt]:
    """At least so many and at most fewer of the same thing."""
    lows = [m for m in here if _AT_LEAST.search(sentence[: m.start])]
    highs = [m for m in here if _AT_MOST.search(sentence[: m.start])]
    for low in lows:
        for high in highs:
            thing = _thing(sentence, low)
            if thing and thing == _thing(sentence, high) and low.value > high.value:
                least, most = f"{low.value:g} {thing}", f"{high.value:g} {thing}"
                point = OpenPoint(
                    question=f"At least {least}, but at most {most}: which limits are meant?",
                    choices=[f"from {most} to {least}", f"always {most}"],
                    assumption=f"at least {least} and at most {most}, as written",
                )
                reason = f"at least {least} and at most {most} cannot both hold"
                yield doubt(thing, reason, sentence, point)


def _chances(sentence: str, here: list[Mention]) -> Iterator[Doubt]:
    """Three or more chances in a sentence that are more than one in all.

    They may belong to things that have nothing to do with each other, so this is no open point.
    """
    chances = [m.value for m in here if _CHANCE.search(sentence[: m.start]) and 0 < m.value <= 1]
    if len(chances) > 2 and sum(chances) > 1 + 1e-9:
        listed = " + ".join(f"{chance:g}" for chance in chances)
        reason = f"the chances {listed} make {sum(chances):g} if they are of one event"
        yield doubt("probability", reason, sentence)


def _symbols(
    description: str, sentences: list[str], parameters: list[Parameter]
) -> Iterator[Doubt]:
    """A symbol that stands in formulas only."""
    found: dict[str, list[bool]] = {}
    for match in _SYMBOL.finditer(description):
        before, behind = description[: match.start()], description[match.end() :]
        used = bool(_IN_FORMULA.search(before) or _GOES_ON.search(behind))
        said = bool(_EXPLAINED.search(behind)) or not used
        found.setdefault(match.group(), []).append(said)
    values = {p.name: p for p in parameters}
    for symbol, explained in found.items():
        if not any(explained):
            whole_word = re.compile(rf"(?<!\w){symbol}(?!\w)")
            sentence = next(s for s in sentences if whole_word.search(s))
            taken = values.get(symbol)
            point = OpenPoint(
                question=f"What does {symbol} stand for, and what is its value?",
                assumption=f"{symbol} = {taken.value} {taken.unit}".strip()
                if taken
                else f"{symbol} = 1",
            )
            yield doubt(symbol, f"nothing says what {symbol} is", sentence, point)


def _counts(sentences: list[str], mentions: list[Mention]) -> Iterator[Doubt]:
    """Something has so many parts, and elsewhere *the* parts are another number."""

    def of(kind: re.Pattern[str]) -> list[tuple[str, Mention]]:
        pairs = [(sentences[m.sentence - 1], m) for m in mentions]
        return [(s, m) for s, m in pairs if kind.search(s[: m.start]) and _is_count(m)]

    whole = of(_WHOLE_OF)
    for (one, first), (other, second) in combinations(whole + of(_THOSE), 2):
        thing = _thing(one, first)
        is_whole = (one, first) in whole and (other, second) not in whole
        if is_whole and thing and thing == _thing(other, second) and first.value != second.value:
            choices = [f"{m.value:g} {thing}" for m in (first, second)]
            point = OpenPoint(
                question=f"{choices[0]} or {choices[1]}: which number is right?",
                choices=choices,
                assumption=choices[0],
            )
            yield doubt(thing, f"{choices[0]} here and {choices[1]} there", other, point)


def _is_count(mention: Mention) -> bool:
    return mention.value > 1 and mention.value == int(mention.value)


def _thing(sentence: str, mention: Mention) -> str:
    """The word behind a number, where it may be what is counted."""
    word = _WORD_BEHIND.match(sentence[mention.end :])
    return word.group(1).lower() if word else ""


def doubt(item: str, reason: str, evidence: str = "", ask: OpenPoint | None = None) -> Doubt:
    """What a rule doubts; with ``ask``, the description is at fault."""
    return Doubt(
        item=item, score=0, reason=reason, evidence=evidence, found_by="rule", open_point=ask
    )
