"""A second reading: a step worked out once more by the model, from the words and the names alone.

It is asked for with ``--double-check`` and compared with the environment on the same steps. Where
the two differ, one of them has misread the description; a person is told which quantity it is.
"""

from pathlib import Path

from langgraph.runtime import Runtime

from nodes.agent import ask
from nodes.codegen.program import Program
from nodes.codegen.render import parameter_line, templates
from nodes.heuristic_rules import function_complaints
from nodes.models.errors import ModelError, RecordingMissing
from nodes.run_folder import remove, write_whole
from nodes.settings import RunSettings
from state.piece import Piece
from state.python_source import PythonSource
from state.run_state import RunState
from state.usage import ModelCall
from state.variables import Variable

PROGRAM = "second_reading.py"
FUNCTION, ARGUMENT = "second_reading", "q"
MOST_OUTPUT_TOKENS = 2500


class SecondReading(Piece):
    """Answer of the agent that reads the description once more."""

    source: PythonSource


def write_second_reading(
    state: RunState, runtime: Runtime[RunSettings], program: Program
) -> tuple[str, list[ModelCall]]:
    """Write ``second_reading.py`` where it is wanted; why there is none, and all calls so far."""
    folder = Path(state.run_folder)
    remove(folder, [PROGRAM])
    if not runtime.context.double_check:
        return "", state.calls

    def check(answer: SecondReading) -> list[str]:
        return function_complaints(answer.source, FUNCTION, ARGUMENT)

    given, wanted = _given(program), _wanted(program)
    try:
        # What earlier checks remarked would make the second reading less of its own.
        answer = ask(
            "second_reading", SecondReading, state.model_copy(update={"remarks": []}), runtime,
            check=check, given=given, wanted=wanted, max_output_tokens=MOST_OUTPUT_TOKENS,
        )  # fmt: skip
    except RecordingMissing:
        return "not read a second time: the recording holds no second reading", state.calls
    except ModelError as error:
        return f"not read a second time: {error}", [*state.calls, *error.calls]
    if answer.complaints:
        return f"not read a second time: {answer.complaints[0]}", answer.calls
    source = templates().get_template("second_reading.py.j2").render(
        parameters=[parameter_line(p, comment=False) for p in program.spec.parameters],
        source=answer.value.source.strip(),
    )  # fmt: skip
    write_whole(folder / PROGRAM, source)
    return "", answer.calls


def _given(program: Program) -> dict[str, Variable]:
    """What is known of a step before anything is worked out, by its key."""
    spec = program.spec
    kinds = {rule.variable: rule for rule in spec.dynamics.rules}
    found = {decision.variable.name: decision.variable for decision in program.decisions}
    for variable in spec.variables:
        rule = kinds.get(variable.name)
        if rule is None or variable.name in found:
            continue
        if rule.kind in ("fixed", "known_before_decision", "revealed_after_decision"):
            found[variable.name] = variable
        elif rule.kind in ("updated", "code"):
            found[f"previous_{variable.name}"] = variable
    return found


def _wanted(program: Program) -> list[Variable]:
    """What the step is to give."""
    kinds = {rule.variable: rule.kind for rule in program.spec.dynamics.rules}
    wanted = ("updated", "computed", "code")
    return [v for v in program.spec.variables if kinds.get(v.name) in wanted]
