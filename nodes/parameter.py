"""Parameter agent: the known constants of the task (paper, section 3.2).

The numbers are read off the description by rule and shown to the model, which names them: a
number is never copied by a model, so it is never copied wrongly.
"""

from typing import Any

from langgraph.runtime import Runtime
from pydantic import Field

from nodes.agent import ask, noted
from nodes.mentions import Mention, mentions_of, shown
from nodes.sentences import sentences_of
from nodes.settings import RunSettings
from state.parameters import Parameter, Value
from state.piece import Identifier, Piece
from state.run_state import RunState


class NamedNumbers(Piece):
    """One constant: the numbers that it takes its value from, and what it is."""

    numbers: list[int] = Field(min_length=1)
    name: Identifier
    definition: str
    unit: str


class AssumedNumber(Piece):
    """A constant that the description does not give."""

    name: Identifier
    definition: str
    value: float
    unit: str
    reason: str


class ParameterReply(Piece):
    """What the model answers."""

    parameters: list[NamedNumbers]
    assumed: list[AssumedNumber] = Field(default_factory=list)


def parameter(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Name the numbers of the description; what is assumed beside them carries its reason."""
    mentions = mentions_of(state.description)

    def check(reply: ParameterReply) -> list[str]:
        return complaints(reply, len(mentions))

    answer = ask(
        "parameter",
        ParameterReply,
        state,
        runtime,
        check=check,
        mentions=shown(mentions, state.description),
    )
    kept, notes = parameters_from(answer.value, mentions, sentences_of(state.description))
    return {
        "parameters": kept,
        "calls": answer.calls,
        "notes": noted(state, "parameter", *notes),
    }


def complaints(reply: ParameterReply, count: int) -> list[str]:
    """What in ``reply`` points at nothing or says a thing twice, in words for the model."""
    found: list[str] = []
    names = [p.name for p in reply.parameters] + [p.name for p in reply.assumed]
    found += [f"{name} is listed twice; list it once" for name in _repeated(names)]
    for p in reply.parameters:
        wrong = [number for number in p.numbers if not 1 <= number <= count]
        if wrong:
            found.append(f"{p.name}: there is no number #{wrong[0]}; the last one is #{count}")
    return found


def parameters_from(
    reply: ParameterReply, mentions: list[Mention], sentences: list[str]
) -> tuple[list[Parameter], list[str]]:
    """Parameters with their values and quotes, and notes on assumptions and unused numbers."""
    kept: dict[str, Parameter] = {}
    notes: list[str] = []
    for p in reply.parameters:
        pointed = [mentions[n - 1] for n in p.numbers if 1 <= n <= len(mentions)]
        if not pointed:
            notes.append(f"dropped {p.name}: it points at no number of the description")
            continue
        kept.setdefault(
            p.name,
            Parameter(
                quote=sentences[pointed[0].sentence - 1],
                name=p.name,
                definition=p.definition,
                value=value_of([mention.value for mention in pointed]),
                unit=p.unit,
            ),
        )
    for a in reply.assumed:
        if a.name not in kept:
            given = a.model_dump(exclude={"reason"})
            kept[a.name] = Parameter(**given, assumed=a.reason or "not given")
            notes.append(f"assumed {a.name} = {a.value:g} {a.unit}: {a.reason}")
    used = {number for p in reply.parameters for number in p.numbers}
    values = {mentions[n - 1].value for n in used if 1 <= n <= len(mentions)}
    unused = [m for m in mentions if m.number not in used and m.value not in values]
    notes += [f"no parameter uses {m.value:g} of “{sentences[m.sentence - 1]}”" for m in unused]
    return list(kept.values()), notes


def value_of(numbers: list[float]) -> Value:
    """One number if the same is mentioned again and again, a list if they differ."""
    return numbers[0] if len(set(numbers)) == 1 else numbers


def _repeated(names: list[str]) -> list[str]:
    return sorted({name for name in names if names.count(name) > 1})
