"""What all agents share: render the prompt, ask for a typed piece, keep the accounts."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from langgraph.runtime import Runtime
from pydantic import BaseModel

from nodes.models.budget import TokenBudget
from nodes.models.journal import JOURNAL, CallJournal
from nodes.models.structured import call_structured
from nodes.revising import revision_values
from nodes.sentences import sentences_of
from nodes.settings import RunSettings
from state.artefacts import BodySource
from state.findings import Finding
from state.run_state import RunState
from state.usage import ModelCall

if TYPE_CHECKING:
    from jinja2 import Environment as Templates

T = TypeVar("T", bound=BaseModel)

REPAIRS = 2
"""Times a faulty answer is shown to the model; once where its owner is asked again anyway, and
once for a local model, to which another try costs a minute and seldom helps."""


SMALL_MODEL_OUTPUT = 1200
"""Tokens of a local model's answer at most: what runs on beyond it goes in circles."""


@dataclass(frozen=True)
class Answer(Generic[T]):
    """An agent's answer, all calls of the run so far, and complaints that are still open."""

    value: T
    calls: list[ModelCall]
    complaints: list[str]


@cache
def prompt_templates() -> "Templates":
    """The Markdown prompts beside the agents."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    templates = Environment(  # noqa: S701 - renders prompts, not HTML
        loader=FileSystemLoader(Path(__file__).parent / "prompts"),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
    )
    templates.filters["plain"] = plain
    return templates


def plain(value: Any) -> Any:
    """Whole numbers without a decimal point, also in lists."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def ask(
    agent: str,
    schema: type[T],
    state: RunState,
    runtime: Runtime[RunSettings],
    *,
    check: Callable[[T], list[str]],
    max_output_tokens: int = 2000,
    previous: BaseModel | None = None,
    prompt: str = "",
    remarks_prompt: str = "remarks",
    temperature: float = 0.0,
    repair_temperature: float = 0.0,
    **values: Any,
) -> Answer[T]:
    """Ask ``agent`` for its piece.

    ``values`` fill ``prompts/<agent>.md``, or that of ``prompt``, which always sees ``state``, and
    the ``remarks_prompt`` that shows what is open.
    What is open for this agent, in doubt, or asked of it by a revision follows, together with its
    ``previous`` answer. The temperatures are those of the first answer and of what is asked for
    again because ``check`` complained. The description comes first in every prompt, so that a
    model which keeps the state of a prompt reads it once.

    Raises:
        nodes.models.errors.ModelError: the model gave no usable answer.
    """
    settings = runtime.context
    if settings.model is None:
        raise ValueError("no model was chosen for the agents")
    templates = prompt_templates()
    sentences = sentences_of(state.told)
    remarks = own_remarks(state, agent)
    doubts = state.doubts_of(agent)
    earlier = shown_again(previous)
    text = templates.get_template(f"{prompt or agent}.md").render(state=state, **values)
    if remarks or doubts:
        template = f"{remarks_prompt}.md" if remarks else "reexamine.md"
        text += templates.get_template(template).render(
            values,
            remarks=remarks,
            doubts=doubts,
            answers=[a for a in state.clarifications if a.agent == agent],
            previous=earlier,
        )
    revised = revision_values(state, agent)
    if revised:
        text += templates.get_template("revision.md").render(revised, previous=earlier)
    small = settings.model.provider == "local"
    reply = call_structured(
        settings.model,
        schema,
        [
            ("system", templates.get_template("system.md").render()),
            ("user", templates.get_template("description.md").render(sentences=sentences) + text),
        ],
        agent=agent,
        check=check,
        repairs=1 if remarks or doubts or small else REPAIRS,
        budget=budget_of(state, settings),
        journal=journal_of(state),
        max_output_tokens=min(max_output_tokens, SMALL_MODEL_OUTPUT)
        if small
        else max_output_tokens,
        lengthen=not small,
        temperature=temperature,
        repair_temperature=repair_temperature,
        ordinal=state.asked(agent),
    )
    return Answer(reply.value, [*state.calls, *reply.calls], reply.complaints)


def budget_of(state: RunState, settings: RunSettings) -> TokenBudget:
    """What the run may still spend."""
    used = sum(c.prompt_tokens + c.completion_tokens for c in state.calls if not c.recorded)
    return TokenBudget(settings.max_tokens, used)


def journal_of(state: RunState) -> CallJournal:
    """The run's record of all calls."""
    return CallJournal(Path(state.run_folder) / JOURNAL)


def shown_again(answer: BaseModel | None) -> str:
    """An earlier answer for the model to look at: a code body as code, all else as JSON."""
    if isinstance(answer, BodySource):
        return answer.source.strip()
    return answer.model_dump_json(exclude_defaults=True) if answer else ""


def own_remarks(state: RunState, agent: str) -> list[Finding]:
    """Open findings, those of ``agent`` before others that may explain them."""
    mine = [finding for finding in state.remarks if finding.owner == agent]
    return mine or list(state.remarks)


def noted(state: RunState, agent: str, *notes: str) -> list[str]:
    """The notes of the run with those of ``agent`` added once."""
    new = [f"{agent}: {note}" for note in notes]
    return [*state.notes, *(note for note in new if note not in state.notes)]
