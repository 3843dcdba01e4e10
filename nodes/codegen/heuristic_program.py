"""Writing heuristic.py: a rule over named quantities, put between observation and action."""

import math
from dataclasses import dataclass

from nodes.codegen.problems import Problems
from nodes.codegen.program import Decision
from nodes.codegen.render import one_line, templates, value_source
from nodes.codegen.rule_facts import RuleFacts
from nodes.codegen.spaces import action_space, ranges_of
from nodes.codegen.symbols import SymbolTable
from sandbox.programs.requests import ActionSpace
from state.heuristic import Heuristic
from state.spec import Spec

LONGEST_RULE = 300


@dataclass(frozen=True)
class Quantity:
    """Something that is seen or decided, and where it lies in the flat row of numbers.

    ``low`` and ``high`` are inclusive, None where there is no limit.
    """

    name: str
    definition: str
    dtype: str
    shape: tuple[int, ...]
    start: int
    unit: str = ""
    labels: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None

    @property
    def size(self) -> int:
        """How many numbers it takes."""
        return math.prod(self.shape)

    @property
    def from_row(self) -> str:
        """Source that reads it from a row called ``numbers``."""
        if not self.shape:
            number = f"numbers[{self.start}]"
            return {
                "real": f"float({number})",
                "integer": f"round(float({number}))",
                "boolean": f"bool({number} > 0.5)",
            }[self.dtype]
        part = f"numbers[{self.start}:{self.start + self.size}]"
        if len(self.shape) > 1:
            part = f"{part}.reshape({self.shape})"
        return {
            "real": part,
            "integer": f"np.rint({part}).astype(int)",
            "boolean": f"({part} > 0.5)",
        }[self.dtype]


@dataclass(frozen=True)
class Interface:
    """What a heuristic is given and what it answers, both in the order of the flat rows."""

    seen: list[Quantity]
    decided: list[Quantity]
    action_space: ActionSpace

    @property
    def observation_size(self) -> int:
        """Numbers in an observation."""
        return sum(quantity.size for quantity in self.seen)


def interface_of(spec: Spec) -> Interface:
    """What a heuristic for ``spec`` reads and answers.

    Raises:
        ValueError: something that is seen is no variable, or a decision has no limits.
    """
    problems = Problems()
    symbols = SymbolTable.of(spec.parameters, spec.variables)
    ranges = ranges_of(spec.variables, symbols, problems)
    names = spec.sar.observation
    if not spec.dynamics.gymnasium_id:
        names = RuleFacts.of(spec, symbols, problems).observation
    seen: list[Quantity] = []
    for name in names:
        start = sum(quantity.size for quantity in seen)
        seen.append(_quantity(spec, name, ranges.get(name, (None, None)), start))
    space, decisions = action_space(spec, ranges, problems)
    if not decisions:
        raise ValueError("there is no decision variable")
    if problems.findings:
        raise ValueError(problems.findings[0].message)
    decided = []
    for decision in decisions:
        limits = _limits(space, decision)
        decided.append(_quantity(spec, decision.variable.name, limits, decision.start))
    return Interface(seen, decided, space)


def _limits(space: ActionSpace, decision: Decision) -> tuple[float, float]:
    if space.kind == "box":
        return space.low[decision.start], space.high[decision.start]
    return decision.offset, decision.offset + space.sizes[decision.start] - 1


def _quantity(
    spec: Spec, name: str, limits: tuple[float | None, float | None], start: int
) -> Quantity:
    if name == "time_step":
        steps = "decisions taken so far in the episode"
        return Quantity(name, steps, "integer", (), start, low=0, high=spec.model.horizon - 1)
    variable = spec.variable(name)
    if variable is None:
        raise ValueError(f"what is seen holds {name!r}, which is no variable")
    return Quantity(
        name=name,
        definition=variable.definition,
        dtype=variable.dtype,
        shape=tuple(variable.shape),
        start=start,
        unit=variable.unit,
        labels=tuple(variable.labels),
        low=limits[0],
        high=limits[1],
    )


def render_heuristic(spec: Spec, interface: Interface, heuristic: Heuristic) -> str:
    """Source of ``heuristic.py``, which imports only numpy and math.

    Its ``act(observation)`` takes the flat observation, shape (observation_size,), and returns an
    action of the action space.
    """
    return templates().get_template("heuristic.py.j2").render(
        title=one_line(spec.title),
        rule=one_line(heuristic.rule)[:LONGEST_RULE],
        parameters=[(p.name, value_source(p.value)) for p in spec.parameters],
        source=heuristic.source.strip(),
        seen=interface.seen,
        decided=interface.decided,
        kind=interface.action_space.kind,
    )  # fmt: skip
