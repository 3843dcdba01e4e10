"""Variable agent: what is decided, and what describes the system (paper, section 3.2)."""

from typing import Any

from langgraph.runtime import Runtime
from pydantic.json_schema import SkipJsonSchema

from nodes.agent import ask, noted
from nodes.codegen.problems import Problems
from nodes.codegen.spaces import MOST_OPTIONS, ranges_of
from nodes.codegen.symbols import SymbolTable
from nodes.numbered import numbered_groups
from nodes.sentences import quoted
from nodes.settings import RunSettings
from state.parameters import Parameter
from state.piece import Piece
from state.run_state import RunState
from state.variables import Variable


class VariableReply(Variable):
    """A variable; ``sentence`` is the number of the one that is about it, 0 if none is."""

    quote: SkipJsonSchema[str] = ""
    sentence: int = 0


class VariableListReply(Piece):
    """What the model answers."""

    variables: list[VariableReply]


def variable(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Extract decision and system variables."""

    def check(reply: VariableListReply) -> list[str]:
        return complaints(list(reply.variables), state.parameters)

    answer = ask("variable", VariableListReply, state, runtime, check=check, max_output_tokens=3000)
    variables = [_sourced(reply, state.description) for reply in answer.value.variables]
    kept, notes = without_repeats(merged(variables), state.parameters)
    return {
        "variables": kept,
        "calls": answer.calls,
        "notes": noted(state, "variable", *notes),
    }


def merged(variables: list[Variable]) -> list[Variable]:
    """Numbered variables that are alike, such as level_1 to level_3, as one list."""
    by_name = {v.name: v for v in variables}
    result = list(by_name.values())
    for stem, names in numbered_groups(list(by_name)).items():
        members = [by_name[name] for name in names]
        alike = {(m.role, m.dtype, m.unit, tuple(m.shape), tuple(m.labels)) for m in members}
        if len(alike) > 1 or members[0].shape:
            continue
        update = {"name": stem, "shape": [len(members)]}
        place = result.index(members[0])
        result[place] = members[0].model_copy(update=update)
        result = [v for v in result if v.name not in names]
    return result


def _sourced(reply: VariableReply, description: str) -> Variable:
    quote, assumed = quoted(description, reply.sentence)
    given = reply.model_dump(exclude={"sentence", "quote", "assumed"})
    return Variable(quote=quote, assumed=assumed, **given)


def complaints(variables: list[Variable], parameters: list[Parameter]) -> list[str]:
    """What keeps ``variables`` from being a state and an action, in words for the model."""
    found: list[str] = []
    constants = {p.name for p in parameters}
    seen: set[str] = set()
    for v in variables:
        if v.name in constants:
            found.append(f"{v.name} is a parameter already: leave it out or give another name")
        if v.name in seen:
            found.append(f"{v.name} is listed twice; list it once")
        seen.add(v.name)
    decisions = [v for v in variables if v.role == "decision"]
    if not decisions:
        found.append("no variable has the role 'decision': what is chosen in each step?")
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
    """Each name once, and no name that a parameter has."""
    constants = {p.name for p in parameters}
    kept: dict[str, Variable] = {}
    notes = []
    for v in variables:
        if v.name in constants:
            notes.append(f"left out {v.name}: it is a parameter")
        else:
            kept.setdefault(v.name, v)
    return list(kept.values()), notes
