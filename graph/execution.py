"""One run in its thread: from here to the end, or to where it stops."""

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.errors import is_invalid_resume
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command
from pydantic import ValidationError

from graph.answers import Answers
from graph.build import builder, recursion_limit
from graph.context import RunContext
from graph.fingerprint import Fingerprint
from graph.outcome import ModelTaken, RunOutcome, Status, finished_status, outcome_of
from graph.progress import Progress
from graph.stage import LISTENER
from graph.thread_history import number_of
from nodes.clarify import ClarificationNeeded
from nodes.models.errors import BudgetExhausted, ModelError, RecordingMissing
from state.question import Question
from state.run_state import RunState
from state.usage import ModelCall

App = CompiledStateGraph[RunState, RunContext, RunState, RunState]


@dataclass(frozen=True)
class Thread:
    """A run that can be begun or gone on with; ``fingerprint`` is kept with its checkpoints."""

    thread_id: str
    context: RunContext
    fingerprint: Fingerprint
    model: ModelTaken | None

    @property
    def metadata(self) -> dict[str, str]:
        """What is kept with each of its checkpoints."""
        return {"fingerprint": self.fingerprint.model_dump_json()}

    @property
    def config(self) -> RunnableConfig:
        """What the graph is called with, beside the context."""
        return {
            "configurable": {"thread_id": self.thread_id},
            "metadata": self.metadata,
            "recursion_limit": recursion_limit(
                self.context.max_debug, self.context.max_reexaminations
            ),
        }


@dataclass(frozen=True)
class _Stop:
    """Why the graph stopped before its end."""

    status: Status
    account: str
    lost_calls: Sequence[ModelCall] = ()
    question: Question | None = None
    not_recorded: bool = False


def execute(
    thread: Thread,
    saver: BaseCheckpointSaver[Any],
    progress: Progress,
    beginning: RunState | None,
    builder: StateGraph[RunState, RunContext, RunState, RunState] = builder,
    *,
    answers: Answers | None = None,
) -> RunOutcome:
    """Run the graph for ``thread``, from ``beginning`` or, if that is None, from where it was.

    Every step is saved before the next begins. Whatever stops the run, the thread keeps the
    steps that were finished. A question is put to ``answers``; without an answer the run waits.
    """
    app = builder.compile(checkpointer=saver, name="a-lamp")
    stop: _Stop | None = None
    listening = LISTENER.set(progress.hear)
    try:
        stop = _run_and_ask(app, thread, progress, beginning, answers or Answers())
    except ClarificationNeeded as error:
        stop = _Stop("unclear", str(error))
    except BudgetExhausted as error:
        stop = _Stop("out_of_tokens", str(error), error.calls)
    except ModelError as error:
        not_recorded = isinstance(error, RecordingMissing)
        stop = _Stop("model_failed", str(error), error.calls, not_recorded=not_recorded)
    except KeyboardInterrupt:
        stop = _Stop("interrupted", "The run was interrupted; the finished stages are kept.")
    except Exception as error:  # the last resort: told in one sentence, kept in full beside it
        stop = _Stop("error", _unexpected(error, progress.run_folder))
    finally:
        LISTENER.reset(listening)
    snapshot = app.get_state(thread.config)
    state = RunState.model_validate(snapshot.values) if snapshot.values else beginning
    assert state is not None
    outcome = outcome_of(
        state,
        thread_id=thread.thread_id,
        status=stop.status if stop else finished_status(state),
        model=thread.model,
        lost_calls=stop.lost_calls if stop else (),
        account=stop.account if stop else "",
        question=stop.question if stop else None,
    )
    if stop is None or not stop.not_recorded:
        return outcome
    # The recording will never hold that answer, and a thread keeps to its model.
    step = f"--fork {thread.thread_id} --at {number_of(snapshot)}"
    another = f"python -m graph.run {step} --model openai:NAME"
    return outcome.model_copy(update={"resume": another})


def _run_and_ask(
    app: App, thread: Thread, progress: Progress, beginning: RunState | None, answers: Answers
) -> _Stop | None:
    """Run to the end, with an answer to each question, or until a question has none."""
    given: RunState | Command[Any] | None = beginning
    pending = _pending(app, thread) if beginning is None else None
    if pending is not None and pending[1].kind == "clarify" and thread.context.clarify != "ask":
        pending = None  # it was asked under another choice: the node is run again under this one
    refused = ""
    while True:
        if pending is not None:
            identity, question = pending
            answer = answers.next(question, refused)
            if answer is None:
                return _Stop("waiting", _waits(refused), question=question)
            given = Command(resume={identity: answer})
        try:
            refused = ""
            _stream(app, thread, progress, given)
        except ValidationError as error:
            if not is_invalid_resume(error):
                raise
            refused = error.errors()[0]["msg"]
        pending = _pending(app, thread)
        if pending is None:
            return None


def _stream(
    app: App, thread: Thread, progress: Progress, given: RunState | Command[Any] | None
) -> None:
    for event in app.stream(
        given, thread.config, context=thread.context, stream_mode="tasks", durability="sync"
    ):
        progress.take(cast(Mapping[str, Any], event))


def _pending(app: App, thread: Thread) -> tuple[str, Question] | None:
    """The question that the thread waits with, and the name that the graph has for it."""
    interrupts = app.get_state(thread.config).interrupts
    if not interrupts:
        return None
    return interrupts[0].id, Question.model_validate(interrupts[0].value)


def _waits(refused: str) -> str:
    waits = "The run waits for the answer of a person."
    stop = "" if refused.endswith((".", "!", "?")) else "."
    return f"The answer was not taken. {refused}{stop} {waits}" if refused else waits


def choose_model(context: RunContext, description: str) -> tuple[RunContext, ModelTaken]:
    """Choose the model now, and return the context that takes the same one again.

    Raises:
        ValueError: the model's name is none.
        ModelError: it cannot serve.
    """
    chosen = context.chosen_model(description)
    own_name = chosen.provider in ("openai", "ollama")
    settled = replace(context, model=chosen.name if own_name else chosen.provider)
    taken = ModelTaken(name=chosen.name, reason=chosen.reason, recorded=chosen.recorded)
    return settled, taken


def _unexpected(error: Exception, run_folder: Path) -> str:
    """Keep the traceback in the run folder, and say in one sentence that something is wrong."""
    first = (str(error).splitlines() or [""])[0][:300]
    said = f"The program itself failed ({type(error).__name__}: {first})"
    log = run_folder / "error.log"
    try:
        log.write_text("".join(traceback.format_exception(error)), "utf-8", "replace")
    except OSError as full:
        return f"{said}; its details could not be written ({full.strerror})."
    return f"{said}; details are in {log}."
