"""The command line, killed at the first moment that no earlier process was killed at.

``python -m tests.killed_run MOMENTS ...`` runs ``python -m graph.run ...``; the file ``MOMENTS``
keeps the moments at which processes were killed, one on each line.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nodes.sandbox_program
import nodes.train
from graph.run import main
from graph.sqlite_store import LeanSaver
from nodes.models.journal import CallJournal, JournalLine

INTO_THE_SANDBOX_SECONDS = 0.2
"""Less than any program takes to import what it needs."""
SAVED_TWICE = ("coding", "train")
"""Nodes behind which a process is killed also between their result and the checkpoint with it."""


class Moments:
    """Kills the process where it has not been killed before."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.lock = threading.RLock()
        """Held while a process dies, and by what must not be cut in two by another thread."""
        self.passed = set(file.read_text().splitlines()) if file.exists() else set()

    def at(self, moment: str) -> None:
        """Die here, unless an earlier process did."""
        with self.lock:
            if moment not in self.passed:
                with self.file.open("a") as file:
                    file.write(f"{moment}\n")
                os.kill(os.getpid(), signal.SIGKILL)


def before(owner: Any, name: str, act: Callable[..., None]) -> None:
    """Let ``act`` run before each call of ``owner.name``, with the same arguments."""
    original = getattr(owner, name)

    def wrapped(*given: Any, **named: Any) -> Any:
        act(*given, **named)
        return original(*given, **named)

    setattr(owner, name, wrapped)


def after(owner: Any, name: str, act: Callable[..., None]) -> None:
    """Let ``act`` run after each call of ``owner.name``, with the same arguments."""
    original = getattr(owner, name)

    def wrapped(*given: Any, **named: Any) -> Any:
        result = original(*given, **named)
        act(*given, **named)
        return result

    setattr(owner, name, wrapped)


def watch(moments: Moments) -> None:
    """Have the process die in and after each node."""

    def in_node(stages: Any) -> None:
        if stages:
            moments.at(f"in node {len(stages)} {stages[-1].name}, its work done")

    def worked(saver: Any, config: Any, writes: Any, *more: Any) -> None:
        in_node(dict(writes).get("stages"))

    def written(saver: Any, config: Any, writes: Any, *more: Any) -> None:
        stages = dict(writes).get("stages")
        if stages and stages[-1].name in SAVED_TWICE:
            moments.at(f"after node {len(stages)} {stages[-1].name}, before its checkpoint")

    put = LeanSaver.put

    def putting(saver: Any, config: Any, checkpoint: Any, metadata: Any, *more: Any) -> Any:
        # LangGraph writes a node's result and the checkpoint with it in two threads.
        with moments.lock:
            in_node(checkpoint["channel_values"].get("stages"))
            saved = put(saver, config, checkpoint, metadata, *more)
            moments.at(f"after the checkpoint of step {metadata['step']}")
        return saved

    def answered(journal: CallJournal, line: JournalLine) -> None:
        if line.reply is not None:
            moments.at(f"after reply {line.ordinal} to {line.agent}")

    timers: list[threading.Timer] = []

    def asked(*given: Any, **named: Any) -> None:
        moment = f"while {given[0].program} works"
        timers.append(threading.Timer(INTO_THE_SANDBOX_SECONDS, moments.at, [moment]))
        timers[-1].start()

    def replied(*given: Any, **named: Any) -> None:
        # One that is late already kills here: later, it would hide a moment with another name.
        timer = timers.pop()
        timer.cancel()
        timer.join()

    before(LeanSaver, "put_writes", worked)
    after(LeanSaver, "put_writes", written)
    LeanSaver.put = putting
    after(CallJournal, "write", answered)
    before(nodes.sandbox_program, "_ask", asked)
    after(nodes.sandbox_program, "_ask", replied)
    trained = nodes.train.run_module

    def training(*given: Any, on_output: Callable[[str], None], **named: Any) -> Any:
        def heard(line: str) -> None:
            on_output(line)
            moments.at(f"in training, at {line.split()[0]}")

        return trained(*given, on_output=heard, **named)

    nodes.train.run_module = training


if __name__ == "__main__":
    watch(Moments(Path(sys.argv[1])))
    sys.exit(main(sys.argv[2:]))
