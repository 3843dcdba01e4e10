"""Render a compiled program as ``batched_environment.py``: many episodes in each numpy call."""

import ast
import inspect
import math
import re
from dataclasses import dataclass

from nodes.codegen.attributes import attribute_name
from nodes.codegen.batch import operations
from nodes.codegen.batch.rewrite import Rewriter, Unbatchable
from nodes.codegen.program import Decision, Program, Statement
from nodes.codegen.render import (
    float32_list,
    one_line,
    parameter_line,
    space_source,
    templates,
    variable_line,
)
from nodes.codegen.symbols import Shape
from state.parameters import Parameter
from state.variables import Variable

_FRAME = frozenset(
    "arrays begin blank carried_out copies draws objective part put restart size".split()
)
_KINDS = {"integer": "int", "real": "float", "boolean": "bool"}


def render_batched(program: Program) -> tuple[str | None, str]:
    """Source of ``batched_environment.py``; or None, and why there can be none."""
    if program.bodies:
        names = ", ".join(body.name for body in program.bodies)
        return None, f"what a code body does cannot be done for many episodes at once: {names}"
    try:
        return BatchedRendering(program).source(), ""
    except Unbatchable as reason:
        return None, str(reason)


@dataclass
class BatchedRendering:
    """Lines of code that do for many episodes what the program does for one."""

    program: Program

    def __post_init__(self) -> None:
        spec, symbols = self.program.spec, self.program.symbols
        names = [*(p.name for p in spec.parameters), *(v.name for v in spec.variables)]
        named = [attribute_name(name) for name in names]
        self.attributes = {"time_step": "time_step"}
        for name in named:
            new = name
            while new in _FRAME or (new != name and new in named):
                new += "_"
            self.attributes[name] = new
        shapes = {s.source.removeprefix("self."): s.shape for s in symbols.symbols.values()}
        self.rewriter = Rewriter(self.attributes, shapes)

    def source(self) -> str:
        """The whole file."""
        program, spec = self.program, self.program.spec
        shown = [v for v in spec.variables if v.name in program.quantities]
        fields = {
            "parameters": [self.parameter(p) for p in spec.parameters],
            "variables": [self._variable(v) for v in shown],
            "reset": [self.line(s) for s in program.reset],
            "previous": [(name, self._attribute(name)) for name in program.previous],
            "actions": self.actions(),
            "decode": [self.decode(d) for d in program.decisions],
            "step": [self.line(s) for s in program.step],
            "next_known": [self.line(s, "going") for s in program.next_known],
            "reward_terms": [
                (self._number(source), one_line(name))
                for name, source in dict(program.reward_terms).items()
            ],
            "step_measure": self._measure(),
            "termination": self._held(self.rewriter.value(program.termination, "bool"), (), "bool"),
            "seen": [self.flat(name) for name in program.observation],
        }
        helpers = helpers_of(f"Draws {fields}")
        return templates().get_template("batched_environment.py.j2").render(
            **fields,
            helpers=helpers,
            imports=["import copy", *imports_of(helpers)],
            title=one_line(spec.title),
            horizon=spec.model.horizon,
            step_length=one_line(spec.model.step_length),
            action_space=space_source(program.action_space),
            observation_low=float32_list(program.observation_low),
            observation_high=float32_list(program.observation_high),
        )  # fmt: skip

    # -- names and arrays ----------------------------------------------------------------------

    def _attribute(self, name: str) -> str:
        return self.attributes[attribute_name(name)]

    def parameter(self, parameter: Parameter) -> dict[str, str]:
        """The attribute of a parameter, its value and a comment."""
        line = parameter_line(parameter, comment=True)
        axis = "[..., np.newaxis]" if parameter.shape else ""
        name = self._attribute(parameter.name)
        return {**line, "attribute": name, "source": line["source"] + axis}

    def _variable(self, variable: Variable) -> dict[str, str]:
        size, kind = _size(tuple(variable.shape)), _KINDS[variable.dtype]
        return {
            **variable_line(variable),
            "attribute": self._attribute(variable.name),
            "default": f"np.zeros({size}, dtype={kind})",
        }

    def _held(self, source: str, shape: Shape, kind: str) -> str:
        return f"held({source}, {_size(shape)}, {kind})"

    # -- lines ---------------------------------------------------------------------------------

    def line(self, statement: Statement, where: str = "") -> str:
        """One assignment; with ``where``, in those episodes only."""
        (name,) = statement.targets
        variable = self.program.spec.variable(name)
        if variable is None:
            raise Unbatchable(f"{name} is not declared")
        kind, target = _KINDS[variable.dtype], f"self.{self._attribute(name)}"
        source = self.rewriter.value(statement.source, kind, where=where)
        value = self._held(source, tuple(variable.shape), kind)
        return (
            f"{target} = np.where({where}, {value}, {target})" if where else f"{target} = {value}"
        )

    def _number(self, source: str) -> str:
        return self._held(self.rewriter.value(source, "float"), (), "float")

    def _measure(self) -> str:
        if self.program.objective == "sum(reward_terms.values())":
            return "rewards"
        return self._number(self.program.objective)

    def actions(self) -> str:
        """All actions as one array, the episodes last."""
        if self.program.action_space.kind == "discrete":
            return "np.asarray(actions, dtype=int).reshape(self.size)"
        count = sum(decision.length for decision in self.program.decisions)
        return f"np.asarray(actions, dtype=float).reshape(self.size, {count}).T"

    def decode(self, decision: Decision) -> str:
        """The line that reads one decision from the actions (numbers of an action, n)."""
        variable, space = decision.variable, self.program.action_space
        shape, start = tuple(variable.shape), decision.start
        part = "actions"
        if space.kind != "discrete":
            end = start + decision.length
            part = f"actions[{start}:{end}].reshape({_size(shape)})"
        if space.kind == "box":
            part = f"np.clip({part}, {space.low[start]!r}, {space.high[start]!r})"
            part = part if variable.dtype == "real" else f"np.rint({part})"
        elif decision.offset:
            part = f"{decision.offset} + {part}"
        value = self._held(part, shape, _KINDS[variable.dtype])
        return f"self.{self._attribute(variable.name)} = {value}"

    def seen_again(self, name: str) -> str:
        """The line that reads a quantity from what is seen of all, (numbers, n)."""
        names = self.program.observation
        start = sum(self._count(before) for before in names[: names.index(name)])
        variable = self.program.spec.variable(name)
        shape, kind = (tuple(variable.shape), variable.dtype) if variable else ((), "integer")
        part = f"seen[{start}:{start + self._count(name)}].reshape({_size(shape)})"
        part = part if kind == "real" else f"np.rint({part})"
        return f"self.{self._attribute(name)} = {self._held(part, shape, _KINDS[kind])}"

    def _count(self, name: str) -> int:
        variable = self.program.spec.variable(name)
        return math.prod(variable.shape) if variable is not None else 1

    def flat(self, name: str) -> str:
        """What is seen of a quantity: so many numbers, n."""
        return f"self.{self._attribute(name)}.reshape({self._count(name)}, self.size)"


def _size(shape: Shape) -> str:
    """Source of the shape that a quantity of ``shape`` has in all episodes together."""
    return f"({', '.join([*map(str, shape), 'self.size'])}{'' if shape else ','})"


def helpers_of(source: str) -> list[str]:
    """Source of the operations that ``source`` names, and of those that they name."""
    text = inspect.getsource(operations)
    defined = {
        node.name: ast.get_source_segment(text, node) or ""
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    wanted: set[str] = set()
    unread = [source]
    while unread:
        words = set(re.findall(r"\w+", unread.pop()))
        new = words & set(defined) - wanted
        wanted |= new
        unread += [defined[name] for name in new]
    return [defined[name] for name in defined if name in wanted]


def imports_of(helpers: list[str]) -> list[str]:
    """The imports of a file that holds these operations."""
    text = "\n".join(helpers)
    callables = ["from collections.abc import Callable"] if "Callable" in text else []
    typing = ["from typing import Any"] if re.search(r"\bAny\b", text) else []
    arrays = ["from numpy.typing import NDArray"] if "NDArray" in text else []
    return [*callables, *typing, "", "import gymnasium", "import numpy as np", *arrays]
