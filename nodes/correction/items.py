"""An agent's answer as a list of items, each with a name, so that each can be scored."""

from collections.abc import Callable
from dataclasses import dataclass

from nodes.agent import plain
from nodes.sentences import sentence_number
from state.review import Reviewed
from state.run_state import RunState
from state.variables import Variable


@dataclass(frozen=True)
class Item:
    """One part of an answer.

    ``text`` is shown to the reviewer. ``reading`` is what of it makes a difference: two answers
    that share it say the same in other words. ``sentence`` counts from 1; 0 is none.
    """

    name: str
    text: str
    reading: str
    sentence: int = 0


def items_of(agent: Reviewed, state: RunState) -> list[Item]:
    """The items of what ``agent`` answered, none where it has not answered yet."""
    return _ITEMS[agent](state)


def readings(items: list[Item]) -> dict[str, str]:
    """How each item is read, by its name."""
    return {item.name: item.reading for item in items}


def _parameters(state: RunState) -> list[Item]:
    found = []
    for p in state.parameters:
        value = f"{plain(p.value)} {p.unit}".strip()
        assumed = f"; assumed: {p.assumed}" if p.assumed else ""
        text = f"{value} ({p.definition}{assumed})"
        found.append(Item(p.name, text, value, sentence_number(state.told, p.quote)))
    return found


def _objective(state: RunState) -> list[Item]:
    goal = state.objective
    if goal is None:
        return []
    sentence = sentence_number(state.told, goal.quote)
    return [
        Item("sense", f"{goal.sense}: {goal.statement}", goal.sense, sentence),
        # The same measure can be said in many words, so words alone are no second reading.
        Item("measure", f"each step adds {goal.measure}", "", sentence),
    ]


def _variables(state: RunState) -> list[Item]:
    return [
        Item(v.name, f"{_kind(v)} ({v.definition})", _kind(v), sentence_number(state.told, v.quote))
        for v in state.variables
    ]


def _kind(v: Variable) -> str:
    """Role, size and limits of a variable on one line."""
    words: list[str] = [v.role, v.dtype]
    if v.shape:
        words.append("a list of " + " x ".join(str(n) for n in v.shape))
    if v.labels:
        words.append("one of " + ", ".join(v.labels))
    elif v.dtype != "boolean":
        words += [f"at least {plain(v.low)}"] if v.low is not None else []
        words += [f"at most {plain(v.high)}"] if v.high is not None else []
    return ", ".join([*words, *([f"in {v.unit}"] if v.unit else [])])


def _constraints(state: RunState) -> list[Item]:
    return [
        Item(c.name, c.statement, "", sentence_number(state.told, c.quote))
        for c in state.constraints
    ]


def _model(state: RunState) -> list[Item]:
    model = state.model
    if model is None:
        return []
    length = f" of {model.step_length}" if model.step_length else ""
    measure = model.step_measure
    return [
        Item("step_measure", f"a step adds {measure}", measure),
        Item("horizon", f"at most {model.horizon} steps{length}", str(model.horizon)),
        Item("discount", f"{plain(model.discount)}", str(model.discount)),
        *(
            Item(c.name, f"holds when {c.expression}", c.expression)
            for c in model.constraints
            if c.expression
        ),
    ]


def _sar(state: RunState) -> list[Item]:
    sar = state.sar
    if sar is None:
        return []
    seen = ", ".join(sar.observation)
    unit = f" in {sar.reward_unit}" if sar.reward_unit else ""
    return [
        Item("observation", f"seen before deciding: {seen}", ", ".join(sorted(sar.observation))),
        *(Item(t.name, f"reward term {t.expression}{unit}", t.expression) for t in sar.reward),
    ]


_ITEMS: dict[Reviewed, Callable[[RunState], list[Item]]] = {
    "parameter": _parameters,
    "objective": _objective,
    "variable": _variables,
    "constraint": _constraints,
    "modeling": _model,
    "sar": _sar,
}
