"""What a run may use, and what it came to."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

MEBIBYTE = 1024 * 1024
GIBIBYTE = 1024 * MEBIBYTE

Reason = Literal[
    "ok",
    "failed",
    "wall_time",
    "cpu_time",
    "memory",
    "processes",
    "output",
    "disk",
    "stopped",
    "killed",
]


class Limits(BaseModel):
    """The bounds of one run; passing any of them ends the whole process tree."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    wall_seconds: float = Field(default=60.0, gt=0, description="time on the clock")
    cpu_seconds: float = Field(default=120.0, gt=0, description="processor time of the whole tree")
    memory_bytes: int = Field(
        default=4 * GIBIBYTE,
        ge=32 * MEBIBYTE,
        description="memory of the whole tree, files mapped for reading aside",
    )
    processes: int = Field(default=256, ge=1, description="processes and threads at one time")
    open_files: int = Field(default=256, ge=16, description="open files of one process")
    file_bytes: int = Field(default=256 * MEBIBYTE, ge=0, description="size of one file")
    total_bytes: int = Field(
        default=512 * MEBIBYTE, ge=0, description="bytes added to the run folder"
    )
    total_files: int = Field(default=4096, ge=0, description="files and folders added")
    scratch_bytes: int = Field(
        default=256 * MEBIBYTE,
        ge=MEBIBYTE,
        description="size of the temporary folder, and of shared memory; both live in memory",
    )
    output_bytes: int = Field(
        default=MEBIBYTE, ge=0, description="standard output, and again standard error"
    )


class Outcome(BaseModel):
    """How a run ended and what it used.

    `reason` says who ended it: "ok" and "failed" are the program's own exit (status 0, any
    other), "killed" is a signal that was not ours (a crash, the kernel), "stopped" is the
    caller's stop event, and each other word is the limit that was passed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    reason: Reason
    exit_code: int | None = Field(
        description="the program's exit status, negative for a signal; none if we ended it"
    )
    wall_seconds: float
    cpu_seconds: float = Field(description="processor time of the whole tree")
    peak_memory_bytes: int = Field(
        description="largest memory of the whole tree seen, sampled every 50 ms; 0 if never seen"
    )
    stdout: str = Field(description="first `output_bytes` of standard output")
    stderr: str = Field(description="first `output_bytes` of standard error")
    files: list[str] = Field(description="new or changed regular files, relative to the folder")
    isolation: str = Field(description="what held the program, as in `describe_isolation()`")

    @property
    def ok(self) -> bool:
        """Whether the program ended by itself with status 0."""
        return self.reason == "ok"
