"""Render a compiled program as ``environment.py`` and ``spec_functions.py``."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from nodes.codegen import units
from nodes.codegen.attributes import attribute, attribute_name
from nodes.codegen.compile_spec import step_length_of
from nodes.codegen.expression_compiler import ExpressionCompiler
from nodes.codegen.program import Decision, Program, Statement
from nodes.codegen.rule_functions import (
    after_step,
    initial_functions,
    lasting_names,
    next_functions,
    step_functions,
)
from nodes.codegen.symbols import SymbolTable
from sandbox.programs.requests import ActionSpace
from state.artefacts import BodySource
from state.expressions import ExpressionError
from state.parameters import Parameter, Value
from state.spec import Spec
from state.variables import Variable

if TYPE_CHECKING:
    from jinja2 import Environment as Templates

WIDEST = 3.0e38
"""Largest number that a float32 observation bound can hold."""


@cache
def templates() -> "Templates":
    """Templates beside the agents; the output is Python, so nothing is escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(  # noqa: S701 - renders Python source, not HTML
        loader=FileSystemLoader(Path(__file__).parent.parent / "templates"),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
    )


def render_environment(program: Program, bodies: list[BodySource]) -> str:
    """Source of ``environment.py``: the class frame, every expression, the given code bodies."""
    spec = program.spec
    shown = [v for v in spec.variables if v.name in program.quantities]
    return templates().get_template("environment.py.j2").render(
        title=one_line(spec.title),
        objective=one_line(spec.objective.statement),
        bodies=[body.source.strip() for body in bodies],
        horizon=spec.model.horizon,
        step_length=one_line(spec.model.step_length),
        observation=program.observation,
        seen=[_flat_source(name, spec) for name in program.observation],
        decision_names=[d.variable.name for d in program.decisions],
        parameters=[parameter_line(p, comment=True) for p in spec.parameters],
        variables=[variable_line(v) for v in shown],
        action_space=space_source(program.action_space),
        observation_low=float32_list(program.observation_low),
        observation_high=float32_list(program.observation_high),
        reset=[_line(s) for s in program.reset],
        decode=[_decode(d, program.action_space) for d in program.decisions],
        previous=[(name, attribute_name(name)) for name in program.previous],
        step=[_line(s) for s in program.step],
        next_known=[_line(s) for s in program.next_known],
        reward_terms=program.reward_terms,
        step_measure=program.objective,
        termination=program.termination,
        quantities=[(name, attribute_name(name)) for name in program.quantities],
    )  # fmt: skip


def render_spec_functions(program: Program) -> tuple[str, list[str]]:
    """Source of ``spec_functions.py``, and what is wrong with constraints that were left out."""
    spec = program.spec
    symbols = SymbolTable.of(
        spec.parameters,
        spec.variables,
        "PARAMETERS['{}']".format,
        "q['{}']".format,
        "q['previous_{}']".format,
    )
    compiler = ExpressionCompiler(symbols, step_length=step_length_of(spec.model.step_length))
    unit = units.parse_unit(spec.sar.reward_unit)
    reward = [
        (term.name, compiler.compile(term.expression, unit, ())[0]) for term in spec.sar.reward
    ]
    constraints: list[tuple[str, str]] = []
    faults: list[str] = []
    for constraint in spec.model.constraints:
        if not constraint.expression.strip():
            continue
        try:
            compiler.tolerant = True
            constraints.append((constraint.name, compiler.compile(constraint.expression)[0]))
        except ExpressionError as error:
            faults.append(f"constraint {constraint.name}: {error}")
    source = templates().get_template("spec_functions.py.j2").render(
        parameters=[parameter_line(p, comment=False) for p in spec.parameters],
        reward_terms=reward,
        constraints=constraints,
        rules=[
            ("INITIAL", "when an episode begins", initial_functions(program)),
            ("STEP", "in a step, after the decision", step_functions(program)),
            ("NEXT", "before the next decision", next_functions(program)),
        ],
        decisions=[
            (d.variable.name, _decode(d, program.action_space).partition(" = ")[2])
            for d in program.decisions
        ],
        observation=program.observation,
        lasting=lasting_names(program),
        termination=after_step(program, program.termination),
        objective=_objective_source(program),
    )  # fmt: skip
    return source, faults


def _objective_source(program: Program) -> str:
    measured = program.spec.model.step_measure.strip()
    return after_step(program, program.objective) if measured else "sum(reward_terms(q).values())"


