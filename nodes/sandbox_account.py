"""Saying in words how a program inside the sandbox ended."""

from sandbox import Limits, Outcome
from sandbox.outcome import GIBIBYTE

LONGEST_ERROR = 300


def why_it_ended(outcome: Outcome, limits: Limits) -> str:
    """One phrase for an outcome that is not ok."""
    words = {
        "wall_time": f"it ran longer than {limits.wall_seconds:.0f} s",
        "cpu_time": f"it used more than {limits.cpu_seconds:.0f} s of processor time",
        "memory": f"it needed more than {limits.memory_bytes / GIBIBYTE:.1f} GiB of memory",
        "processes": f"it started more than {limits.processes} processes or threads",
        "output": "it printed without end",
        "disk": "it wrote too much into the run folder",
        "stopped": "it was stopped",
        "killed": "it was killed by the operating system",
    }
    if outcome.reason in words:
        return words[outcome.reason]
    lines = [line.strip() for line in outcome.stderr.splitlines() if line.strip()]
    last = lines[-1] if lines else f"exit status {outcome.exit_code}"
    return last[:LONGEST_ERROR]
