"""Modeling agent: objective and constraints as equations (paper, section 3.2)."""

from typing import Any

from langgraph.runtime import Runtime

from nodes.agent import ask, noted
from nodes.codegen.compile_spec import step_length_of
from nodes.codegen.expression_compiler import ExpressionCompiler
from nodes.codegen.symbols import SymbolTable
from nodes.settings import RunSettings
from state.expressions import ExpressionError
from state.model import ConstraintEquation, MarkovModel
from state.run_state import RunState


def modeling(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """State objective and constraints in LaTeX and in the expression language."""
    compiler = ExpressionCompiler(SymbolTable.of(state.parameters, state.variables))

    def check(answer: MarkovModel) -> list[str]:
        faults = [fault(compiler, "step_measure", answer.step_measure, single=True)]
        faults += [
            fault(compiler, f"constraint {c.name}", c.expression) for c in answer.constraints
        ]
        return [f for f in faults if f]

    answer = ask(
        "modeling", MarkovModel, state, runtime, check=check, previous=state.model,
        max_output_tokens=2000,
    )  # fmt: skip
    value, notes = without_faults(compiler, answer.value)
    return {"model": value, "calls": answer.calls, "notes": noted(state, "modeling", *notes)}


def fault(
    compiler: ExpressionCompiler, place: str, text: str, *, single: bool = False
) -> str | None:
    """What is wrong with the expression ``text``, or None; an empty one is no fault."""
    if not text.strip():
        return None
    try:
        compiler.compile(text, shape=() if single else None)
    except ExpressionError as error:
        return f"{place}: {error}"
    return None


def without_faults(
    compiler: ExpressionCompiler, model: MarkovModel
) -> tuple[MarkovModel, list[str]]:
    """Empty the expressions that cannot be compiled, and say so.

    A constraint without an expression is documented but not checked; without a step measure
    the objective is measured by the reward.
    """
    notes = []
    constraints: list[ConstraintEquation] = []
    for c in model.constraints:
        wrong = fault(compiler, f"constraint {c.name}", c.expression)
        if wrong:
            notes.append(f"not checked by machine, {wrong}")
            c = c.model_copy(update={"expression": ""})
        constraints.append(c)
    update: dict[str, Any] = {"constraints": constraints}
    wrong = fault(compiler, "step_measure", model.step_measure, single=True)
    if wrong:
        notes.append(f"the objective is measured by the reward, {wrong}")
        update["step_measure"] = ""
    if model.step_length.strip() and step_length_of(model.step_length) is None:
        update["step_length"] = ""
    return model.model_copy(update=update), notes
