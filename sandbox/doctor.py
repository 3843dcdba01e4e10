"""What isolation this machine gives: each way is tried with a program that attempts to get out."""

import json
import os
import platform
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel, Field

from sandbox import process_group, seccomp
from sandbox.containment import Isolation
from sandbox.isolation import SandboxUnavailable, candidates, remedy
from sandbox.jobs import Job
from sandbox.outcome import Limits
from sandbox.run import run_job

PROBE = Path(__file__).with_name("probe.py")
_LIMITS = Limits(wall_seconds=20, processes=32)


class Way(BaseModel):
    """One way to contain programs, and what came of trying it."""

    name: str
    works: bool
    remark: str = Field(default="", description="why it does not work, or what it lets through")


class Diagnosis(BaseModel):
    """All ways, the best first, with what else bears on isolation."""

    contained: bool = Field(description="generated code can be run safely here")
    isolation: str = Field(description="the way that a run takes, or nothing")
    ways: list[Way]
    machine: dict[str, str]
    remedy: str = Field(default="", description="the one command that would help most, if any")

    def __str__(self) -> str:
        rows = [*self.machine.items()]
        rows += [
            (way.name, "works" if way.works and not way.remark else way.remark) for way in self.ways
        ]
        width = max(len(name) for name, _ in rows)
        lines = [f"{name:<{width}}  {text}" for name, text in rows]
        lines.append("")
        lines.append(
            f"Generated code is contained by {self.isolation}."
            if self.contained
            else "Generated code cannot be contained here; a run is refused unless"
            " --unsafe-no-sandbox is given."
        )
        if self.remedy:
            lines.append(f"What would help: {self.remedy}")
        return "\n".join(lines)


def diagnose() -> Diagnosis:
    """Tries each way to contain programs that there is."""
    ways: list[Way] = []
    chosen: Isolation | None = None
    for way in candidates():
        if isinstance(way, str):
            ways.append(
                Way(name=way.partition(":")[0].partition(" is ")[0], works=False, remark=way)
            )
            continue
        remark = _let_through(way)
        ways.append(Way(name=_name(way), works=not remark, remark=remark))
        chosen = chosen or (None if remark else way)
    strongest = chosen is not None and ways[0].works
    return Diagnosis(
        contained=chosen is not None,
        isolation=chosen.description if chosen else "",
        ways=ways,
        machine=_machine(),
        remedy="" if strongest else remedy(),
    )


def _name(way: Isolation) -> str:
    if os.geteuid() != 0:
        return way.description
    return f"{way.description}, {'as a user of its own' if way.drops_user else 'as root'}"


def _let_through(way: Isolation) -> str:
    """What a program that tries to get out of ``way`` achieves, or why it does not run at all."""
    with tempfile.TemporaryDirectory() as outside, socket.create_server(("127.0.0.1", 0)) as server:
        folder = Path(outside, "run")
        folder.mkdir()
        shutil.copyfile(PROBE, folder / PROBE.name)
        (Path(outside) / "secret").write_text(secrets.token_hex(), encoding="ascii")
        Path(outside).chmod(0o755)
        port = server.getsockname()[1]
        with _bystander() as bystander:
            words = [outside, str(port), str(bystander)]
            job = Job(folder, folder / PROBE.name, None, {}, words, [])
            try:
                outcome = run_job(job, _LIMITS, way)
            except SandboxUnavailable as error:
                return f"does not work: {error.reason}"
        if not outcome.ok:
            lines = outcome.stderr.strip().splitlines() or [outcome.reason]
            return f"does not work: {lines[-1]}"
        achieved: list[str] = json.loads(outcome.stdout)
        return f"lets a program {', '.join(achieved)}" if achieved else ""


@contextmanager
def _bystander() -> Iterator[int]:
    """The number of a process that is no business of a contained program."""
    with subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        yield process.pid
        process.kill()


def _machine() -> dict[str, str]:
    try:
        count = len(seccomp.seccomp_filter()) // 8
        calls = f"{count} instructions for {platform.machine()}"
    except NotImplementedError as error:
        calls = str(error)
    return {
        "kernel": platform.release(),
        "running as": "root" if os.geteuid() == 0 else "an ordinary user",
        "system call filter": calls,
        "control group for processes": process_group.describe(),
    }
