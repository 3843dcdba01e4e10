"""Containing programs with sandlock (Landlock and seccomp), where namespaces are denied.

Paths stay what they are, and what a program may not read it may still know to exist. sandlock
supervises from a process of its own, see ``sandlock_supervisor``.

Source: the documentation of sandlock 0.9.
"""

import importlib
import json
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

SUPERVISOR = Path(__file__).with_name("sandlock_supervisor.py")
# Read by Python, by numerical libraries and by multiprocessing; sandlock hides other processes.
_SYSTEM = ("/proc", "/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")


class Sandlock(NamedTuple):
    """sandlock as it is installed here."""

    version: str


def find() -> Sandlock | str:
    """sandlock, if it is installed and this kernel has what it needs; else why not."""
    try:
        sandlock = importlib.import_module("sandlock")
    except (ImportError, OSError) as error:
        return f"sandlock: it is not installed ({error})"
    has, needs = sandlock.landlock_abi_version(), sandlock.min_landlock_abi()
    if has < needs:
        return f"sandlock: Landlock has version {max(has, 0)} here, and {needs} is needed"
    return Sandlock(sandlock.__version__)


def supervisor_plan(
    *,
    folder: Path,
    own: Path,
    scratch: Path,
    readable: Iterable[Path],
    environment: Mapping[str, str],
    processes: int,
    user: int | None,
    status_descriptor: int,
) -> str:
    """The supervisor's first argument; after it come the words of the program's own command.

    Of `own`, a folder made for this run, the program may write `scratch`, its temporary folder.
    """
    return json.dumps(
        {
            "readable": [*_SYSTEM, *map(str, readable)],
            "writable": [str(folder), str(scratch), "/dev/null"],
            "environment": {**environment, "HOME": str(scratch), "TMPDIR": str(scratch)},
            "cwd": str(folder),
            "own": str(own),
            "processes": processes,
            "user": user,
            "status": status_descriptor,
            "parent": os.getpid(),
        }
    )


def lay_out_packages(stage: Path, packages: Mapping[str, Path]) -> None:
    """Make a folder from which the packages can be imported, those above them appearing empty."""
    for name, path in sorted(packages.items()):
        place = stage.joinpath(*name.split("."))
        place.parent.mkdir(parents=True, exist_ok=True)
        for parent in place.parents:
            if parent == stage:
                break
            (parent / "__init__.py").touch()
        place.symlink_to(path)


def reachable_by_all(paths: Sequence[Path]) -> bool:
    """Whether every user may pass through the folders above all of these."""
    above = {parent for path in paths for parent in path.resolve().parents}
    return all(parent.stat().st_mode & stat.S_IXOTH for parent in above)
