"""What is to be run, and a process in which it runs."""

import math
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from sandbox.outcome import GIBIBYTE, Limits


class Job(NamedTuple):
    """What to run: a file, or a module of packages of ours; and what it may read. All resolved."""

    folder: Path
    program: Path | None
    module: str | None
    packages: dict[str, Path]
    arguments: Sequence[str]
    read_only: Sequence[Path]
    descriptors: Sequence[int] = ()
    """Open files of ours that the program gets under the same numbers."""

    @property
    def shown(self) -> list[Path]:
        """All that the program is to read outside its folder, the interpreter aside."""
        program = [] if self.program is None else [self.program]
        outside = [path for path in program if not path.is_relative_to(self.folder)]
        return [*self.read_only, *self.packages.values(), *outside]


class Started(NamedTuple):
    """A process that holds, or is about to hold, the program."""

    process: subprocess.Popen[bytes]
    status: int | None = None
    """Where whatever contains the program reports."""
    go: int | None = None
    """Where to tell bubblewrap to let the program start."""
    scratch: Path | None = None
    """The program's temporary folder, where that takes room on this machine's disk."""


def resource_limits(limits: Limits) -> dict[str, int]:
    """What the kernel itself enforces, on each process by itself."""
    return {
        "RLIMIT_CPU": math.ceil(limits.cpu_seconds),
        "RLIMIT_FSIZE": limits.file_bytes,
        "RLIMIT_NOFILE": limits.open_files,
        "RLIMIT_CORE": 0,
        # Only a backstop for the watchdog: libraries reserve more than they ever touch.
        "RLIMIT_DATA": 2 * limits.memory_bytes + GIBIBYTE,
    }
