"""Parameter agent: the known constants of the task (paper, section 3.2)."""

from typing import Any

from langgraph.runtime import Runtime

from nodes.agent import ask, noted
from nodes.grounding import has_number, is_quoted, sentence_with
from nodes.settings import RunSettings
from state.parameters import Parameter, ParameterList, Value
from state.run_state import RunState


def parameter(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Extract the parameters; each is quoted from the description or assumed with a reason."""
    text = state.description

    def check(answer: ParameterList) -> list[str]:
        return complaints(answer.parameters, text)

    answer = ask("parameter", ParameterList, state, runtime, check=check)
    kept, notes = grounded(answer.value.parameters, text)
    return {
        "parameters": kept,
        "calls": answer.calls,
        "notes": noted(state, "parameter", *notes),
    }


def complaints(parameters: list[Parameter], description: str) -> list[str]:
    """What in ``parameters`` the description does not bear out, in words for the model."""
    found: list[str] = []
    seen: set[str] = set()
    for p in parameters:
        if p.name in seen:
            found.append(f"{p.name} is listed twice; list it once")
        seen.add(p.name)
        missing = [v for v in flat(p.value) if not has_number(v, description)]
        if missing and not p.assumed:
            found.append(
                f"{p.name}: the number {missing[0]:g} is not in the description; correct it or "
                "leave the parameter out (only if the task needs it, quote 'assumed: ' and why)"
            )
        elif not missing and not is_quoted(p.quote, description):
            found.append(f"{p.name}: the quote {p.quote[:60]!r} is not in the description")
    return found


def grounded(parameters: list[Parameter], description: str) -> tuple[list[Parameter], list[str]]:
    """Keep what the description bears out or what is openly assumed; say what was dropped.

    A number that stands in the description is never an assumption; where the quote is not exact
    the sentence that holds the number takes its place.
    """
    kept: dict[str, Parameter] = {}
    notes: list[str] = []
    for p in parameters:
        if p.name in kept:
            continue
        sentences = [sentence_with(v, description) for v in flat(p.value)]
        if all(sentences):
            quote = p.quote if is_quoted(p.quote, description) else sentences[0]
            kept[p.name] = p.model_copy(update={"quote": quote, "assumed": ""})
        elif p.assumed:
            kept[p.name] = p
            notes.append(f"assumed {p.name} = {p.value} {p.unit}: {p.assumed}")
        else:
            notes.append(f"dropped {p.name}: the description does not say it")
    return list(kept.values()), notes


def flat(value: Value) -> list[float]:
    """All numbers of a value."""
    if not isinstance(value, list):
        return [value]
    return [number for item in value for number in flat(item)]
