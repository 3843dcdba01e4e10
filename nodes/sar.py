"""SAR agent: state, action and reward (paper, section 3.2)."""

from typing import Any

from langgraph.runtime import Runtime

from nodes.agent import ask, noted
from nodes.codegen.expression_compiler import ExpressionCompiler
from nodes.codegen.symbols import SymbolTable
from nodes.codegen.units import parse_unit
from nodes.modeling import fault
from nodes.settings import RunSettings
from state.run_state import RunState
from state.sar import StateActionReward


def sar(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Choose what is seen, what is decided and what is rewarded."""
    compiler = ExpressionCompiler(SymbolTable.of(state.parameters, state.variables))
    decisions = [v.name for v in state.variables if v.role == "decision"]
    seen = {v.name for v in state.variables if v.role == "system"} | {"time_step"}

    def check(answer: StateActionReward) -> list[str]:
        found = [
            f"observation: {name!r} is no system variable; choose from {', '.join(sorted(seen))}"
            for name in answer.observation
            if name not in seen
        ]
        names = [term.name for term in answer.reward]
        found += [
            f"reward term {n} is listed twice" for n in dict.fromkeys(names) if names.count(n) > 1
        ]
        for term in answer.reward:
            wrong = fault(compiler, f"reward term {term.name}", term.expression, single=True)
            found += [wrong] if wrong else []
            found += hand_conversions(compiler, term.name, term.expression, answer.reward_unit)
        return found

    answer = ask(
        "sar", StateActionReward, state, runtime, check=check, previous=state.sar,
        decisions=decisions, max_output_tokens=1500,
    )  # fmt: skip
    value, notes = answer.value, []
    observation = [name for name in dict.fromkeys(value.observation) if name in seen]
    if set(value.action) != set(decisions):
        notes.append(f"the action is all that is decided: {', '.join(decisions)}")
    if observation != value.observation:
        notes.append(f"seen is what changes and is no decision: {', '.join(observation)}")
    value = value.model_copy(
        update={
            "action": decisions or value.action,
            "observation": observation or ["time_step"],
            "reward": list({term.name: term for term in value.reward}.values()),
        }
    )
    return {"sar": value, "calls": answer.calls, "notes": noted(state, "sar", *notes)}


def hand_conversions(
    compiler: ExpressionCompiler, name: str, expression: str, unit: str
) -> list[str]:
    """Complaints about unit factors written by hand in an expression that compiles."""
    compiler.remarks.clear()
    if fault(compiler, name, expression, single=True):
        return []
    compiler.remarks.clear()
    compiler.compile(expression, parse_unit(unit), ())
    return [f"reward term {name}: {r}" for r in compiler.remarks if "drop the factor" in r]
