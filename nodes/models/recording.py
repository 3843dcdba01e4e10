"""Replies of a model to each agent of a built-in task, kept in a file and played back."""

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from nodes.models.chosen import Ask, ChosenModel, Wire
from nodes.models.conversation import printable
from nodes.models.errors import RecordingMissing
from nodes.models.journal import read_journal
from nodes.models.prices import FREE

RECORDINGS = Path(__file__).parents[2] / "benchmarks" / "recordings"
"""Where the recordings of the built-in tasks lie, one JSON file a task."""

_TASK = re.compile(r"[a-z0-9][a-z0-9-]*")


class RecordedReply(BaseModel):
    """One reply; ``ordinal`` counts the agent's answers in the run from 0."""

    model_config = ConfigDict(extra="forbid")

    agent: str
    ordinal: int = Field(ge=0)
    prompt_sha256: str
    reply: str
    finish_reason: str = "stop"
    prompt_tokens: int = Field(default=0, ge=0)
    completion_tokens: int = Field(default=0, ge=0)


class Recording(BaseModel):
    """All replies of one run, with the model that gave them and the date (ISO) of that run."""

    model_config = ConfigDict(extra="forbid")

    task: str
    model: str
    date: str
    description_sha256: str
    fills: bool = Field(default=False, description="the model was asked to fill gaps in code")
    replies: list[RecordedReply]


class RecordedChat(BaseChatModel):
    """Plays a recording back by agent and ordinal, both given with each call."""

    recording: Recording

    @property
    def _llm_type(self) -> str:
        return "recorded"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        agent, ordinal = str(kwargs["agent"]), int(kwargs["ordinal"])
        for reply in self.recording.replies:
            if (reply.agent, reply.ordinal) == (agent, ordinal):
                return ChatResult(generations=[ChatGeneration(message=_message(reply))])
        raise RecordingMissing(
            f"The recording for {self.recording.task} holds no answer {ordinal + 1} of the "
            f"{agent} agent: run with a live model (--model openai:NAME, ollama:NAME or local)."
        )


class RecordedWire(Wire):
    """Tells the recording whose answer is wanted.

    What was asked of a model that fills gaps is asked in the same way again.
    """

    def __init__(self, *, fills: bool) -> None:
        self.fills = fills

    def arguments(self, ask: Ask) -> dict[str, Any]:
        """Return agent and ordinal."""
        return {"agent": ask.agent, "ordinal": ask.ordinal}


def sha256_of(text: str) -> str:
    """Return the hexadecimal SHA-256 of a text's UTF-8 bytes."""
    return hashlib.sha256(printable(text).encode("utf-8")).hexdigest()


def prompt_sha256(messages: Sequence[dict[str, str]]) -> str:
    """Return the SHA-256 of a prompt given as role and text of each message."""
    return sha256_of(json.dumps([[message["role"], message["text"]] for message in messages]))


def load_recording(
    task: str | None, description: str | None, folder: Path = RECORDINGS
) -> Recording:
    """Return the recording for a built-in task and the description that it was made from.

    Raises ``RecordingMissing`` if there is none, or if ``description`` is another text; None
    leaves the description unchecked.
    """
    if task is None or not _TASK.fullmatch(task):
        raise RecordingMissing(
            "Only built-in tasks have recorded answers: choose one with --task, or a live model."
        )
    path = folder / f"{task}.json"
    if not path.is_file():
        raise RecordingMissing(f"There is no recording for the task {task}: choose a live model.")
    try:
        recording = Recording.model_validate_json(path.read_bytes())
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors()[0]["loc"]) or "its start"
        raise RecordingMissing(
            f"The recording {path.name} is broken at {place}: restore the file or choose a "
            "live model."
        ) from None
    if description is not None and sha256_of(description) != recording.description_sha256:
        raise RecordingMissing(
            f"The recording for {task} was made from another description: choose a live model "
            "or record it again."
        )
    return recording


def connect(
    task: str | None, description: str | None = None, folder: Path = RECORDINGS
) -> ChosenModel:
    """Return the model that replays a task's recording.

    Raises ``RecordingMissing`` as ``load_recording`` does.
    """
    recording = load_recording(task, description, folder)
    return ChosenModel(
        name=f"recorded:{recording.model}",
        reason=f"answers of {recording.model} to {recording.task}, recorded {recording.date}",
        chat=RecordedChat(recording=recording),
        provider="recorded",
        recorded=True,
        price=FREE,
        wire=RecordedWire(fills=recording.fills),
    )


def record(
    journal: Path, target: Path, *, task: str, model: str, date: str, description: str
) -> Recording:
    """Make the recording ``target`` from a finished run's ``llm_calls.jsonl``.

    Where a run asked the same thing twice, its last answer is kept; an exchange that came to
    nothing is left out. Raises ValueError if the journal holds no answer, OSError if a file
    cannot be read or written.
    """
    answers: dict[tuple[str, int], RecordedReply] = {}
    lines = read_journal(journal)
    given_up = {(line.agent, line.ordinal): line for line in lines if line.given_up}
    for line in lines:
        before = [
            end
            for end in given_up.values()
            if end.agent == line.agent and end.ordinal <= line.ordinal
        ]
        left_out = any(line.ordinal < end.ordinal + end.attempt for end in before)
        if line.reply is not None and not left_out:
            place = line.ordinal - sum(end.attempt for end in before)
            answers[line.agent, place] = RecordedReply(
                agent=line.agent,
                ordinal=place,
                prompt_sha256=prompt_sha256(line.messages),
                reply=line.reply,
                finish_reason=line.finish_reason or "stop",
                prompt_tokens=line.prompt_tokens,
                completion_tokens=line.completion_tokens,
            )
    if not answers:
        raise ValueError(f"{journal} holds no answer to record.")
    recording = Recording(
        task=task,
        model=model,
        date=date,
        description_sha256=sha256_of(description),
        fills=any(_is_gap(line.messages) for line in lines),
        replies=list(answers.values()),
    )
    target.write_text(recording.model_dump_json(indent=1) + "\n", encoding="utf-8")
    return recording


def _message(reply: RecordedReply) -> AIMessage:
    return AIMessage(
        content=reply.reply,
        usage_metadata={
            "input_tokens": reply.prompt_tokens,
            "output_tokens": reply.completion_tokens,
            "total_tokens": reply.prompt_tokens + reply.completion_tokens,
        },
        response_metadata={"finish_reason": reply.finish_reason},
    )


def _is_gap(messages: Sequence[dict[str, str]]) -> bool:
    """Whether what stands before, behind and in a gap was sent, and no conversation."""
    return len(messages) == 3 and {message["role"] for message in messages} == {"human"}
