"""Recordings: made from a run's journal, played back by agent and ordinal."""

import json
from pathlib import Path

import pytest
from pydantic import BaseModel

from nodes.models.budget import TokenBudget
from nodes.models.chosen import ChosenModel
from nodes.models.errors import RecordingMissing
from nodes.models.factory import choose_model
from nodes.models.journal import CallJournal, JournalLine, read_journal
from nodes.models.recording import record
from nodes.models.structured import StructuredReply, call_structured

TEXT = "Keep the bakery's shelves filled."


class Answer(BaseModel):
    number: int


def write(journal: Path, agent: str, ordinal: int, reply: str | None) -> None:
    CallJournal(journal).write(
        JournalLine(
            agent=agent,
            model="openai:big",
            attempt=1,
            ordinal=ordinal,
            messages=[{"role": "human", "text": "How many?"}],
            reply=reply,
            prompt_tokens=11,
            completion_tokens=3,
            error=None if reply else "TimeoutError: ",
        )
    )


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    journal = tmp_path / "llm_calls.jsonl"
    write(journal, "parameter", 0, None)
    write(journal, "parameter", 0, "I think five.")
    write(journal, "parameter", 1, '{"number": 4}')
    write(journal, "parameter", 1, '{"number": 5}')
    write(journal, "objective", 0, '{"number": 6}')
    record(
        journal,
        tmp_path / "bakery.json",
        task="bakery",
        model="big",
        date="2025-11-30",
        description=TEXT,
    )
    return tmp_path


def replay(recordings: Path, description: str | None = TEXT) -> ChosenModel:
    return choose_model("recorded", task="bakery", description=description, recordings=recordings)


def ask(
    model: ChosenModel, agent: str, ordinal: int, journal: Path | None = None
) -> StructuredReply[Answer]:
    return call_structured(
        model,
        Answer,
        [("human", "How many?")],
        agent=agent,
        ordinal=ordinal,
        budget=TokenBudget(cap=1),
        journal=CallJournal(journal),
    )


def test_replies_are_played_back_by_agent_and_ordinal(recordings: Path, tmp_path: Path) -> None:
    model = replay(recordings)
    assert model.recorded
    assert model.name == "recorded:big"
    assert model.reason == "answers of big to bakery, recorded 2025-11-30"
    assert ask(model, "objective", 0).value.number == 6
    reply = ask(model, "parameter", 0, tmp_path / "again.jsonl")
    assert reply.value.number == 5
    assert [call.recorded for call in reply.calls] == [True, True]
    assert [call.prompt_tokens for call in reply.calls] == [11, 11]
    assert reply.calls[0].cost == 0.0
    assert [line.ordinal for line in read_journal(tmp_path / "again.jsonl")] == [0, 1]


def test_a_resumed_run_goes_on_where_it_was(recordings: Path) -> None:
    assert ask(replay(recordings), "parameter", 1).value.number == 5


@pytest.mark.parametrize(("agent", "ordinal"), [("parameter", 2), ("constraint", 0)])
def test_an_answer_that_was_never_recorded_is_missing(
    recordings: Path, agent: str, ordinal: int
) -> None:
    with pytest.raises(RecordingMissing, match=f"no answer {ordinal + 1} of the {agent} agent"):
        ask(replay(recordings), agent, ordinal)


def test_another_description_has_no_recording(recordings: Path) -> None:
    with pytest.raises(RecordingMissing, match="another description"):
        replay(recordings, TEXT + " ")
    assert replay(recordings, None).recorded


@pytest.mark.parametrize("task", [None, "library", "../bakery", "", "/etc/passwd"])
def test_a_task_without_a_recording_says_so(recordings: Path, task: str | None) -> None:
    with pytest.raises(RecordingMissing, match="live model"):
        choose_model("recorded", task=task, recordings=recordings)


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"task": 1}', "\ufffd"])
def test_a_broken_recording_says_so(tmp_path: Path, content: str) -> None:
    (tmp_path / "bakery.json").write_text(content)
    with pytest.raises(RecordingMissing, match="is broken at"):
        choose_model("recorded", task="bakery", recordings=tmp_path)


def test_the_file_has_the_documented_form(recordings: Path) -> None:
    kept = json.loads((recordings / "bakery.json").read_text())
    assert set(kept) == {"task", "model", "date", "description_sha256", "fills", "replies"}
    assert [(one["agent"], one["ordinal"]) for one in kept["replies"]] == [
        ("parameter", 0),
        ("parameter", 1),
        ("objective", 0),
    ]
    assert all(len(one["prompt_sha256"]) == 64 for one in kept["replies"])


def test_a_journal_without_answers_makes_no_recording(tmp_path: Path) -> None:
    journal = tmp_path / "llm_calls.jsonl"
    write(journal, "parameter", 0, None)
    with pytest.raises(ValueError, match="holds no answer"):
        record(journal, tmp_path / "x.json", task="x", model="m", date="d", description="")
    assert not (tmp_path / "x.json").exists()


@pytest.mark.parametrize("roles", [("system", "human"), ("human", "human", "human")])
def test_a_recording_knows_whether_gaps_were_filled(tmp_path: Path, roles: tuple[str, ...]) -> None:
    messages = [{"role": role, "text": "t"} for role in roles]
    line = JournalLine(
        agent="coding", model="m", attempt=1, ordinal=0, messages=messages, reply="return x"
    )
    CallJournal(tmp_path / "llm_calls.jsonl").write(line)
    target = tmp_path / "bakery.json"
    record(tmp_path / "llm_calls.jsonl", target, task="bakery", model="m", date="2025-11-30",
           description=TEXT)  # fmt: skip
    assert replay(tmp_path).wire.fills is ("system" not in roles)