def parameter_line(parameter: Parameter, *, comment: bool) -> dict[str, str]:
    """What the templates need of a parameter: name, attribute, source of its value, comment."""
    note = f"{parameter.unit}: {parameter.definition}" if parameter.unit else parameter.definition
    return {
        "name": parameter.name,
        "attribute": attribute_name(parameter.name),
        "source": value_source(parameter.value),
        "comment": one_line(note)[:70] if comment else "",
    }


def value_source(value: Value) -> str:
    """A parameter's value as Python: a number or a numpy array."""
    if isinstance(value, list):
        return f"np.array({value!r})"
    return repr(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)


def variable_line(variable: Variable) -> dict[str, str]:
    """What the templates need of a variable: name, attribute, its value before a reset, comment."""
    kind = {"integer": "int", "real": "float", "boolean": "bool"}[variable.dtype]
    shape = tuple(variable.shape)
    size = shape if len(shape) > 1 else (shape[0] if shape else ())
    default = f"np.zeros({size}, dtype={kind})" if shape else f"{kind}(0)"
    note = f"{variable.unit}: {variable.definition}" if variable.unit else variable.definition
    return {
        "name": variable.name,
        "attribute": attribute_name(variable.name),
        "default": default,
        "comment": one_line(note)[:60],
    }


def space_source(space: ActionSpace) -> str:
    """The action space as Python."""
    if space.kind == "discrete":
        return f"gymnasium.spaces.Discrete({space.sizes[0]})"
    if space.kind == "multi_discrete":
        return f"gymnasium.spaces.MultiDiscrete({space.sizes})"
    return (
        f"gymnasium.spaces.Box(np.array({space.low}, dtype=np.float32), "
        f"np.array({space.high}, dtype=np.float32), dtype=np.float32)"
    )


def float32_list(numbers: tuple[float, ...]) -> str:
    """Numbers as the text of a list, those beyond single precision at its ends."""
    return "[" + ", ".join(_bound(number) for number in numbers) + "]"


def _bound(number: float) -> str:
    if number >= WIDEST:
        return "np.inf"
    return "-np.inf" if number <= -WIDEST else repr(number)


def _decode(decision: Decision, space: ActionSpace) -> str:
    """The line that reads one decision from the action."""
    variable = decision.variable
    target = f"self.{attribute_name(variable.name)}"
    shape = tuple(variable.shape)
    offset = f"{decision.offset} + " if decision.offset and space.kind != "box" else ""
    if space.kind == "discrete":
        return f"{target} = {_scalar_kind(variable)}({offset}int(action))"
    if not shape:
        number = f"action[{decision.start}]"
        if space.kind == "box":
            low, high = space.low[decision.start], space.high[decision.start]
            number = f"min(max(float({number}), {low!r}), {high!r})"
            number = number if variable.dtype == "real" else f"round({number})"
        return f"{target} = {_scalar_kind(variable)}({offset}{number})"
    start, end = decision.start, decision.start + decision.length
    part = f"np.asarray(action, dtype=float)[{start}:{end}]"
    if len(shape) > 1:
        part = f"{part}.reshape({shape})"
    if space.kind == "box":
        # A float32 action can lie a rounding error outside its bounds.
        part = f"np.clip({part}, {space.low[start]!r}, {space.high[start]!r})"
        part = part if variable.dtype == "real" else f"np.rint({part})"
    kind = {"integer": "int", "real": "float", "boolean": "bool"}[variable.dtype]
    return f"{target} = ({offset}{part}).astype({kind})"


def _flat_source(name: str, spec: Spec) -> str:
    """What is seen of a quantity, as one number or one line of numbers."""
    variable = spec.variable(name)
    table = variable is not None and len(variable.shape) > 1
    return f"{attribute(name)}.ravel()" if table else attribute(name)


def _scalar_kind(variable: Variable) -> str:
    return {"integer": "int", "real": "float", "boolean": "bool"}[variable.dtype]


def _line(statement: Statement) -> str:
    targets = ", ".join(f"self.{attribute_name(name)}" for name in statement.targets)
    return f"{targets} = {statement.source}"


def one_line(text: str) -> str:
    """Free text on one line, without what would end a docstring or a comment."""
    printable = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(printable.replace("\\", "/").replace('"""', "'''").split())
