"""Variable agent: what is decided, and what describes the system (paper, section 3.2)."""

from typing import Any, Literal, Self

from langgraph.runtime import Runtime
from pydantic import Field, model_validator

from nodes.agent import ask, noted
from nodes.codegen.problems import Problems
from nodes.codegen.spaces import MOST_OPTIONS, bound_value, ranges_of
from nodes.codegen.symbols import SymbolTable
from nodes.numbered import numbered_groups
from nodes.sentences import quoted, sentence_number
from nodes.settings import RunSettings
from state.expressions import ExpressionError
from state.parameters import Parameter
from state.piece import Identifier, Piece
from state.run_state import RunState
from state.variables import Bound, Variable


class QuantityReply(Piece):
    """A quantity; ``sentence`` is the number of the one about it, 0 if none is.

    It stands late, so that a small model thinks of quantities and does not walk through the
    sentences.
    """

    name: Identifier
    definition: str
    dtype: Literal["integer", "real", "boolean"]
    shape: list[int] = Field(max_length=3)
    low: Bound
    high: Bound
    unit: str
    sentence: int


class DecisionReply(QuantityReply):
    """What is chosen in every step; ``labels`` names the options where they have names."""

    labels: list[str] = Field(max_length=16)


class Reason(Piece):
    """Why a quantity is listed; not kept, but asked so that none is listed without one."""

    why: Literal["seen when deciding", "drawn at random", "needed for the result"]


class SystemReply(QuantityReply, Reason):
    """What describes the system."""


class VariablesReply(Piece):
    """What the model answers: decisions first, for everything else is seen from them."""

    decisions: list[DecisionReply] = Field(min_length=1, max_length=8)
    system: list[SystemReply] = Field(min_length=1, max_length=30)

    def variables(self, description: str) -> list[Variable]:
        """Both kinds as variables with their quotes.

        Raises:
            ValueError: a variable that cannot be, such as one with two equal labels.
        """
        found = []
        for role, replies in (("decision", self.decisions), ("system", self.system)):
            for reply in replies:
                quote, assumed = quoted(description, reply.sentence)
                given = {**reply.model_dump(exclude={"sentence", "why"}), "role": role}
                if _turned(reply.low, reply.high):
                    given |= {"low": reply.high, "high": reply.low}
                found.append(Variable(quote=quote, assumed=assumed, **given))
        return merged(found)

    @model_validator(mode="after")
    def _all_can_be(self) -> Self:
        self.variables("")
        return self


def variable(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Extract decision and system variables."""

    def check(reply: VariablesReply) -> list[str]:
        variables, _ = without_repeats(reply.variables(state.told), state.parameters)
        return complaints(variables, state.parameters)

    answer = ask(
        "variable", VariablesReply, state, runtime, check=check, previous=reply_of(state),
        max_output_tokens=3000,
    )  # fmt: skip
    kept, notes = without_repeats(answer.value.variables(state.told), state.parameters)
    return {
        "variables": kept,
        "calls": answer.calls,
        "notes": noted(state, "variable", *notes),
    }


class EarlierReply(Piece):
    """An earlier answer as far as it was kept; why a quantity was listed is not."""

    decisions: list[DecisionReply]
    system: list[QuantityReply]


def reply_of(state: RunState) -> EarlierReply | None:
    """The answer that the variables were made from, if there are any."""
    if not state.variables:
        return None
    decisions: list[DecisionReply] = []
    system: list[QuantityReply] = []
    for v in state.variables:
        given = v.model_dump(exclude={"role", "quote", "assumed", "labels"})
        given["sentence"] = sentence_number(state.told, v.quote)
        if v.role == "decision":
            decisions.append(DecisionReply(labels=v.labels, **given))
        else:
            system.append(QuantityReply(**given))
    return EarlierReply(decisions=decisions, system=system)


def _turned(low: Bound, high: Bound) -> bool:
    """True for the ends of a range in the wrong order, as negative ones are often given."""
    numbers = isinstance(low, float) and isinstance(high, float)
    return numbers and float(low or 0) > float(high or 0)


def merged(variables: list[Variable]) -> list[Variable]:
    """Numbered variables that are alike, such as level_1 to level_3, as one list."""
    by_name = {v.name: v for v in variables}
    result = list(by_name.values())
    for stem, names in numbered_groups(list(by_name)).items():
        members = [by_name[name] for name in names]
        alike = {
            (m.role, m.dtype, m.unit, tuple(m.shape), tuple(m.labels), m.low, m.high)
            for m in members
        }
        if len(alike) > 1 or members[0].shape:
            continue
        update = {"name": stem, "shape": [len(members)]}
        place = result.index(members[0])
        result[place] = members[0].model_copy(update=update)
        result = [v for v in result if v.name not in names]
    return result


def complaints(variables: list[Variable], parameters: list[Parameter]) -> list[str]:
    """What keeps ``variables`` from being a state and an action, in words for the model."""
    found: list[str] = []
    decisions = [v for v in variables if v.role == "decision"]
    if not decisions:
        found.append("no decision is left: what is chosen in each step? It is no parameter.")
    problems = Problems()
    ranges = ranges_of(variables, SymbolTable.of(parameters, variables), problems)
    found += [finding.message for finding in problems.findings]
    for v in decisions:
        low, high = ranges[v.name]
        if low is None or high is None:
            found.append(f"the decision {v.name} needs numbers for low and high (or labels)")
        elif low == high:
            found.append(f"the decision {v.name} has only one possible value")
        elif v.dtype != "real" and high - low >= MOST_OPTIONS:
            found.append(f"the decision {v.name} has too many options: {high - low + 1:.0f}")
    return found


def without_repeats(
    variables: list[Variable], parameters: list[Parameter]
) -> tuple[list[Variable], list[str]]:
    """Each name once, no name that a parameter has, and no limit of the system that is none."""
    symbols = SymbolTable.of(parameters, [])
    kept: dict[str, Variable] = {}
    notes = []
    for v in variables:
        if v.name in symbols:
            notes.append(f"left out {v.name}: it is a parameter")
            continue
        if v.role == "system":
            for end in ("low", "high"):
                try:
                    bound_value(getattr(v, end), symbols, v.unit)
                except ExpressionError as error:
                    notes.append(f"{v.name} has no {end}: {error}")
                    v = v.model_copy(update={end: None})
        kept.setdefault(v.name, v)
    return list(kept.values()), notes
