"""What faulty code becomes once the model has answered to what was found in it."""

from langgraph.runtime import Runtime

from nodes.body_rules import body_complaints, same_code
from nodes.line_proposals import Faulty, fills_gaps
from nodes.line_search import with_one_change
from nodes.settings import RunSettings
from nodes.trial import Attempts
from state.run_state import RunState


def mended(
    faulty: Faulty,
    answered: str | None,
    state: RunState,
    runtime: Runtime[RunSettings],
    attempts: Attempts,
) -> tuple[str, RunState]:
    """The source after the answer, and the state with the calls added.

    The likeliest answer of a small model to faulty code is that same code, or other code that is
    worse. A model that fills gaps is therefore not taken at its word: an answer stands where
    nothing is found in it, or where what was said of the code is not found by trying. Else a
    change of one statement is looked for, in whichever of the two gets farther. Any other model
    is taken at its word where it changed something. ``answered`` is None where no usable answer
    came.

    Raises:
        SandboxUnavailable: this machine cannot contain generated code.
    """
    copied = answered is not None and same_code(answered, faulty.source)
    if not copied and not fills_gaps(runtime):
        return (faulty.source if answered is None else answered), state
    if answered is not None and not copied and not body_complaints(answered, faulty.body):
        before, report = attempts.look(faulty.source), attempts.look(answered)
        if before.clean or report.clean:
            return answered, state
        if len(report.passed) > len(before.passed):
            faulty = Faulty(answered, faulty.body, faulty.quantities)
    return with_one_change(faulty, state, runtime, attempts)
