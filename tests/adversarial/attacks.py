"""Runs one attack twice: contained, where it must fail, and free, where it must not.

The free run shows that the attack is one; only attacks that do no harm are run free.
"""

from pathlib import Path

from sandbox import Limits
from tests.contained import run_text

SUCCEEDED = "attack succeeded"


def works_free_only(folder: Path, text: str, *arguments: str) -> None:
    """The text prints SUCCEEDED if it does what it tries."""
    limits = Limits(wall_seconds=10)
    free = run_text(folder, text, limits, arguments=list(arguments), unsafe_no_sandbox=True)
    assert SUCCEEDED in free.stdout, free.stderr
    contained = run_text(folder, text, limits, arguments=list(arguments))
    assert contained.reason in ("ok", "failed"), contained
    assert SUCCEEDED not in contained.stdout
