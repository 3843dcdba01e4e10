"""Running code that nobody trusts, contained and bounded."""

from sandbox.apart import Outcomes, Part, run_apart
from sandbox.isolation import SandboxUnavailable, describe_isolation
from sandbox.outcome import Limits, Outcome
from sandbox.results import ResultInvalid, check_files, read_result
from sandbox.run import run, run_module

__all__ = [
    "Limits",
    "Outcome",
    "Outcomes",
    "Part",
    "ResultInvalid",
    "SandboxUnavailable",
    "check_files",
    "describe_isolation",
    "read_result",
    "run",
    "run_apart",
    "run_module",
]
