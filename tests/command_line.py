"""The command line as a process of its own, without any key or server to be found."""

import os
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parents[1]
COMMAND = [sys.executable, "-m", "graph.run"]


def environment(folder: Path, **variables: str) -> dict[str, str]:
    """Variables for a run in ``folder``: what the machine needs, and ``variables``."""
    kept = {name: value for name, value in os.environ.items() if name.startswith("OPENBLAS")}
    return {
        **kept,
        "PATH": "/usr/bin:/bin",
        "HOME": str(folder / "home"),
        "PYTHONPATH": str(PROJECT),
        "OLLAMA_HOST": "127.0.0.1:9",
        **variables,
    }


def command(
    *words: str, folder: Path, given: bytes = b"", seconds: float = 60, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run ``python -m graph.run`` in ``folder``, with ``given`` on standard input."""
    done = subprocess.run(
        [*COMMAND, *words],
        cwd=folder,
        input=given,
        env=environment(folder, **variables),
        capture_output=True,
        timeout=seconds,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )
