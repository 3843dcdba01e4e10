"""Parameter agent: the known constants of the task (paper, section 3.2).

The numbers are read off the description by rule and shown to the model, which names them. A
value that is not among them is not taken over, so none is invented and none is copied wrongly.
"""

import re
from typing import Any

from langgraph.runtime import Runtime
from pydantic import Field

from nodes.agent import ask, noted
from nodes.mentions import Mention, closest, mentions_of, shown
from nodes.numbered import numbered_groups
from nodes.sentences import sentences_of
from nodes.settings import RunSettings
from nodes.written_numbers import as_written, flat, unit_behind
from state.parameters import Parameter
from state.piece import NewIdentifier, Piece
from state.run_state import RunState

NO_UNIT = {"none", "null", "-", "n/a", "unitless", "dimensionless"}


class NamedNumber(Piece):
    """One constant: a number of the description (or a list of them), and what it is."""

    value: float | list[float] | list[list[float]]
    name: NewIdentifier
    definition: str
    unit: str


class AssumedNumber(Piece):
    """A constant that the description does not give."""

    name: NewIdentifier
    definition: str
    value: float
    unit: str
    reason: str


class ParameterReply(Piece):
    """What the model answers."""

    parameters: list[NamedNumber]
    assumed: list[AssumedNumber] = Field(default_factory=list)


def parameter(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Name the numbers of the description; what is assumed beside them carries its reason."""
    text = state.told
    mentions = mentions_of(text)

    def check(reply: ParameterReply) -> list[str]:
        return complaints(reply, mentions, sentences_of(text))

    answer = ask(
        "parameter", ParameterReply, state, runtime, check=check, mentions=shown(mentions, text),
        previous=reply_of(state.parameters),
    )  # fmt: skip
    kept, notes = parameters_from(answer.value, mentions, text)
    return {
        "parameters": kept,
        "calls": answer.calls,
        "notes": noted(state, "parameter", *notes),
    }


def reply_of(parameters: list[Parameter]) -> ParameterReply:
    """The answer that ``parameters`` were made from, as far as it was kept."""
    return ParameterReply(
        parameters=[
            NamedNumber(value=p.value, name=p.name, definition=p.definition, unit=p.unit)
            for p in parameters
            if not p.assumed
        ],
        assumed=[
            AssumedNumber(
                name=p.name,
                definition=p.definition,
                value=p.value,
                unit=p.unit,
                reason=p.assumed,
            )
            for p in parameters
            if p.assumed and isinstance(p.value, float)
        ],
    )


def complaints(reply: ParameterReply, mentions: list[Mention], sentences: list[str]) -> list[str]:
    """What in ``reply`` the description does not bear out, in words for the model."""
    found: list[str] = []
    for p in reply.parameters:
        found_in = {v: as_written(v, p.unit, mentions, sentences) for v in flat(p.value)}
        if not found_in or None in found_in.values():
            missing = [v for v, mention in found_in.items() if mention is None]
            said = f"the number {missing[0]:g} is not in the description" if missing else "no value"
            found.append(f"{p.name}: {said}; copy the number from the list, or leave it out")
    return found


def parameters_from(
    reply: ParameterReply, mentions: list[Mention], description: str
) -> tuple[list[Parameter], list[str]]:
    """Parameters with their values and quotes, and notes on assumptions and unused numbers."""
    sentences = sentences_of(description)
    found: list[Parameter] = []
    notes: list[str] = []
    for p in reply.parameters:
        pointed = [as_written(v, p.unit, mentions, sentences) for v in flat(p.value)]
        values = [mention.value for mention in pointed if mention is not None]
        if not values or len(values) < len(pointed):
            notes.append(f"dropped {p.name}: the description does not say it")
            continue
        words = f"{p.name} {p.definition} {p.unit}".replace("_", " ")
        mention = closest(values[0], words, mentions, description)
        assert mention is not None
        value = p.value if values == flat(p.value) else values[0] if len(values) == 1 else values
        same = [abs(v) for v in values] == [abs(v) for v in flat(p.value)]
        unit = p.unit if same else unit_behind(pointed[0] or mention, sentences) or p.unit
        found.append(
            Parameter(
                quote=sentences[mention.sentence - 1],
                name=p.name,
                definition=p.definition,
                value=value,
                unit="" if unit.lower() in NO_UNIT else unit,
            )
        )
    kept = _merged(_told_apart(found))
    for a in reply.assumed:
        if a.name not in kept:
            given = a.model_dump(exclude={"reason"})
            kept[a.name] = Parameter(**given, assumed=a.reason or "not given")
            notes.append(f"assumed {a.name} = {a.value:g} {a.unit}: {a.reason}")
    used = {v for p in kept.values() for v in flat(p.value)}
    for m in mentions:
        if m.value not in used:
            used.add(m.value)
            notes.append(f"no parameter uses {m.value:g} of “{sentences[m.sentence - 1]}”")
    return list(kept.values()), notes


def _told_apart(parameters: list[Parameter]) -> dict[str, Parameter]:
    """Parameters by name; one name for two numbers is the low and the high end of a range."""
    found: dict[str, Parameter] = {}
    for name in dict.fromkeys(p.name for p in parameters):
        same = {str(p.value): p for p in parameters if p.name == name}
        ends = [p for p in same.values() if isinstance(p.value, float)]
        if len(same) == len(ends) == 2:
            low, high = sorted(ends, key=lambda p: flat(p.value)[0])
            for end, p in (("low", low), ("high", high)):
                found[f"{name}_{end}"] = p.model_copy(update={"name": f"{name}_{end}"})
        else:
            found[name] = next(iter(same.values()))
    return found


def _merged(parameters: dict[str, Parameter]) -> dict[str, Parameter]:
    """Numbered parameters of one unit, such as size_1 to size_4, as one list."""
    merged = dict(parameters)
    for stem, names in numbered_groups(list(parameters)).items():
        members = [parameters[name] for name in names]
        values = [m.value for m in members if isinstance(m.value, float)]
        if len(values) < len(members) or len({m.unit for m in members}) > 1:
            continue
        definition = re.sub(r"\s*#?\b(?:\d+|one|first)\b", "", members[0].definition).strip()
        update = {"name": stem, "value": values, "definition": f"{definition}, one for each"}
        replaced: dict[str, Parameter] = {}
        for name, p in merged.items():
            if name == names[0]:
                replaced[stem] = members[0].model_copy(update=update)
            elif name not in names:
                replaced[name] = p
        merged = replaced
    return merged
