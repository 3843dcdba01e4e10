"""A program that judges and the programs that it judges, each in a sandbox of its own.

A judge that shared a process, a folder or a user with the code that it judges would believe
whatever that code wants. Here they share one socket each, and nothing else.
"""

import os
import socket
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from sandbox.outcome import Limits, Outcome
from sandbox.run import run_module


class Part(NamedTuple):
    """A module of ours, as for `run_module`, and the folder in which it runs."""

    module: str
    folder: Path
    limits: Limits
    packages: Sequence[str] = ()
    arguments: Sequence[str] = ()


class Outcomes(NamedTuple):
    """How the judge and each of its hosts ended."""

    judge: Outcome
    hosts: Mapping[str, Outcome]

    def culprit(self) -> tuple[str, Outcome]:
        """Whose end explains that the judge did not come to its own: "judge" or a host's name."""
        for name, outcome in self.hosts.items():
            if outcome.reason not in ("ok", "stopped"):
                return name, outcome
        return "judge", self.judge


def run_apart(
    judge: Part, hosts: Mapping[str, Part], *, unsafe_no_sandbox: bool = False
) -> Outcomes:
    """Runs a judge beside its hosts, and ends these when it ends.

    Each host gets the number of its end of a socket as its first argument, the judge an argument
    NAME=NUMBER for each host, before those of its own.

    Raises as `run_module`.
    """
    stop = threading.Event()
    with ThreadPoolExecutor(len(hosts) or 1) as threads, ExitStack() as stack:
        ends: dict[str, int] = {}
        running: dict[str, Future[Outcome]] = {}
        stack.callback(stop.set)  # whatever happens, the threads are not waited for in vain
        for name, host in hosts.items():
            ours, theirs = socket.socketpair()
            ends[name] = ours.detach()
            stack.callback(os.close, ends[name])
            running[name] = threads.submit(_run_host, host, theirs, unsafe_no_sandbox, stop)
        words = [f"{name}={end}" for name, end in ends.items()]
        outcome = run_module(
            judge.module,
            judge.folder,
            judge.limits,
            packages=judge.packages,
            arguments=[*words, *judge.arguments],
            descriptors=list(ends.values()),
            unsafe_no_sandbox=unsafe_no_sandbox,
        )
        stop.set()
        return Outcomes(outcome, {name: host.result() for name, host in running.items()})


def _run_host(
    host: Part, end: socket.socket, unsafe_no_sandbox: bool, stop: threading.Event
) -> Outcome:
    with end:
        return run_module(
            host.module,
            host.folder,
            host.limits,
            packages=host.packages,
            arguments=[str(end.fileno()), *host.arguments],
            descriptors=[end.fileno()],
            unsafe_no_sandbox=unsafe_no_sandbox,
            stop=stop,
        )
